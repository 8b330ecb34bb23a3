import Server
import Timeshift

/// The relay's own figures, copied out.
public struct RelayFigures: Sendable {
  public var version: String
  public var startedAt: WallTime
  public var uptime: Double
  public var stations = 0
  public var listenersPeak = 0
  public var listenersTotal = 0
  /// Where listeners were in time, sampled every ten seconds since the start.
  public var places = PlaceHistograms()
  /// How long those listened who have left, seconds.
  public var sessions = Histogram(bounds: Self.sessionBounds)
  /// Lines that the access and playlist logs were to have and have not.
  public var logLinesLost: UInt64 = 0
  /// Over the network: of administrators, sources and listeners.
  public var wrongPasswords: UInt64 = 0
  /// Why the relay runs without some of what is stored, and which stations; nil: it has all.
  public var leftOut: String?
  public var server: ServerFigures
  public var process: ProcessFigures

  /// A click too many, a song, a show, a day.
  static let sessionBounds: [Double] = [
    5, 30, 60, 300, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400,
  ]

  var json: JSON {
    [
      "version": .string(version), "startedAt": JSON(startedAt), "uptime": .number(uptime),
      "stations": JSON(stations), "leftOut": JSON(leftOut),
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
      "process": [
        "memory": JSON(process.memory), "cpuSeconds": .number(process.cpuSeconds),
        "openFiles": JSON(process.openFiles), "openFilesMax": JSON(process.openFilesMax),
        "threads": JSON(process.threads),
      ],
    ]
  }
}
