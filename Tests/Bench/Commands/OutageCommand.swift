import ArgumentParser

/// Measures what listeners hear while an upstream is away for a while.
struct OutageCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "outage",
    abstract: "Listeners while the upstream is away, and when it is back.",
    discussion: """
      A sixth into the window the upstream drops the server and refuses it; when it is back it sends \
      its past again (--upstream-burst). Silence is the longest time without audio, of every listener; \
      audio again: from the upstream's return until the last one has some. A player bridges a \
      silence with what it has buffered. Exit status 1: longwave let a listener see an error.
      """)

  @Option(help: "Listeners.")
  var listeners = 500
  @Option(help: "Seconds that the upstream is away.")
  var away = 5.0
  @Option(help: "Connections begun each second.")
  var ramp = 500.0
  @Option(help: "Which servers, in this order, by commas: longwave, icecast2.")
  var servers = "longwave,icecast2"
  @OptionGroup var options: ComparisonOptions

  func validate() throws {
    try ComparisonOptions.check(listeners: listeners)
    guard (1...20_000).contains(ramp) else { throw ValidationError("--ramp takes 1 to 20000") }
    guard away >= 0.5, away <= options.seconds / 2 else {
      throw ValidationError("--away takes 0.5 to half of --seconds")
    }
    guard away + 1 < options.upstreamBurst else {
      throw ValidationError("--away has to be shorter than what the upstream sends again")
    }
    for server in try options.servers(servers) {
      if case .limit = server { throw ValidationError("the limit ends when its upstream does") }
    }
  }

  func run() throws {
    var settings = options.settings(Audience(listeners: listeners, ramp: ramp))
    settings.outageSeconds = away
    try Comparison(
      title: options.title("\(listeners) listeners, the upstream away for \(away) s"),
      cases: options.servers(servers).map { .init(server: $0, settings: settings) },
      bases: ["icecast2"]
    ).run(json: options.json)
  }
}
