/// A dry run: what would be on air in some time. Nothing is changed by it.
public struct Rehearsal: Sendable {
  public private(set) var items: [Planned] = []
  /// Whether there are more items than are listed.
  public private(set) var isTruncated = false
  /// The number of all items.
  public private(set) var count = 0
  public private(set) var missed: [Step.Missed] = []
  public private(set) var relaxed: [Relaxed: Int] = [:]
  /// Milliseconds without anything to play.
  public private(set) var silent: Int64 = 0

  public static let itemsMax = 5000
  /// The most items that are worked out: six times a year of songs.
  static let stepsMax = 1_000_000
  /// A year and a day, in seconds.
  public static let secondsMax: Int64 = 366 * 86_400
  /// Of more missed inserts, the last are listed.
  public static let missedMax = 1000

  /// - Parameters:
  ///   - from: Milliseconds since 1970.
  ///   - seconds: Up to `secondsMax`.
  public init(_ plan: Plan, from: Int64, seconds: Int64, itemsMax: Int = Rehearsal.itemsMax) {
    var plan = plan
    var now = ProgrammeState.moment(from)
    let end = now + max(0, min(Self.secondsMax, seconds)) * 1000
    while now < end {
      if count >= Self.stepsMax {
        isTruncated = true
        break
      }
      let step = plan.next(at: now)
      missed += step.missed
      if missed.count > 2 * Self.missedMax { missed.removeFirst(missed.count - Self.missedMax) }
      guard let planned = step.planned else {
        // A minute is the grain of all that the clock brings.
        let next = min(end, (now / 60_000 + 1) * 60_000)
        silent += next - now
        now = next
        continue
      }
      count += 1
      for rule in planned.relaxed { relaxed[rule, default: 0] += 1 }
      if items.count < itemsMax { items.append(planned) } else { isTruncated = true }
      // Another station plays as long as nothing cuts it.
      now = max(now + 1, planned.end ?? end)
    }
    missed = Array(missed.suffix(Self.missedMax))
  }
}
