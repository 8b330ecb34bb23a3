import ArgumentParser

/// Measures the memory and descriptors of a relay over hours, with listeners that come and go.
struct SoakCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "soak",
    abstract: "Memory and descriptors over a long time, with listeners that come and go.",
    discussion: """
      As fanout, of longwave alone, with a line each tenth of the window about what it holds. Exit \
      status 1: a listener saw an error.
      """)

  @Option(help: "Listeners.")
  var listeners = 1000
  @Option(help: "Connections begun each second, until all are there.")
  var ramp = 500.0
  @Option(help: "Listeners that leave and are replaced each second.")
  var churn = 20.0
  @OptionGroup var options: ComparisonOptions

  private static let samples = 10

  func validate() throws {
    try ComparisonOptions.check(listeners: listeners)
    guard (1...20_000).contains(ramp) else { throw ValidationError("--ramp takes 1 to 20000") }
    guard (0...2000).contains(churn) else { throw ValidationError("--churn takes 0 to 2000") }
  }

  func run() throws {
    var settings = options.settings(Audience(listeners: listeners, ramp: ramp))
    settings.churn = churn
    settings.samples = Self.samples
    try Comparison(
      title: options.title("\(listeners) listeners, \(churn) others each second"),
      cases: [.init(server: options.longwave, settings: settings)], bases: []
    ).run(json: options.json)
  }
}
