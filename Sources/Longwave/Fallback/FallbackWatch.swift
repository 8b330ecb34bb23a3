import Ingest
import Server
import Timeshift
import Wire

/// The progress of one log, from looks at it now and then.
struct LogProgress: Sendable {
  let log: PacketLog
  private(set) var edge: UInt64
  /// When new audio was seen; the time of the first look, as long as the log has stood still since then.
  private(set) var movedAt: MonotonicTime
  /// Whether any new audio was seen.
  private(set) var hasMoved = false

  init(_ log: PacketLog, at now: MonotonicTime) {
    self.log = log
    edge = log.edgePosition
    movedAt = now
  }

  /// Looks at the log. True when there is new audio.
  mutating func look(at now: MonotonicTime) -> Bool {
    let edge = log.edgePosition
    if edge == self.edge { return false }
    self.edge = edge
    movedAt = now
    hasMoved = true
    return true
  }

  /// Restarts the time without audio, while no audio is expected.
  mutating func rest(at now: MonotonicTime) { movedAt = now }

  func seconds(at now: MonotonicTime) -> Double { now.seconds(since: movedAt) }
}

/// A station whose listeners hear its fallback.
struct RunningFallback: Sendable {
  var setting: FallbackSetting
  var since: MonotonicTime
  var served: Fallback
  /// Nil when another station's log is the fallback.
  var feed: FallbackFeed?
  /// Whether it is shown and was told of: any listener hears it, or would by now.
  var isTold = false
}

/// State that the relay keeps for fallbacks.
struct FallbackWatch: Sendable {
  var progress: [String: LogProgress] = [:]
  var running: [String: RunningFallback] = [:]
  /// Positions of the first sound behind the last silence with a fallback, by station.
  var soundFrom: [String: UInt64] = [:]
  var goodbyes: [String: Goodbye] = [:]
  /// Why a fallback was refused, by station; reported once in an outage.
  var refused: [String: String] = [:]
  /// When a station on demand was last woken as a fallback.
  var asked: [String: MonotonicTime] = [:]

  /// Looks at a station's log. True when there is new audio.
  mutating func look(_ id: String, _ log: PacketLog, at now: MonotonicTime) -> Bool {
    guard var known = progress[id], known.log === log else {
      progress[id] = LogProgress(log, at: now)
      return false
    }
    defer { progress[id] = known }
    return known.look(at: now)
  }

  mutating func forget(_ id: String) {
    progress[id] = nil
    refused[id] = nil
    goodbyes[id] = nil
    soundFrom[id] = nil
  }

  /// Forgets all stations but these.
  mutating func forget(all others: Set<String>) {
    progress = progress.filter { others.contains($0.key) }
    refused = refused.filter { others.contains($0.key) }
    goodbyes = goodbyes.filter { others.contains($0.key) }
    asked = asked.filter { others.contains($0.key) }
    soundFrom = soundFrom.filter { others.contains($0.key) }
  }
}
