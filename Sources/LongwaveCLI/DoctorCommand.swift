import ArgumentParser
import Longwave
import LongwaveAdmin

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Check whether this machine is fit to run the relay.",
    discussion: """
      Each line begins with ok, warn or fail, and advice stands below it. Checked are the limit on open files, the ports,
      the data folder and its disk, the libraries, the certificates, the clock and the kernel; with --network also
      whether the upstreams' names can be looked up. Exit 1 if a line says fail.

      EXAMPLES
        longwave doctor
        longwave doctor --config longwave.yml --network
        longwave doctor --json
      """)

  @Option(
    help: ArgumentHelp("The configuration. Default: the one serve would use.", valueName: "file"))
  var config: String?
  @Option(help: "The data folder (LONGWAVE_DATA).") var data: String?
  @Flag(help: "Also look up the upstreams' names.") var network = false
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let report = await DoctorReport.make(file: config, data: data, asksNames: network)
    Terminal.print(
      output.isJSON ? report.json.text + "\n" : report.text(isColored: Terminal.hasColors))
    if report.hasFailures { throw ExitCode.failure }
  }
}
