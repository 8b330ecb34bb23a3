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

  package var json: JSON { .object(figures.members + threads.members) }

  private var figures: JSON {
    [
      "version": .string(version), "startedAt": JSON(startedAt), "uptime": .number(uptime),
      "stations": JSON(stations), "leftOut": JSON(leftOut),
      "database": [
        "storage": .string(databaseFailure == nil ? "healthy" : "failed"),
        "reason": JSON(databaseFailure),
      ],
      "listeners": [
        "now": JSON(server.listeners), "peak": JSON(listenersPeak), "total": JSON(listenersTotal),
        "max": JSON(server.listenersMax), "stalled": JSON(server.blocked),
      ],
      "connections": [
        "now": JSON(server.connections), "accepted": JSON(server.accepted),
        "refused": JSON(server.refused), "max": JSON(server.connectionsMax),
      ],
      "watchers": ["now": JSON(server.watchers), "max": JSON(server.watchersMax)],
      "clips": [
        "now": JSON(server.clips), "total": JSON(server.clipsTotal),
        "bytes": JSON(server.clipBytes),
      ],
      "files": ["open": JSON(server.filesOpen), "max": JSON(server.filesOpenMax)],
      "promptSlotsFull": JSON(server.promptSlotsFull),
      "bytesSent": JSON(server.bytesSent), "writes": JSON(server.writes),
      "wouldBlocks": JSON(server.wouldBlocks), "skips": JSON(server.skips),
      "overruns": JSON(server.overruns), "loops": JSON(server.loops),
      "certificates": .array(certificates.map(\.json)),
      "process": [
        "memory": JSON(process.memory), "cpuSeconds": .number(process.cpuSeconds),
        "openFiles": JSON(process.openFiles), "openFilesMax": JSON(process.openFilesMax),
        "threads": JSON(process.threads),
      ],
    ]
  }
}
