import ArgumentParser
import Foundation
import Reactor

/// What one live station costs with many listeners, beside icecast2 and beside the bare limit.
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
  @Option(help: "Length of the measured window, in seconds.")
  var seconds = 30.0
  @Flag(help: "Listeners ask for ICY titles.")
  var icy = false
  @Option(help: "kbit/s of the upstream: a layer III bitrate.")
  var bitrate = 128
  @Option(help: "Which servers, in this order, by commas: longwave, icecast2, limit, limit@MS.")
  var servers = "longwave,icecast2,limit"
  @Option(help: "The limit's tick: 25 to 1000 ms. Default: adaptive, as longwave's own.")
  var tick: Int?
  @Option(help: "Largest TCP segment listeners announce; 0: loopback's own.")
  var mss: Int32 = 1448
  @Option(help: "Connections begun each second.")
  var ramp = 500.0
  @Option(help: "Seconds between the server's first audio and its first listener.")
  var warmUp = 3.0
  @Option(help: "Seconds of its past that the upstream sends at once.")
  var upstreamBurst = 33.0
  @Option(name: .customLong("longwave"), help: "The longwave binary. Default: beside this one.")
  var longwavePath: String?
  @Flag(help: "One JSON object instead of a table.")
  var json = false

  func validate() throws {
    guard (1...60_000).contains(listeners) else {
      throw ValidationError("--listeners takes 1 to 60000")
    }
    guard (1...3600).contains(seconds) else { throw ValidationError("--seconds takes 1 to 3600") }
    guard StampedFrames.bitrates.contains(bitrate) else {
      let known = StampedFrames.bitrates.map(String.init).joined(separator: ", ")
      throw ValidationError("--bitrate takes one of \(known)")
    }
    guard tick.map({ (25...1000).contains($0) }) ?? true else {
      throw ValidationError("--tick takes 25 to 1000")
    }
    guard mss == 0 || (88...32_767).contains(mss) else {
      throw ValidationError("--mss takes 0, or 88 to 32767")
    }
    guard (1...20_000).contains(ramp), (0...600).contains(warmUp) else {
      throw ValidationError("--ramp takes 1 to 20000, --warm-up 0 to 600")
    }
    guard (1...60).contains(upstreamBurst) else {
      throw ValidationError("--upstream-burst takes 1 to 60")
    }
    _ = try parsedServers()
  }

  func run() throws {
    try Leftovers.clearOnSignals()
    let openFiles = Limits.raiseOpenFiles()
    if listeners > openFiles - 100 {
      say("a server may open \(openFiles) files here: it will not hold \(listeners) listeners")
    }
    let settings = Trial.Settings(
      listeners: listeners, windowSeconds: seconds, withTitles: icy, bitrate: bitrate,
      segmentBytes: mss, ramp: ramp, warmUpSeconds: warmUp, upstreamBurstSeconds: upstreamBurst)
    let trial = Trial(settings: settings, report: say)
    var report = Report(settings: settings)
    var hasFailed = false
    for server in try parsedServers() {
      let row = measure(server, by: trial)
      if case .longwave = server {
        hasFailed = hasFailed || row.figures == nil || !row.errors.isEmpty
      }
      report.rows.append(row)
    }
    print(json ? report.json : report.markdown)
    if hasFailed { throw ExitCode.failure }
  }

  private func measure(_ server: ServerUnderTest, by trial: Trial) -> Report.Row {
    if let hindrance = server.hindrance {
      return Report.Row(server: "\(server)", hindrance: hindrance)
    }
    do {
      let measurement = try trial.run(server)
      return Report.Row(
        server: "\(server)", figures: measurement.figures, errors: measurement.load.errors)
    } catch {
      say("\(server): \(error)")
      return Report.Row(server: "\(server)", hindrance: "failed: \(error)".firstLine)
    }
  }

  private func parsedServers() throws -> [ServerUnderTest] {
    try servers.split(separator: ",").map { word in
      switch word {
      case "longwave":
        let beside = URL(fileURLWithPath: Executables.own).deletingLastPathComponent()
        return .longwave(path: longwavePath ?? beside.appendingPathComponent("longwave").path)
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

  /// Progress and troubles go to standard error: standard output is the report's alone.
  private func say(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }
}

extension String {
  fileprivate var firstLine: String {
    split(separator: "\n").first.map(String.init) ?? self
  }
}
