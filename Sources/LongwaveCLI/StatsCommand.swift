import ArgumentParser
import Longwave
import LongwaveAdmin

struct StatsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats", abstract: "Show figures once, or as a live table.",
    discussion: """
      EXAMPLES
        longwave stats
        longwave stats jazz --json
        longwave stats --watch
      """)

  @Argument(help: "Only this station.", completion: .stations) var station: String?
  @Flag(help: "Show them again every two seconds, until Ctrl-C.") var watch = false
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    repeat {
      let text = try await text()
      if watch, !output.isJSON { Terminal.clear() }
      if output.isJSON { Terminal.print(text + "\n") } else { Terminal.write(text) }
      if watch { try await Task.sleep(for: .seconds(2)) }
    } while watch
  }

  private func text() async throws -> String {
    if let station {
      let json = try await admin.request("GET", AdminClient.path("stations", station))
      return output.isJSON ? json.text : StationViews.page(json)
    }
    let stats = try await admin.request("GET", AdminClient.path("stats"))
    if output.isJSON { return stats.text }
    let stations = try await admin.request("GET", AdminClient.path("stations"))
    let warning = stats["leftOut"].flatMap {
      if case .string(let text) = $0 { text + "\n\n" } else { nil }
    }
    return (warning ?? "") + Self.head(stats) + "\n\n"
      + StationViews.table(stations.items("stations"))
  }

  private static func head(_ stats: JSON) -> String {
    """
    Longwave \(stats.text("version")), up \(stats.duration("uptime"))
    listeners  \(stats.text("listeners.now")) now, \(stats.text("listeners.peak")) at most, \
    \(stats.text("listeners.total")) in all; \(stats.text("listeners.max")) possible
    sent       \(stats.bytes("bytesSent"))
    process    \(stats.bytes("process.memory")), \(stats.text("process.cpuSeconds")) s of CPU, \
    \(stats.text("process.openFiles")) of \(stats.text("process.openFilesMax")) files
    """
  }
}
