import Reactor
import Server
import Threads
import Timeshift

/// A copy of the relay's own figures.
public struct RelayFigures: Sendable {
  /// Longwave's version, such as 1.0.0.
  public var version: String
  /// When the relay was started.
  public var startedAt: WallTime
  /// Seconds since the start.
  public var uptime: Double
  /// Number of stations.
  public var stations = 0
  /// Highest number of listeners at once since the start.
  public var listenersPeak = 0
  /// The sum of the stations' totals, which outlive restarts.
  public var listenersTotal = 0
  /// Places of listeners in time, sampled every ten seconds since the start.
  public var places = PlaceHistograms()
  /// Seconds for which listeners that have left had listened.
  public var sessions = Histogram(bounds: Self.sessionBounds)
  /// Lines that the access and playlist logs have lost.
  public var logLinesLost: UInt64 = 0
  /// Wrong passwords over the network, of administrators, sources and listeners.
  public var wrongPasswords: UInt64 = 0
  /// Why the relay runs without some of the stored stations, and without which; nil when it has all.
  public var leftOut: String?
  /// Why the database on the disk lacks rows, which are in memory; nil when it has all.
  public var databaseFailure: String?
  /// The server's figures: connections, bytes, writes.
  public var server: ServerFigures
  /// Memory, CPU and open files of the process.
  public var process: ProcessFigures
  /// The relay's own threads; the process has others, such as those that run Swift tasks.
  public var threads = ThreadFigures()
  /// Web services that are told of events.
  public var webhooks: [WebhookState] = []
  /// The certificates that new connections get; empty without encryption.
  public var certificates: [TLSCertificate] = []

  /// Bounds in seconds, for a click too many, a song, a show, a day.
  static let sessionBounds: [Double] = [
    5, 30, 60, 300, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400,
  ]
}

extension RelayFigures: ShapedObject {
  package static let shape: [Shape<Self>] =
    [
      Shape("version", \.version), Shape("startedAt", \.startedAt), Shape("uptime", \.uptime),
      Shape("stations", \.stations), Shape("leftOut", \.leftOut),
      Shape(
        "database",
        [
          Shape("storage", Schema.words(["healthy", "failed"])) {
            $0.databaseFailure == nil ? "healthy" : "failed"
          },
          Shape("reason", \.databaseFailure),
        ]),
      Shape(
        "listeners",
        [
          Shape("now", \.server.listeners), Shape("peak", \.listenersPeak),
          Shape("total", \.listenersTotal), Shape("max", \.server.listenersMax),
          Shape("stalled", \.server.blocked), Shape("hls", \.server.hlsListeners),
        ]),
      Shape(
        "connections",
        [
          Shape("now", \.server.connections), Shape("accepted", \.server.accepted),
          Shape("refused", \.server.refused), Shape("max", \.server.connectionsMax),
        ]),
      Shape(
        "watchers", [Shape("now", \.server.watchers), Shape("max", \.server.watchersMax)]),
      Shape(
        "clips",
        [
          Shape("now", \.server.clips), Shape("total", \.server.clipsTotal),
          Shape("bytes", \.server.clipBytes),
        ]),
      Shape("files", [Shape("open", \.server.filesOpen), Shape("max", \.server.filesOpenMax)]),
      Shape("promptSlotsFull", \.server.promptSlotsFull),
      Shape("bytesSent", \.server.bytesSent), Shape("writes", \.server.writes),
      Shape("wouldBlocks", \.server.wouldBlocks), Shape("skips", \.server.skips),
      Shape("overruns", \.server.overruns), Shape("loops", \.server.loops),
      Shape("certificates", \.certificates), Shape("process", \.process),
    ] + ThreadFigures.shape.map { $0.of(\.threads) }
}

extension ProcessFigures: ShapedObject {
  package static let shape: [Shape<Self>] = [
    Shape("memory", \.memory), Shape("cpuSeconds", \.cpuSeconds),
    Shape("openFiles", \.openFiles), Shape("openFilesMax", \.openFilesMax),
    Shape("threads", \.threads),
  ]
}
