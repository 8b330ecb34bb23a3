import ArgumentParser

/// Measures the cost of many stations with a few listeners each.
struct StationsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stations",
    abstract: "Many stations, each pulled by itself, with a few listeners each.",
    discussion: """
      Every station is an upstream connection of its own. icecast2 has a thread for each; the bare \
      limit serves one stream to all. Exit status 1: longwave let a listener see an error.
      """)

  @Option(help: "Stations.")
  var stations = 1000
  @Option(help: "Listeners of each station; 0 measures stations alone.")
  var listenersEach = 10
  @Option(help: "Connections begun each second.")
  var ramp = 500.0
  @Option(help: "Which servers, in this order, by commas: longwave, icecast2, limit, limit@MS.")
  var servers = "longwave,icecast2,limit"
  @OptionGroup var options: ComparisonOptions

  func validate() throws {
    guard (1...5000).contains(stations) else { throw ValidationError("--stations takes 1 to 5000") }
    guard (0...60_000).contains(stations * listenersEach) else {
      throw ValidationError("--stations times --listeners-each is 60000 at most")
    }
    guard (1...20_000).contains(ramp) else { throw ValidationError("--ramp takes 1 to 20000") }
    _ = try options.servers(servers)
  }

  func run() throws {
    let audience = Audience(listeners: stations * listenersEach, stations: stations, ramp: ramp)
    let settings = options.settings(audience)
    try Comparison(
      title: options.title("\(stations) stations with \(listenersEach) listeners each"),
      cases: options.servers(servers).map { .init(server: $0, settings: settings) },
      bases: ["icecast2", "limit"]
    ).run(json: options.json)
  }
}
