import ArgumentParser

/// Measures the cost of one live station with many listeners, beside icecast2 and the bare limit.
struct FanoutCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fanout",
    abstract: "CPU, memory and latency of many listeners of one station.",
    discussion: """
      Each server is started fresh on core 0, with the upstream and the listeners on core 1, and \
      every frame of every listener is followed. Needs taskset (util-linux) for the pinning, and \
      icecast2 for its row. Exit status 1: longwave let a listener see an error.
      """)

  @Option(help: "Listeners.")
  var listeners = 2000
  @Option(help: "Connections begun each second.")
  var ramp = 500.0
  @Option(help: "Which servers, in this order, by commas: longwave, icecast2, limit, limit@MS.")
  var servers = "longwave,icecast2,limit"
  @Option(help: "The limit's tick: 25 to 1000 ms. Default: adaptive, as longwave's own.")
  var tick: Int?
  @OptionGroup var options: ComparisonOptions

  func validate() throws {
    try ComparisonOptions.check(listeners: listeners)
    guard tick.map({ (25...1000).contains($0) }) ?? true else {
      throw ValidationError("--tick takes 25 to 1000")
    }
    guard (1...20_000).contains(ramp) else { throw ValidationError("--ramp takes 1 to 20000") }
    _ = try options.servers(servers)
  }

  func run() throws {
    let settings = options.settings(Audience(listeners: listeners, ramp: ramp))
    try Comparison(
      title: options.title("\(listeners) listeners"),
      cases: options.servers(servers, tick: tick).map { .init(server: $0, settings: settings) },
      bases: ["icecast2", "limit"]
    ).run(json: options.json)
  }
}
