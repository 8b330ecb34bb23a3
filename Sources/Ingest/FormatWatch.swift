import Timeshift
import Wire

/// Notices an upstream that changes its format all the time. Each change is a mark in the log and a segment of its own.
///
/// At most 20 changes in 10 s are admitted, and 12 a minute for long: a jingle of another format every ten seconds
/// passes, a rate that flips every second does not. A chain's links are no changes where one decoder can play them.
struct FormatWatch {
  /// Changes that may come at once.
  private static let atOnce = 18.0
  /// One more every so many seconds.
  private static let interval = 5.0

  static let reason = "the audio changes its format all the time"

  private var format: AudioFormat?
  private var headers: OggHeaders?
  private var left = atOnce
  private var countedAt: MonotonicTime?
  /// A change was one too many.
  private(set) var isExceeded = false

  /// The next packet is of this format. False: it is one too many.
  mutating func admits(
    _ format: AudioFormat, _ headers: OggHeaders?, at now: MonotonicTime
  ) -> Bool {
    if isExceeded { return false }
    if format == self.format, isGoingOn(with: headers) { return true }
    if self.format != nil { count(at: now) }
    if isExceeded { return false }
    (self.format, self.headers) = (format, headers)
    return true
  }

  private func isGoingOn(with next: OggHeaders?) -> Bool {
    guard let next else { return headers == nil }
    return headers?.continues(with: next) == true
  }

  private mutating func count(at now: MonotonicTime) {
    let passed = countedAt.map { now.seconds(since: $0) } ?? 0
    countedAt = now
    left = min(Self.atOnce, left + passed / Self.interval) - 1
    isExceeded = left < 0
  }

  /// Another connection is made. After one change too many it has one more: its format may be another one.
  mutating func begin() {
    if isExceeded { left = 1 }
    isExceeded = false
  }
}
