import ArgumentParser

/// Measures the time until all listeners have audio when they connect at once, as at a news flash or after a restart.
struct StormCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "storm",
    abstract: "How long until all listeners have audio that connect at the same moment.",
    discussion: """
      Connections are begun as fast as one thread can. After the last first byte a short window \
      shows that all of them play. Exit status 1: longwave let a listener see an error.
      """)

  @Option(help: "Listeners.")
  var listeners = 5000
  @Option(help: "Which servers, in this order, by commas: longwave, icecast2, limit, limit@MS.")
  var servers = "longwave,icecast2,limit"
  @OptionGroup var options: ComparisonOptions

  /// Connections begun each second: more than a thread can begin.
  private static let atOnce = 1e6

  func validate() throws {
    try ComparisonOptions.check(listeners: listeners)
    _ = try options.servers(servers)
  }

  func run() throws {
    var settings = options.settings(Audience(listeners: listeners, ramp: Self.atOnce))
    // icecast2 takes longer, or never serves all listeners; the report says how many it has served.
    settings.patienceSeconds = 30
    try Comparison(
      title: options.title("\(listeners) listeners at once"),
      cases: options.servers(servers).map { .init(server: $0, settings: settings) },
      bases: ["icecast2", "limit"]
    ).run(json: options.json)
  }
}
