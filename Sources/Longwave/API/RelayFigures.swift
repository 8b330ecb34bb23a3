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
  public var server: ServerFigures
  public var process: ProcessFigures

  var json: JSON {
    [
      "version": .string(version), "startedAt": JSON(startedAt), "uptime": .number(uptime),
      "stations": JSON(stations),
      "listeners": [
        "now": JSON(server.listeners), "peak": JSON(listenersPeak), "total": JSON(listenersTotal),
        "max": JSON(server.listenersMax), "stalled": JSON(server.blocked),
      ],
      "connections": [
        "now": JSON(server.connections), "accepted": JSON(server.accepted),
        "refused": JSON(server.refused),
      ],
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
