import ArgumentParser

/// Measures the cost of listeners in the past, beside as many live ones.
struct ShiftedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "shifted",
    abstract: "Listeners at random offsets in a window on disk, beside live ones.",
    discussion: """
      The window is written before longwave starts, as a relay leaves it that has run for so long; \
      every row has the same one for its length. The first row is live listeners with the shortest \
      window. Exit status 1: a listener saw an error.
      """)

  @Option(help: "Listeners.")
  var listeners = 1000
  @Option(help: "Hours of past, by commas: a row for each.")
  var hours = "1"
  @Option(help: "Connections begun each second.")
  var ramp = 500.0
  @Option(help: "The seed of the random offsets.")
  var seed: UInt64 = 1
  @OptionGroup var options: ComparisonOptions

  func validate() throws {
    try ComparisonOptions.check(listeners: listeners)
    guard (1...20_000).contains(ramp) else { throw ValidationError("--ramp takes 1 to 20000") }
    let windows = try windows()
    guard let shortest = windows.min(), shortest > nearest * 2 else {
      throw ValidationError("--hours: the shortest has to be more than \(Int(nearest * 2)) s")
    }
  }

  func run() throws {
    let windows = try windows()
    var cases = [
      Comparison.Case(
        name: "live", server: options.longwave, settings: settings(past: windows.min()!, nil))
    ]
    for window in windows {
      let offsets = Audience.Offsets(low: nearest, high: window - Self.fromOldest, seed: seed)
      cases.append(
        .init(
          name: "shifted in \(hoursText(window)) h", server: options.longwave,
          settings: settings(past: window, offsets)))
    }
    try Comparison(
      title: options.title("\(listeners) listeners, live and at random offsets (seed \(seed))"),
      cases: cases, bases: ["live"]
    ).run(json: options.json)
  }

  /// The distance in seconds from the window's end: the oldest packets leave while the window moves on.
  private static let fromOldest = 30.0

  /// The smallest offset: no listener may cross the joint between the prepared past and the upstream's audio.
  private var nearest: Double {
    options.upstreamBurst + options.warmUp + Double(listeners) / ramp + options.seconds + 60
  }

  private func settings(past: Double, _ offsets: Audience.Offsets?) -> Trial.Settings {
    var settings = options.settings(Audience(listeners: listeners, offsets: offsets, ramp: ramp))
    settings.pastSeconds = past
    return settings
  }

  /// Returns the lengths of the windows in seconds.
  private func windows() throws -> [Double] {
    try hours.split(separator: ",").map { word in
      guard let hours = Double(word), hours > 0, hours <= 168 else {
        throw ValidationError("--hours takes numbers up to 168, by commas")
      }
      return (hours * 3600).rounded()
    }
  }

  private func hoursText(_ seconds: Double) -> String {
    let hours = seconds / 3600
    return hours == hours.rounded() ? "\(Int(hours))" : "\(hours)"
  }
}
