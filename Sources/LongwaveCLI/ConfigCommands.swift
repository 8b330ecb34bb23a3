import ArgumentParser
import Longwave
import LongwaveAdmin
import Store

struct ConfigCommands: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Check, reload and import configurations.",
    discussion:
      "EXAMPLES\n  longwave config check longwave.yml\n  longwave config import icecast.xml",
    subcommands: [ConfigCheck.self, ConfigReload.self, ConfigImport.self])
}

struct ConfigCheck: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Show a configuration's mistakes and the stations it would run.",
    discussion: """
      Mistakes are printed as FILE:LINE: KEY: the fault and its remedy. Mistakes in the text come first. Then come the
      named files, folders, logs and certificates of this machine, and a limit on open files that is too low to start.
      Exit 78 for a mistake; exit 1 for a folder whose disk does not answer, which is named and not looked into.

      EXAMPLES
        longwave config check
        longwave config check longwave.yml
        longwave config check longwave.yml --json
      """)

  @Argument(
    help: ArgumentHelp("The configuration. Default: the one serve would use.", valueName: "file"))
  var file: String?

  @Option(help: "The data folder (LONGWAVE_DATA).")
  var data: String?
  @OptionGroup var output: OutputOptions

  func run() async throws {
    var status = ExitCode.failure
    do throws(ConfigurationError) {
      let configuration = try Configuration.loadNamed(file)
      let folder = DataDirectory.resolve(option: data, configured: configuration.server.data)
      let report = try await ConfigurationReport.checking(configuration, data: folder)
      output.show(report.json) { _ in report.lines.joined(separator: "\n") }
      if report.isWhole { return }
    } catch {
      guard output.isJSON else { throw error }
      output.show(error.json) { _ in "" }
      status = .badConfiguration
    }
    throw status
  }
}

struct ConfigReload: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reload",
    abstract: "Make the running server read its configuration again.",
    discussion: """
      A configuration with a mistake changes nothing. Listeners of stations that stay notice nothing. SIGHUP has the
      same effect.

      EXAMPLES
        longwave config reload
      """)

  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let report = try await admin.request("POST", AdminClient.path("config", "reload"))
    output.show(report) { ReloadReport($0).line }
  }
}

struct ConfigImport: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Turn Icecast's configuration into one for longwave.",
    discussion: """
      Sockets and limits become keys, relays become stations with an upstream, and mounts become stations that sources
      push to, with their passwords. Settings without a counterpart become comments. The result is printed; nothing is
      changed.

      EXAMPLES
        longwave config import /etc/icecast2/icecast.xml > longwave.yml
        longwave config check longwave.yml
      """)

  @Argument(help: ArgumentHelp("Icecast's configuration.", valueName: "file"))
  var file: String

  func run() async throws { Terminal.print(try IcecastImport.read(from: file).text) }
}
