import Server
import Wire

/// How much of a log was heard later than live, by minute of media time. So the figures follow the audio and not the
/// clock.
///
/// It has at most 1,440 minutes of 24 bytes, and none where nobody goes back.
struct ReplayHistory {
  /// A day. Of a longer window, the newest day counts.
  static let minutesMax: Int64 = 1440
  /// Steps in which a minute is told: fewer listeners than a step change nothing that is told.
  static let steps = 8

  private var minutes: [Int64: ReplaySample.Minute] = [:]

  var isEmpty: Bool { minutes.isEmpty }
  var count: Int { minutes.count }

  /// Adds who listens now, and forgets the minutes that have left the window.
  ///
  /// - Parameter window: numbers of the log's minutes, the newest one last.
  mutating func keep(_ seen: [Int64: ReplaySample.Minute], in window: ClosedRange<Int64>) {
    let first = window.upperBound.saturatingSubtract(Self.minutesMax - 1)
    let kept = max(first, window.lowerBound)...window.upperBound
    if minutes.keys.contains(where: { !kept.contains($0) }) {
      minutes = minutes.filter { kept.contains($0.key) }
    }
    for (minute, listeners) in seen where kept.contains(minute) {
      minutes[minute, default: ReplaySample.Minute()].add(listeners)
    }
  }

  /// Returns how often each minute was heard, from the first to the last told, as a byte each. Minutes that fewer than
  /// three people heard are 0; the others are steps of the busiest minute.
  func levels() -> (first: Int64, bytes: [UInt8]) {
    let told = minutes.filter { $0.value.people.areEnough && $0.value.listeners > 0 }
    guard let first = told.keys.min(), let last = told.keys.max(),
      let most = told.values.map(\.listeners).max()
    else { return (0, []) }
    let bytes = (first...last).map { minute -> UInt8 in
      guard let listeners = told[minute]?.listeners else { return 0 }
      return Self.byte(of: Double(listeners) / Double(most))
    }
    return (first, bytes)
  }

  func told(of station: String) -> StationReplays {
    let levels = levels()
    return StationReplays(station: station, first: levels.first, data: levels.bytes)
  }

  /// - Parameter share: of the busiest minute, above 0 and up to 1.
  private static func byte(of share: Double) -> UInt8 {
    let step = Int(bounded: (share * Double(steps)).rounded(.up), in: 1...steps)
    return UInt8(clamping: step * 255 / steps)
  }
}
