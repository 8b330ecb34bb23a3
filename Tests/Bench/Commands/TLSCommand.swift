import ArgumentParser

/// Measures the cost of encryption.
struct TLSCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tls",
    abstract: "Listeners over TLS, beside as many in clear.",
    discussion: """
      Every listener shakes hands anew (TLS 1.3, a P-256 certificate). The first row is longwave in \
      clear. Needs openssl for the certificate. Exit status 1: longwave let a listener see an error.
      """)

  @Option(help: "Listeners.")
  var listeners = 1000
  @Option(help: "Connections begun each second.")
  var ramp = 200.0
  @Option(help: "Which servers over TLS, by commas: longwave, icecast2, limit, limit@MS.")
  var servers = "longwave,icecast2,limit"
  @OptionGroup var options: ComparisonOptions

  func validate() throws {
    try ComparisonOptions.check(listeners: listeners)
    guard (1...20_000).contains(ramp) else { throw ValidationError("--ramp takes 1 to 20000") }
    _ = try options.servers(servers)
  }

  func run() throws {
    let plain = options.settings(Audience(listeners: listeners, ramp: ramp))
    var encrypted = plain
    encrypted.isEncrypted = true
    var cases = [Comparison.Case(name: "clear", server: options.longwave, settings: plain)]
    for server in try options.servers(servers) {
      cases.append(.init(name: "\(server) TLS", server: server, settings: encrypted))
    }
    try Comparison(
      title: options.title("\(listeners) listeners over TLS"), cases: cases,
      bases: ["clear", "icecast2 TLS", "limit TLS"]
    ).run(json: options.json)
  }
}
