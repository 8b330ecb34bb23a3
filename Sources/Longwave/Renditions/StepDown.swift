import Timeshift

/// Decides which listeners go on with a rendition of fewer bits, and when they come back.
///
/// A listener whose line is too slow goes down by one. After a minute the listener is tried one higher. If its line is
/// too slow again soon, the listener goes down again, and the next trial comes after twice the time.
struct StepDown {
  /// A station or rendition, and its kbit/s.
  struct Step: Hashable, Sendable {
    var station: String
    var bitrate: Int
  }

  /// A move that is due.
  struct Move: Hashable, Sendable {
    var listener: UInt64
    var station: String
  }

  private struct Entry {
    /// Stations that the listener has come down from; the first is its own.
    var above: [String]
    var waits: Double
    /// When it came to where it is.
    var since: MonotonicTime
  }

  /// Seconds before the first trial of more bits, and at most.
  private static let waitFirst = 60.0
  private static let waitMost = 3600.0
  /// Seconds on more bits after which the line counts as good again.
  private static let goodSeconds = 600.0
  /// Listeners that are remembered: more go down, and stay there.
  private static let entriesMax = 100_000

  private var entries: [UInt64: Entry] = [:]

  var isIdle: Bool { entries.isEmpty }

  /// Returns where a listener goes whose line is too slow; nil where there is nothing lower.
  ///
  /// - Parameters:
  ///   - station: the station that it hears.
  ///   - steps: that programme's station and renditions that its player can go on with.
  mutating func exhausted(
    _ listener: UInt64, at station: String, _ steps: [Step], now: MonotonicTime
  ) -> Move? {
    let bitrate = steps.first { $0.station == station }?.bitrate ?? .max
    let lower = steps.filter { $0.bitrate < bitrate }.max { $0.bitrate < $1.bitrate }
    guard let lower else { return nil }
    var entry = entries[listener] ?? Entry(above: [], waits: Self.waitFirst / 2, since: now)
    entry.above.append(station)
    entry.waits = min(Self.waitMost, entry.waits * 2)
    entry.since = now
    if entries.count < Self.entriesMax || entries[listener] != nil { entries[listener] = entry }
    return Move(listener: listener, station: lower.station)
  }

  /// Removes and returns the moves to more bits that are due.
  mutating func due(at now: MonotonicTime) -> [Move] {
    var moves: [Move] = []
    for (listener, entry) in entries {
      let seconds = now.seconds(since: entry.since)
      if entry.above.isEmpty {
        if seconds >= Self.goodSeconds { entries[listener] = nil }
      } else if seconds >= entry.waits {
        entries[listener]?.since = now
        entries[listener]?.above.removeLast()
        moves.append(Move(listener: listener, station: entry.above[entry.above.count - 1]))
      }
    }
    return moves
  }

  /// Forgets a listener that has gone, or was moved by somebody else.
  mutating func forget(_ listener: UInt64) { entries[listener] = nil }
}
