import Foundation
import Reactor
import TestSupport

/// Measures one server with a fresh upstream and listeners. Its CPU figures are differences of the kernel's counters
/// over the window.
struct Trial {
  struct Settings: Codable, Sendable {
    var audience = Audience()
    var windowSeconds = 30.0
    var withTitles = false
    /// Whether listeners connect over TLS.
    var isEncrypted = false
    /// The upstream's bitrate in kbit/s.
    var bitrate = 128
    /// The listeners' TCP_MAXSEG in bytes; 0 for loopback's own.
    var segmentBytes: Int32 = 1448
    /// The seconds between the server's first audio and its first listener.
    var warmUpSeconds = 3.0
    /// The seconds between the last listener's first byte and the window.
    var restSeconds = 3.0
    /// The seconds of its past that the upstream sends at once. 33 s are 512 KiB at 128 kbit/s. So the audio that a
    /// relay keeps in memory is already there at the idle reading, and does not count as memory of listeners.
    var upstreamBurstSeconds = 33.0
    /// The seconds of past on longwave's disk at its start; nil for no past and the default window.
    var pastSeconds: Double?
    /// How often the server's memory is sampled in the window.
    var samples = 1
    /// The listeners that leave and are replaced in each second of the window.
    var churn = 0.0
    /// The number of connections that watch events; `watchedKinds` names the kinds.
    var watchers = 0
    var watchedKinds = ""
    /// Further stations, each with music whose levels and spectrum a watcher is told if `areWatched`.
    var soundStations = 0
    var areWatched = false
    /// Further stations, each a programme of the tracks in a folder.
    var programmes = 0
    var programmeFolder = ""
    /// How many seconds the upstream is away, beginning a sixth into the window; nil when it stays.
    var outageSeconds: Double?
    /// How many seconds a listener without a first byte is waited for.
    var patienceSeconds = 20.0
  }

  /// The most listeners of a load process, which has one core, and 20,000 descriptors here.
  private static let listenersPerLoadMax = 15_000
  private static let serverCore = 0
  private static let loadCore = 1

  let settings: Settings
  /// Called with each step of the trial, as one line.
  let report: (String) -> Void

  func run(_ server: ServerUnderTest) throws -> Measurement {
    let directory = try Leftovers.makeDirectory()
    defer { Leftovers.remove(directory: directory) }
    let upstream = try BenchUpstream(
      bitrate: settings.bitrate, burst: settings.upstreamBurstSeconds)
    defer { upstream.stop() }
    if let past = settings.pastSeconds {
      report("\(Int(past)) s of past are written")
      try PastWriter.write(
        seconds: past, bitrate: settings.bitrate, to: directory + "/data/stations/bench")
    }
    let stations = settings.audience.stations
    let music = settings.soundStations > 0 ? try SoundStations(in: directory) : nil
    let identity = settings.isEncrypted ? try ServerIdentity.make(in: directory) : nil
    let begun = monotonicNow()
    let running = try server.start(
      ServerUnderTest.Site(
        upstreamPort: upstream.port, stations: stations, withTitles: settings.withTitles,
        // The window is longer than the past, so that the trial's own length pushes out no audio that listeners hear.
        windowSeconds: settings.pastSeconds.map { $0 + 3600 }, identity: identity,
        further: furtherStations(music), directory: directory))
    defer { running.child.stop() }
    for station in [0, stations - 1] {
      try running.waitUntilServing(path: server.paths.path(station: station, of: stations))
    }
    let startSeconds = Double(monotonicNow() - begun) / 1e9
    // The loads start before the idle reading: memory that the server shares with them counts by halves (Pss).
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
    let watchers = try EventWatchers(
      settings.watchers, of: "?kinds=\(settings.watchedKinds)", port: running.port)
    defer { withExtendedLifetime(watchers) {} }
    let levels = try soundWatchers(of: music, port: running.port)
    try levels?.start()
    pause(settings.restSeconds)

    report("window of \(Int(settings.windowSeconds)) s")
    let cast = Cast(
      server: running.child.id, loads: loads.map(\.id), upstream: upstream.child.id)
    levels?.count()
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
    let told = levels?.stop()
    let lateness =
      settings.programmes > 0 ? try RelayFigures(port: running.port).lateness() : nil
    for load in loads { load.say("end") }
    var load = LoadFigures()
    for child in loads { load.add(try figures(of: child)) }
    guard running.child.isRunning else { throw BenchError("the server has ended") }
    samples.append(Sample(of: running.child.id, since: before.seconds))
    return Measurement(
      load: load, upstreamBack: upstreamBack, startSeconds: startSeconds,
      connecting: connected - unconnected, usage: after - before,
      told: told, lateness: lateness, pssIdleKiB: idle,
      pssLoadedKiB: loaded, socketMemoryKiB: socketMemory, samples: samples,
      // The calls are counted after all timed measurements, because a traced process is slow.
      systemCallsPerSecond: SystemCalls.perSecond(
        of: running.child.id, log: directory + "/strace.log"))
  }

  /// Returns lines of longwave's configuration.
  private func furtherStations(_ music: SoundStations?) -> [String] {
    let folders = Array(repeating: settings.programmeFolder, count: settings.programmes)
    return (music?.lines(settings.soundStations, .spectrum) ?? [])
      + LibraryBench.stations(folders).map { "  - " + $0 }
  }

  private func soundWatchers(of music: SoundStations?, port: UInt16) throws -> SoundWatchers? {
    guard let music, settings.areWatched, let query = SoundStations.Wish.spectrum.watched else {
      return nil
    }
    return try SoundWatchers(music.ids(settings.soundStations), query, port: port)
  }

  private func startLoads(
    port: UInt16, paths: ServerUnderTest.Paths
  ) throws -> [PipedProcess] {
    let audience = settings.audience
    let count = (audience.listeners + Self.listenersPerLoadMax - 1) / Self.listenersPerLoadMax
    return try (0..<count).map { part in
      let plan = LoadGenerator.Plan(
        port: port, paths: paths, audience: audience.share(part, of: count), part: part,
        segmentBytes: settings.segmentBytes, withTitles: settings.withTitles,
        isEncrypted: settings.isEncrypted,
        churn: settings.churn, patienceSeconds: settings.patienceSeconds)
      let json = String(decoding: try JSONEncoder().encode(plan), as: UTF8.self)
      return try PipedProcess(
        Executables.pin(to: Self.loadCore) + [Executables.own, "part-load", "--plan", json])
    }
  }

  private func figures(of load: PipedProcess) throws -> LoadFigures {
    let line = try load.line(within: 30, of: "the load")
    return try JSONDecoder().decode(LoadFigures.self, from: Data(line.utf8))
  }

  private func pause(_ seconds: Double) {
    Thread.sleep(forTimeInterval: seconds)
  }
}
