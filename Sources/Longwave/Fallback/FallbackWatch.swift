import Ingest
import Server
import Timeshift
import Wire

/// What is known of one log's progress, from looking at it now and then.
struct LogProgress: Sendable {
  let log: PacketLog
  private(set) var edge: UInt64
  /// When something new was seen; of one that has stood still since the first look: then.
  private(set) var movedAt: MonotonicTime
  /// Whether anything new was seen at all.
  private(set) var hasMoved = false

  init(_ log: PacketLog, at now: MonotonicTime) {
    self.log = log
    edge = log.edgePosition
    movedAt = now
  }

  /// True: something is new.
  mutating func look(at now: MonotonicTime) -> Bool {
    let edge = log.edgePosition
    if edge == self.edge { return false }
    self.edge = edge
    movedAt = now
    hasMoved = true
    return true
  }

  /// Nothing is expected now: the time begins anew.
  mutating func rest(at now: MonotonicTime) { movedAt = now }

  func seconds(at now: MonotonicTime) -> Double { now.seconds(since: movedAt) }
}

/// A station whose listeners get its fallback.
struct RunningFallback: Sendable {
  var setting: FallbackSetting
  var since: MonotonicTime
  var served: Fallback
  /// nil: another station's log.
  var feed: FallbackFeed?
}

/// How it goes with looking into a file that a station is to fall back to.
struct FallbackLook: Sendable {
  var path: String
  var beganAt: MonotonicTime
  /// nil: it has not come yet.
  var result: Result<AudioFormat, FallbackFile.Failure>?
  /// When it came.
  var endedAt: MonotonicTime?

  /// Seconds: the file may be another one by then.
  private static let life = 1.0

  func isOver(at now: MonotonicTime) -> Bool {
    endedAt.map { now.seconds(since: $0) > Self.life } ?? false
  }
}

/// What the relay remembers of fallbacks.
struct FallbackWatch: Sendable {
  var progress: [String: LogProgress] = [:]
  var running: [String: RunningFallback] = [:]
  /// Why one was not taken, told once in an outage.
  var refused: [String: String] = [:]
  /// By station; one that hangs stays until it is over.
  var looks: [String: FallbackLook] = [:]
  /// When a station on demand was asked for last.
  var asked: [String: MonotonicTime] = [:]

  /// How often logs are looked at: a fallback is late by as much.
  static let lookSeconds = 0.25
  /// How often a station on demand is asked for while it is used: less than the shortest `run-on` that makes sense.
  static let askSeconds = 5.0

  mutating func look(_ id: String, _ log: PacketLog, at now: MonotonicTime) -> Bool {
    if progress[id]?.log !== log {
      progress[id] = LogProgress(log, at: now)
      return false
    }
    return progress[id]!.look(at: now)
  }

  mutating func forget(_ id: String) {
    progress[id] = nil
    refused[id] = nil
    looks[id] = nil
  }

  /// Forgets all other stations.
  mutating func forget(all others: Set<String>) {
    progress = progress.filter { others.contains($0.key) }
    refused = refused.filter { others.contains($0.key) }
    looks = looks.filter { others.contains($0.key) }
    asked = asked.filter { others.contains($0.key) }
  }
}
