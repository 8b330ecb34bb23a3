import ArgumentParser

/// Measures how long a packet takes from the upstream's write to the listener's read, by the number of listeners.
struct LatencyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "latency",
    abstract: "Latency of packets and of first bytes with more and more listeners.",
    discussion: """
      A row of fanout for each number of listeners and each server. Exit status 1: longwave let a \
      listener see an error.
      """)

  @Option(help: "Numbers of listeners, by commas.")
  var listeners = "100,1000,5000"
  @Option(help: "Connections begun each second.")
  var ramp = 500.0
  @Option(help: "Which servers, in this order, by commas: longwave, icecast2, limit, limit@MS.")
  var servers = "longwave"
  @OptionGroup var options: ComparisonOptions

  func validate() throws {
    for count in try counts() { try ComparisonOptions.check(listeners: count) }
    guard (1...20_000).contains(ramp) else { throw ValidationError("--ramp takes 1 to 20000") }
    _ = try options.servers(servers)
  }

  func run() throws {
    let servers = try options.servers(servers)
    let cases = try counts().flatMap { count in
      servers.map { server in
        Comparison.Case(
          name: "\(server), \(count)", server: server,
          settings: options.settings(Audience(listeners: count, ramp: ramp)))
      }
    }
    try Comparison(title: options.title("Latency"), cases: cases, bases: [])
      .run(json: options.json)
  }

  private func counts() throws -> [Int] {
    try listeners.split(separator: ",").map { word in
      guard let count = Int(word) else {
        throw ValidationError("--listeners takes numbers, by commas")
      }
      return count
    }
  }
}
