import ArgumentParser
import Longwave

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Look whether this machine is fit to run the relay.",
    discussion: """
      Each line begins with ok, warn or fail; what to do about it stands below. It looks at the limit on open files, the
      ports, the data folder and its disk, the libraries, the certificates, the clock and the kernel. With --network also
      whether the names of the stations' upstreams are known. Exit 1 if there was a fail.

      EXAMPLES
        longwave doctor
        longwave doctor --config longwave.yml --network
        longwave doctor --json
      """)

  @Option(help: ArgumentHelp("The configuration; else the one serve would use.", valueName: "file"))
  var config: String?
  @Option(help: "The data folder (LONGWAVE_DATA).") var data: String?
  @Flag(help: "Look up the names of the upstreams, too.") var network = false
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let report = await DoctorReport.make(file: config, data: data, asksNames: network)
    Terminal.print(
      output.isJSON ? report.json.text + "\n" : report.text(isColored: Terminal.hasColors))
    if report.hasFailures { throw ExitCode.failure }
  }
}
