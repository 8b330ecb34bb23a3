import ArgumentParser
import Foundation
import Reactor
import TestSupport

/// Measures segments beside nginx, listeners of HLS beside listeners of the stream, lists that many wait for, players
/// behind caches, and stations that nobody asks by HLS.
struct HLSCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hls",
    abstract: "Segments, listeners, reloads, caches, and what HLS costs who does not ask.",
    discussion: """
      The window is written before longwave starts. Segments: connections that ask for one after the other, as fast as \
      they are answered; nginx sends the same bytes from files, with sendfile. Listeners: players without a cache, which \
      wait for each segment and load it, beside as many of the stream. Lists: of a station with segments of 2 s, half of \
      the reloads wait. Caches: players through nginx, then through Varnish, as the manual configures them, with half \
      an hour of past; half of them wait for lists. Idle: a relay with HLS beside one without, on one core. \
      Exit status 1: a player saw an error, or a station did not play.
      """)

  @Option(help: "Hours of past.")
  var hours = 24.0
  @Option(help: "Connections that load segments.")
  var connections = 64
  @Option(help: "Players: without a cache, with as many of the stream beside them, and behind one.")
  var players = 2000
  @Option(help: "Players that wait for lists. As many reloads again are answered at once.")
  var waiting = 10_000
  @Option(help: "Length of each measured window, in seconds.")
  var seconds = 12.0
  @Option(help: "kbit/s of the upstream: a layer III bitrate.")
  var bitrate = 128
  @Option(help: "The seed of what is asked for.")
  var seed: UInt64 = 1
  @Option(help: "Stations of which nobody asks for HLS.")
  var stations = 300
  @Option(
    help: "Pairs of relays with those stations, with HLS and without, one pair after the other.")
  var pairs = 4
  @Option(help: "Measure these, by commas: segments, listeners, lists, caches, idle.")
  var only = "segments,listeners,lists"
  @Option(name: .customLong("longwave"), help: "The longwave binary. Default: beside this one.")
  var longwavePath: String?
  @ArgumentParser.Flag(help: "One JSON object instead of tables.")
  var json = false

  func validate() throws {
    guard (0.5...168).contains(hours) else { throw ValidationError("--hours takes 0.5 to 168") }
    guard (1...1000).contains(connections) else {
      throw ValidationError("--connections takes 1 to 1000")
    }
    guard (1...15_000).contains(players), (1...15_000).contains(waiting) else {
      throw ValidationError("--players and --waiting take 1 to 15000")
    }
    guard (6...3600).contains(seconds) else { throw ValidationError("--seconds takes 6 to 3600") }
    guard StampedFrames.bitrates.contains(bitrate) else {
      throw ValidationError("--bitrate takes a layer III bitrate")
    }
    guard (1...5000).contains(stations) else { throw ValidationError("--stations takes 1 to 5000") }
    guard (2...100).contains(pairs), pairs % 2 == 0 else {
      throw ValidationError("--pairs takes an even number from 2 to 100")
    }
    guard Set(parts).isSubset(of: Self.parts) else {
      throw ValidationError("--only takes \(Self.parts.joined(separator: ", "))")
    }
  }

  private static let parts = ["segments", "listeners", "lists", "caches", "idle"]
  private var parts: [String] { only.split(separator: ",").map(String.init) }

  var longwave: ServerUnderTest { .longwave(path: Executables.longwave(longwavePath)) }

  func run() throws {
    try Leftovers.clearOnSignals()
    _ = Limits.raiseOpenFiles()
    if let hindrance = longwave.hindrance { throw BenchError(hindrance) }
    let directory = try Leftovers.makeDirectory()
    defer { Leftovers.remove(directory: directory) }
    var report = HLSReport(command: self)
    if parts.contains("segments") || parts.contains("listeners") {
      let site = try HLSSite(self, past: hours * 3600, segment: 6, in: directory)
      defer { site.stop() }
      if parts.contains("segments") { try measureSegments(site, in: directory, &report) }
      if parts.contains("listeners") { try measureListeners(site, &report) }
    }
    if parts.contains("lists") {
      let site = try HLSSite(self, past: hours * 3600, segment: 2, in: directory)
      defer { site.stop() }
      try measureLists(site, &report)
    }
    if parts.contains("caches") { try measureCaches(in: directory, &report) }
    if parts.contains("idle") { try measureIdle(in: directory, &report) }
    print(json ? BenchJSON.text(report) : report.markdown)
    if report.hasErrors { throw ExitCode.failure }
  }

  // MARK: Segments

  /// Segments at the end of the list: three minutes.
  private static let newest = 30
  /// Segments anywhere in the list.
  private static let anywhere = 500

  private func measureSegments(_ site: HLSSite, in folder: String, _ report: inout HLSReport) throws
  {
    let all = try site.segments()
    var random = SplitMix(state: seed)
    let newest = Array(all.suffix(Self.newest))
    let anywhere = Array(all.dropLast(Self.newest).shuffled(using: &random).prefix(Self.anywhere))
    for (name, paths) in [
      ("the newest \(newest.count)", newest), ("\(anywhere.count) anywhere", anywhere),
    ] {
      let files = "\(folder)/files-\(report.segments.count)"
      let wanted = try paths.map { try copy($0, of: site, to: files) }
      let plan = HLSPlan(
        port: site.relay.port, part: 0,
        askers: HLSPlan.Askers(connections: connections, wanted: wanted), seed: seed)
      let ours = try HLSTrial(plan, seconds: seconds) { site.cpu }
      report.segments.append(HLSReport.Segments(name: "longwave, \(name)", ours))
      guard NginxServer.hindrance == nil else { continue }
      let nginx = try NginxServer(files: files, in: folder)
      defer { nginx.stop() }
      var theirs = plan
      theirs.port = nginx.port
      let trial = try HLSTrial(theirs, seconds: seconds) { nginx.cpu }
      report.segments.append(HLSReport.Segments(name: "nginx, the same bytes", trial))
    }
  }

  /// Keeps a segment as a file.
  private func copy(_ path: String, of site: HLSSite, to files: String) throws -> HLSPlan.Wanted {
    let bytes = try site.get(path)
    let url = URL(fileURLWithPath: files + path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
    return HLSPlan.Wanted(path: path, bytes: bytes.count)
  }

  // MARK: Listeners

  private func measureListeners(_ site: HLSSite, _ report: inout HLSReport) throws {
    let plan = HLSPlan(
      port: site.relay.port, part: 1,
      players: HLSPlan.Players(count: players, list: HLSSite.list, loadsSegments: true))
    // Whole segments' lengths, so that each window has as many of them.
    let window = (seconds / 6).rounded(.up) * 6
    let hls = try HLSTrial(plan, seconds: window, rest: 7) { site.cpu }
    report.listeners.append(HLSReport.Listeners(name: "HLS", players: players, hls))
    let settings = Trial.Settings(
      audience: Audience(listeners: players), windowSeconds: window, withTitles: true,
      bitrate: bitrate, segmentBytes: 1448, warmUpSeconds: 3, upstreamBurstSeconds: 33)
    let streams = try Trial(settings: settings, report: { _ in }).run(longwave)
    report.listeners.append(HLSReport.Listeners(name: "the stream", streams.figures, streams.load))
  }

  // MARK: Lists

  private func measureLists(_ site: HLSSite, _ report: inout HLSReport) throws {
    let rate = Double(waiting) / 2
    let reload = HLSPlan.Wanted(path: HLSSite.list + "?_HLS_skip=v2")
    let rows = [
      (
        "answered at once", HLSPlan.Askers(connections: connections, wanted: [reload], rate: rate),
        0
      ),
      ("that wait", nil, waiting),
      (
        "half and half", HLSPlan.Askers(connections: connections, wanted: [reload], rate: rate),
        waiting
      ),
    ]
    for (number, (name, askers, waiting)) in rows.enumerated() {
      let plan = HLSPlan(
        port: site.relay.port, part: 2 + number, askers: askers,
        players: waiting == 0
          ? nil : HLSPlan.Players(count: waiting, list: HLSSite.list, loadsSegments: false),
        seed: seed)
      let window = (seconds / 2).rounded(.up) * 2
      let trial = try HLSTrial(plan, seconds: window, rest: 5) { site.cpu }
      report.lists.append(HLSReport.Lists(name: name, waiting: waiting, trial))
    }
  }
}
