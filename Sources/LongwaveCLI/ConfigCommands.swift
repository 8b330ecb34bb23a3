import ArgumentParser
import Longwave

struct ConfigCommands: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Look at configurations.",
    discussion: "EXAMPLES\n  longwave config check longwave.yml", subcommands: [ConfigCheck.self])
}

struct ConfigCheck: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Say what is wrong with a configuration, and what it would run.",
    discussion: """
      All mistakes are told, each as FILE:LINE: KEY: what is wrong and what would be right.

      EXAMPLES
        longwave config check
        longwave config check longwave.yml
      """)

  @Argument(
    help: ArgumentHelp("The configuration; else the one serve would use.", valueName: "file"))
  var file: String?

  @Option(help: "The data folder (LONGWAVE_DATA).")
  var data: String?

  func run() async throws {
    let configuration = try Configuration.loadNamed(file)
    let folder = DataDirectory.resolve(option: data, configured: configuration.server.data)
    let report = ConfigurationReport(configuration, data: folder)
    Terminal.write(report.lines.joined(separator: "\n"))
  }
}
