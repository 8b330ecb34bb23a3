import Audio
import Ingest
import Threads

@testable import Longwave
@testable import Reactor
@testable import Server
@testable import Timeshift

extension Sample {
  /// A relay of which every figure is known, and each is another number.
  static var metrics: RelayMetrics {
    var count = 1000
    func next<Number: Numeric>() -> Number {
      count += 1
      return Number(exactly: count) ?? 0
    }
    func durations(_ nanoseconds: Int64...) -> DurationCounts {
      var counts = DurationCounts()
      for time in nanoseconds { counts.add(nanoseconds: time) }
      return counts
    }
    func loop(_ name: String) -> LoopFigures {
      var loop = LoopFigures(name: name)
      loop.turns = durations(20_000, 3_000_000, next())
      loop.slotsLate = next()
      return loop
    }
    var metrics = RelayMetrics(figures: figures)
    metrics.time = time.adding(seconds: 90)
    metrics.figures.uptime = 4321.25
    metrics.figures.stations = next()
    metrics.figures.listenersPeak = next()
    metrics.figures.listenersTotal = next()
    metrics.figures.logLinesLost = next()
    metrics.figures.wrongPasswords = next()
    metrics.figures.server.loops = next()
    metrics.figures.server.listeners = next()
    for place in [
      \ServerFigures.listenersMax, \.blocked, \.connections, \.connectionsMax, \.watchers,
      \.watchersMax, \.clips, \.filesOpen, \.filesOpenMax,
    ] { metrics.figures.server[keyPath: place] = next() }
    for place in [
      \ServerFigures.accepted, \.refused, \.bytesSent, \.clipsTotal, \.clipBytes,
      \.promptSlotsFull, \.writes, \.wouldBlocks, \.skips, \.overruns, \.handshakes.full,
      \.handshakes.resumed, \.handshakes.failed, \.handshakes.abandoned,
    ] { metrics.figures.server[keyPath: place] = next() }
    for place in [\ProcessFigures.memory, \.openFiles, \.openFilesMax, \.threads] {
      metrics.figures.process[keyPath: place] = next()
    }
    metrics.figures.process.cpuSeconds = 5.5
    for seconds in [0.1, 7, 100_000] {
      metrics.figures.places.lag.add(seconds)
      metrics.figures.places.offset.add(2 * seconds)
      metrics.figures.sessions.add(3 * seconds)
    }
    metrics.figures.certificates = [
      TLSCertificate(file: "a.pem", validFrom: 1, validUntil: next(), names: ["a.example.org"]),
      TLSCertificate(file: "b.pem", validFrom: 1, validUntil: 7, names: ["a.example.org", "b"]),
      TLSCertificate(file: "c.pem", validFrom: 1, validUntil: next()),
    ]
    metrics.figures.webhooks = [1, 2].map {
      WebhookState(
        number: $0, url: "http://example.org/", kinds: [], stations: [], queued: next(),
        delivered: next(), failed: next(), lost: next())
    }
    metrics.server.loops = [loop("loop.0"), loop("loop.1")]
    metrics.ingest = loop("ingest")
    for (route, status) in [(0, 200), (0, 404), (1, 200), (0, 500)] as [(UInt8, Int)] {
      metrics.server.requests.add(RequestRoute(route), status, after: next())
    }
    for route in [RequestRoute.none, .unknown, .preflight, .challenge] {
      metrics.server.requests.add(route, 400, after: next())
    }
    metrics.server.refusals = RefusalReason.allCases.map { _ in next() }
    metrics.server.firstBytes = durations(5_000_000, 900_000_000)
    metrics.server.sessions = (next(), next())
    metrics.storage.turns = durations(next())
    metrics.storage.writes = durations(next(), 20_000_000_000)
    metrics.storage.syncs = durations(next())
    metrics.storage.loadsPending = next()
    metrics.recordings = [.finished: next()]
    metrics.configuration.isLastSuccessful = false
    metrics.configuration.takenOverAt = time
    let root = MusicRoot(id: "main", path: "/srv/music")
    var looked = LookedFolder(root.path, root)
    looked.scan = LookedFolder.Scan(began: time, seconds: next())
    metrics.library.roots = [LibraryRoot(report: RootReport(root, looked), count: nil)]
    metrics.library.searches = durations(next())
    metrics.counts["jazz"] = {
      var counts = StationCounts()
      (counts.offAirSeconds, counts.lostSeconds) = (next(), next())
      (counts.stitchedSeconds, counts.givenUpSeconds) = (next(), next())
      (counts.gaps[.restart], counts.losses[.tooSlow], counts.titles) = (next(), next(), next())
      return counts
    }()
    metrics.server.loads["jazz"] = {
      var load = StationLoad()
      (load.bytes, load.listeningMilliseconds) = (next(), next())
      return load
    }()
    return metrics
  }

  /// A station of which all is known, one that has none of it, and a rendition.
  static var stations: [StationSnapshot] {
    var jazz = station
    jazz.sound.loudness = Loudness(shortTerm: -23.5)
    jazz.sound.deadAir = DeadAir()
    jazz.sound.loudnessState = .below
    jazz.sound.clipped = 17
    jazz.window.inMemory = 2001
    var programme = ProgrammeGlance(publishNext: 1)
    (programme.ahead, programme.tracks, programme.refused) = (2005, 2006, 2007)
    jazz.programme = programme
    jazz.window.segments = 2002
    jazz.window.holes = 2003
    jazz.window.segmentsDamaged = 2004
    jazz.window.secondsUnwritten = 2.25
    var rendition = StationSnapshot(id: "jazz-64", sid: 3, name: "Jazz", state: .paused)
    rendition.renditionOf = "jazz"
    rendition.window.secondsMax = 60
    return [
      jazz, StationSnapshot(id: "a\"b\\c\nd", sid: 2, name: "b", state: .failed), rendition,
    ]
  }
}
