import ArgumentParser

/// Measures the cost of watchers whose events do not happen, while other events do.
struct WatchersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watchers",
    abstract: "Listeners that come and go, with and without watchers of other events.",
    discussion: """
      Longwave alone, once without and once with watchers. They watch changes of stations' states, of which there are \
      none in the window: what they cost is what it costs to tell them nothing. Exit status 1: a listener saw an error.
      """)

  @Option(help: "Watchers of events.")
  var watchers = 2000
  @Option(help: "The kinds that they watch, with commas between them.")
  var kinds = "state"
  @Option(help: "Listeners.")
  var listeners = 500
  @Option(help: "Listeners that leave each second, and others who come.")
  var churn = 150.0
  @OptionGroup var options: ComparisonOptions

  func validate() throws {
    try ComparisonOptions.check(listeners: listeners)
    guard (1...20_000).contains(watchers) else {
      throw ValidationError("--watchers takes 1 to 20000")
    }
    guard (0...2000).contains(churn) else { throw ValidationError("--churn takes 0 to 2000") }
  }

  func run() throws {
    var without = options.settings(Audience(listeners: listeners))
    without.churn = churn
    var with = without
    with.watchers = watchers
    with.watchedKinds = kinds
    try Comparison(
      title: options.title("\(listeners) listeners, \(churn) others each second"),
      cases: [
        .init(name: "no watchers", server: options.longwave, settings: without),
        .init(name: "\(watchers) watchers of \(kinds)", server: options.longwave, settings: with),
      ], bases: ["no watchers"]
    ).run(json: options.json)
  }
}
