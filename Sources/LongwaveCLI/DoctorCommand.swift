import ArgumentParser
import Longwave
import LongwaveAdmin

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Check whether this machine is fit to run the relay.",
    discussion: """
      Each line begins with ok, warn or fail, and advice stands below it. Doctor checks the limit on open files, the ports,
      the data folder and its disk, what programmes would play, the libraries, the certificates, the clock and the
      kernel; with --network also whether the upstreams' names can be looked up. Where a relay runs and no configuration
      is named, its settings are not judged. Exit 1 if a line says fail.

      EXAMPLES
        longwave doctor
        longwave doctor --config longwave.yml --network
        longwave doctor --json
        longwave doctor --ready                   for health checks: whether the relay is ready
      """)

  @Option(
    help: ArgumentHelp("The configuration. Default: the one serve would use.", valueName: "file"))
  var config: String?
  @Option(help: "The data folder (LONGWAVE_DATA).") var data: String?
  @Flag(help: "Also look up the upstreams' names.") var network = false
  @Flag(
    help:
      "Only ask the running relay whether it is ready: started, with its disks and stations. Exit 1 if not."
  )
  var ready = false
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if ready, network || output.isJSON {
      throw ValidationError("--ready only asks the running relay; leave out --network and --json")
    }
  }

  func run() async throws {
    if ready {
      return try await askWhetherReady()
    }
    let report = await DoctorReport.make(file: config, data: data, asksNames: network)
    Terminal.print(
      output.isJSON
        ? report.json.text + "\n"
        : report.text(isColored: Terminal.hasColors, width: Terminal.width))
    if report.hasFailures { throw ExitCode.failure }
  }

  /// Ends with 1 for every reason: a container's health check knows no other number.
  private func askWhetherReady() async throws {
    do throws(AdminError) {
      let answer = try await Readiness.ask(file: config, data: data)
      Terminal.print(answer.text)
      if answer.isReady { return }
    } catch {
      Terminal.complain("\(error)")
    }
    throw ExitCode.failure
  }
}
