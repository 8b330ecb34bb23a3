import ArgumentParser
import Foundation
import Reactor

/// Rows of one table, measured one after the other; every part is started fresh for each row.
struct Comparison {
  struct Case {
    /// The row's name; nil for the server's name.
    var name: String?
    var server: ServerUnderTest
    var settings: Trial.Settings
  }

  var title: String
  var cases: [Case]
  /// The names of the rows to which all others are compared.
  var bases: [String]

  /// Measures all rows and prints the report. Exit status 1 means that a listener of longwave saw an error.
  ///
  /// - Parameter more: lines behind the report, of its rows.
  func run(json: Bool, more: ([Report.Row]) -> [String] = { _ in [] }) throws {
    try Leftovers.clearOnSignals()
    let openFiles = Limits.raiseOpenFiles()
    let most = cases.map { $0.settings.audience.listeners }.max() ?? 0
    if most > openFiles - 100 {
      Self.say("a server may open \(openFiles) files here: it will not hold \(most) listeners")
    }
    var report = Report(title: title, bases: bases)
    for wanted in cases { report.rows.append(measure(wanted)) }
    print(
      json
        ? BenchJSON.text(report) : ([report.markdown] + more(report.rows)).joined(separator: "\n"))
    let hasFailed = zip(cases, report.rows).contains { wanted, row in
      guard case .longwave = wanted.server else { return false }
      return row.figures == nil || !row.errors.isEmpty
    }
    if hasFailed { throw ExitCode.failure }
  }

  private func measure(_ wanted: Case) -> Report.Row {
    let name = wanted.name ?? "\(wanted.server)"
    var row = Report.Row(server: name, settings: wanted.settings)
    if let hindrance = wanted.server.hindrance {
      row.hindrance = hindrance
      return row
    }
    do {
      let trial = Trial(settings: wanted.settings) { Self.say("\(name): \($0)") }
      let measurement = try trial.run(wanted.server)
      row.figures = measurement.figures
      row.errors = measurement.load.errors
    } catch {
      Self.say("\(name): \(error)")
      row.hindrance = "failed: \(error)".split(separator: "\n").first.map(String.init)
    }
    return row
  }

  /// Writes progress and troubles to standard error, since standard output belongs to the report.
  private static func say(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }
}

/// The options of all comparisons.
struct ComparisonOptions: ParsableArguments {
  @Option(help: "Length of the measured window, in seconds.")
  var seconds = 30.0
  @Flag(help: "Listeners ask for ICY titles.")
  var icy = false
  @Option(help: "kbit/s of the upstream: a layer III bitrate.")
  var bitrate = 128
  @Option(help: "Largest TCP segment listeners announce; 0: loopback's own.")
  var mss: Int32 = 1448
  @Option(help: "Seconds between the server's first audio and its first listener.")
  var warmUp = 3.0
  @Option(help: "Seconds of its past that the upstream sends at once.")
  var upstreamBurst = 33.0
  @Option(name: .customLong("longwave"), help: "The longwave binary. Default: beside this one.")
  var longwavePath: String?
  @Flag(help: "One JSON object instead of a table.")
  var json = false

  func validate() throws {
    guard (1...86_400).contains(seconds) else {
      throw ValidationError("--seconds takes 1 to 86400")
    }
    guard StampedFrames.bitrates.contains(bitrate) else {
      let known = StampedFrames.bitrates.map(String.init).joined(separator: ", ")
      throw ValidationError("--bitrate takes one of \(known)")
    }
    guard mss == 0 || (88...32_767).contains(mss) else {
      throw ValidationError("--mss takes 0, or 88 to 32767")
    }
    guard (0...600).contains(warmUp) else { throw ValidationError("--warm-up takes 0 to 600") }
    guard (1...60).contains(upstreamBurst) else {
      throw ValidationError("--upstream-burst takes 1 to 60")
    }
  }

  var longwave: ServerUnderTest { .longwave(path: Executables.longwave(longwavePath)) }

  /// Returns the servers in a list separated by commas: longwave, icecast2, limit, limit@MS.
  ///
  /// - Parameter tick: The tick in ms of a limit without a tick of its own; nil for the adaptive one.
  func servers(_ names: String, tick: Int? = nil) throws -> [ServerUnderTest] {
    try names.split(separator: ",").map { word in
      switch word {
      case "longwave": return longwave
      case "icecast2": return .icecast2
      case "limit": return .limit(tickMilliseconds: tick)
      default:
        guard word.hasPrefix("limit@"), let tick = Int(word.dropFirst(6)),
          (25...1000).contains(tick)
        else { throw ValidationError("--servers does not know \"\(word)\"") }
        return .limit(tickMilliseconds: tick)
      }
    }
  }

  func settings(_ audience: Audience) -> Trial.Settings {
    Trial.Settings(
      audience: audience, windowSeconds: seconds, withTitles: icy, bitrate: bitrate,
      segmentBytes: mss, warmUpSeconds: warmUp, upstreamBurstSeconds: upstreamBurst)
  }

  /// Returns the heading of a table.
  func title(_ what: String) -> String {
    let icy = icy ? "with ICY titles" : "without titles"
    let segment = mss > 0 ? "MSS \(mss)" : "loopback's MSS"
    return "\(what), \(bitrate) kbit/s \(icy), \(segment), \(Int(seconds)) s"
  }

  /// - Throws: An error when no server could hold that many listeners, or when a generator lacks the addresses.
  static func check(listeners: Int) throws {
    guard (1...60_000).contains(listeners) else {
      throw ValidationError("--listeners takes 1 to 60000")
    }
  }
}
