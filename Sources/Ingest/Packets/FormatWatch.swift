import Timeshift
import Wire

/// Notices an upstream that keeps changing its format. Each change is a mark in the log and a segment of its own.
///
/// At most 20 changes in 10 s are admitted, and 12 a minute in the long run. A jingle of another format every ten
/// seconds passes, a rate that flips every second does not. A chain's links are no changes if one decoder can play
/// them. But an upstream that begins 120 of them at once, or two a second in the long run, sends headers and no music.
struct FormatWatch {
  private var format: AudioFormat?
  private var headers: OggHeaders?
  private var changes = Allowance(atOnce: 18, interval: 5)
  private var links = Allowance(atOnce: 120, interval: 0.5)

  /// Whether a change or a link was one too many.
  var isExceeded: Bool { changes.isExceeded || links.isExceeded }

  var reason: String {
    changes.isExceeded
      ? "the audio changes its format all the time"
      : "another Ogg stream begins all the time"
  }

  /// Counts another link of an Ogg stream, of the same format or not.
  mutating func linkBegins(at now: MonotonicTime) {
    if !isExceeded { links.count(at: now) }
  }

  /// Whether the next packet's format is admitted; false for a change too many.
  mutating func admits(
    _ format: AudioFormat, _ headers: OggHeaders?, at now: MonotonicTime
  ) -> Bool {
    if isExceeded { return false }
    if format == self.format, isGoingOn(with: headers) { return true }
    if self.format != nil { changes.count(at: now) }
    if isExceeded { return false }
    (self.format, self.headers) = (format, headers)
    return true
  }

  private func isGoingOn(with next: OggHeaders?) -> Bool {
    guard let next else { return headers == nil }
    return headers?.continues(with: next) == true
  }

  /// Begins another connection. After a change too many, the connection has one more: its format may differ.
  mutating func begin() {
    changes.begin()
    links.begin()
  }

  private struct Allowance {
    /// The most changes that may come at once.
    let atOnce: Double
    /// The seconds after which one more is allowed.
    let interval: Double
    private var left: Double
    private var countedAt: MonotonicTime?
    private(set) var isExceeded = false

    init(atOnce: Double, interval: Double) {
      (self.atOnce, self.interval, left) = (atOnce, interval, atOnce)
    }

    mutating func count(at now: MonotonicTime) {
      let passed = countedAt.map { now.seconds(since: $0) } ?? 0
      countedAt = now
      left = min(atOnce, left + passed / interval) - 1
      isExceeded = left < 0
    }

    mutating func begin() {
      if isExceeded { left = 1 }
      isExceeded = false
    }
  }
}
