import Wire

/// How much of a programme's audio of the last day is byte for byte that of its files, by the hour.
struct PassedAudio: Codable, Hashable, Sendable {
  private struct Hour: Codable, Hashable {
    /// Since 1970.
    var hour: Int64
    /// Seconds of files' own packets, and of all.
    var own: Double
    var all: Double
  }

  private static let hourMilliseconds: Int64 = 3_600_000
  /// This hour and those before it that are looked at.
  private static let hoursMax: Int64 = 24
  /// An hour whose clock was put back may have more than one of audio; what a disk says is held to this.
  private static let secondsMax = 86_400.0

  /// The newest last.
  private var hours: [Hour] = []

  /// Counts audio that was fed at a moment, in milliseconds since 1970.
  mutating func add(own: Double, of all: Double, at moment: Int64) {
    let hour = moment / Self.hourMilliseconds
    hours.removeAll { !Self.isOfLastDay($0.hour, at: hour) }
    if hours.last?.hour != hour { hours.append(Hour(hour: hour, own: 0, all: 0)) }
    hours[hours.count - 1].own += own
    hours[hours.count - 1].all += all
  }

  /// The part from 0 to 1; nil where nothing was played.
  func share(at moment: Int64) -> Double? {
    let hour = moment / Self.hourMilliseconds
    let day = hours.suffix(Int(Self.hoursMax)).filter { Self.isOfLastDay($0.hour, at: hour) }
    let all = day.reduce(0) { $0 + max(0, min(Self.secondsMax, $1.all)) }
    let own = day.reduce(0) { $0 + max(0, min(Self.secondsMax, $1.own)) }
    return all > 0 ? min(1, own / all) : nil
  }

  private static func isOfLastDay(_ hour: Int64, at now: Int64) -> Bool {
    hour <= now && hour > now.saturatingSubtract(hoursMax)
  }
}
