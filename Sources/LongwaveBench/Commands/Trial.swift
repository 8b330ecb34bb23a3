import Foundation
import Reactor

/// One server, measured: a fresh upstream, the server, its listeners, and the difference of the
/// kernel's counters over the window.
struct Trial {
  struct Settings: Codable, Sendable {
    var audience = Audience()
    var windowSeconds = 30.0
    var withTitles = false
    /// Listeners come over TLS.
    var isEncrypted = false
    /// kbit/s.
    var bitrate = 128
    /// The listeners' TCP_MAXSEG; 0: loopback's own.
    var segmentBytes: Int32 = 1448
    /// Between the server's first audio and its first listener.
    var warmUpSeconds = 3.0
    /// Between the last listener's first byte and the window.
    var restSeconds = 3.0
    /// Past that the upstream sends at once. 33 s are 512 KiB at 128 kbit/s: what a relay keeps in
    /// memory is then there before the idle reading, and is not taken for its listeners'.
    var upstreamBurstSeconds = 33.0
    /// Past that longwave finds on its disk when it starts; nil: none, and the window as it comes.
    var pastSeconds: Double?
    /// How often in the window the server's memory is looked at.
    var samples = 1
    /// Listeners that leave, and others who come, each second of the window.
    var churn = 0.0
    /// So long nobody reaches the upstream, from a sixth of the window on; nil: it stays.
    var outageSeconds: Double?
    /// How long a listener is waited for that has no first byte.
    var patienceSeconds = 20.0
  }

  /// A load process follows no more than this: it has one core, and 20,000 descriptors here.
  private static let listenersPerLoadMax = 15_000
  private static let serverCore = 0
  private static let loadCore = 1

  let settings: Settings
  /// Told what is going on, one line at a time.
  let report: (String) -> Void

  func run(_ server: ServerUnderTest) throws -> Measurement {
    let directory = try Leftovers.makeDirectory()
    defer { Leftovers.remove(directory: directory) }
    let upstream = try startUpstream()
    defer { upstream.child.stop(patience: 0) }
    if let past = settings.pastSeconds {
      report("\(Int(past)) s of past are written")
      try PastWriter.write(
        seconds: past, bitrate: settings.bitrate, to: directory + "/data/stations/bench")
    }
    let stations = settings.audience.stations
    let identity = settings.isEncrypted ? try ServerIdentity.make(in: directory) : nil
    let begun = monotonicNow()
    let running = try server.start(
      ServerUnderTest.Site(
        upstreamPort: upstream.port, stations: stations, withTitles: settings.withTitles,
        // The trial's own length must not push out what is heard.
        windowSeconds: settings.pastSeconds.map { $0 + 3600 }, identity: identity,
        directory: directory))
    defer { running.child.stop() }
    for station in [0, stations - 1] {
      try running.waitUntilServing(path: server.paths.path(station: station, of: stations))
    }
    let startSeconds = Double(monotonicNow() - begun) / 1e9
    // Before the idle reading: memory that the server shares with them counts by halves (Pss).
    let loads = try startLoads(port: running.port, paths: server.paths)
    defer { for load in loads { load.stop(patience: 0) } }
    pause(settings.warmUpSeconds)
    let idle = ProcessFigures.pssKiB(of: running.child.id)

    report("\(settings.audience.listeners) listeners connect")
    let unconnected = ProcessFigures.cpuTime(of: running.child.id)
    for load in loads { load.say("connect") }
    let patience = settings.audience.rampSeconds + settings.patienceSeconds + 30
    for load in loads { _ = try load.line(within: patience, of: "the load") }
    let connected = ProcessFigures.cpuTime(of: running.child.id)
    pause(settings.restSeconds)

    report("window of \(Int(settings.windowSeconds)) s")
    let cast = Cast(
      server: running.child.id, loads: loads.map(\.id), upstream: upstream.child.id)
    let before = Usage(of: cast)
    for load in loads { load.say("begin") }
    let upstreamBack = try settings.outageSeconds.map { seconds in
      pause(settings.windowSeconds / 6)
      report("the upstream is away for \(Int(seconds)) s")
      upstream.child.say("away \(seconds)")
      let line = try upstream.child.line(within: seconds + 5, of: "the upstream")
      return Int64(line) ?? 0
    }
    var samples: [Sample] = []
    let end = before.seconds + settings.windowSeconds
    while samples.count < settings.samples - 1 {
      let next =
        before.seconds + settings.windowSeconds * Double(samples.count + 1)
        / Double(settings.samples)
      pause(max(0, next - Double(monotonicNow()) / 1e9))
      samples.append(Sample(of: running.child.id, since: before.seconds))
      report("\(samples.last!)")
    }
    pause(max(0, end - Double(monotonicNow()) / 1e9))
    let loaded = ProcessFigures.pssKiB(of: running.child.id)
    let socketMemory = MachineFigures.socketMemoryKiB()
    let after = Usage(of: cast)
    for load in loads { load.say("end") }
    var load = LoadFigures()
    for child in loads { load.add(try figures(of: child)) }
    guard running.child.isRunning else { throw BenchError("the server has ended") }
    samples.append(Sample(of: running.child.id, since: before.seconds))
    return Measurement(
      load: load, upstreamBack: upstreamBack, startSeconds: startSeconds,
      connecting: connected - unconnected, usage: after - before, pssIdleKiB: idle,
      pssLoadedKiB: loaded, socketMemoryKiB: socketMemory, samples: samples,
      // After all that is timed: whoever is traced is slow.
      systemCallsPerSecond: SystemCalls.perSecond(
        of: running.child.id, log: directory + "/strace.log"))
  }

  private func startUpstream() throws -> (child: ChildProcess, port: UInt16) {
    let child = try ChildProcess(
      Executables.pin(to: Self.loadCore) + [
        Executables.own, "part-upstream", "--bitrate", "\(settings.bitrate)",
        "--burst", "\(settings.upstreamBurstSeconds)",
      ])
    let answer = try child.line(within: 10, of: "the upstream")
    guard let port = UInt16(answer) else { throw BenchError("the upstream said \"\(answer)\"") }
    return (child, port)
  }

  private func startLoads(
    port: UInt16, paths: ServerUnderTest.Paths
  ) throws -> [ChildProcess] {
    let audience = settings.audience
    let count = (audience.listeners + Self.listenersPerLoadMax - 1) / Self.listenersPerLoadMax
    return try (0..<count).map { part in
      let plan = LoadGenerator.Plan(
        port: port, paths: paths, audience: audience.share(part, of: count), part: part,
        segmentBytes: settings.segmentBytes, withTitles: settings.withTitles,
        isEncrypted: settings.isEncrypted,
        churn: settings.churn, patienceSeconds: settings.patienceSeconds)
      let json = String(decoding: try JSONEncoder().encode(plan), as: UTF8.self)
      return try ChildProcess(
        Executables.pin(to: Self.loadCore) + [Executables.own, "part-load", "--plan", json])
    }
  }

  private func figures(of load: ChildProcess) throws -> LoadFigures {
    let line = try load.line(within: 30, of: "the load")
    return try JSONDecoder().decode(LoadFigures.self, from: Data(line.utf8))
  }

  private func pause(_ seconds: Double) {
    Thread.sleep(forTimeInterval: seconds)
  }
}
