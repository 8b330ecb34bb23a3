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
  ///   - start: When the first item begins; what is over before `from` is played, and not told. nil: at `from`.
  ///   - isWanted: Asked now and then; after a no, the rest is left out.
  public init(
    _ plan: Plan, from: Int64, seconds: Int64, itemsMax: Int = Rehearsal.itemsMax,
    since start: Int64? = nil, while isWanted: () -> Bool = { true }
  ) {
    var plan = plan
    let from = ProgrammeState.moment(from)
    var now = ProgrammeState.moment(start ?? from)
    let end = from + max(0, min(Self.secondsMax, seconds)) * 1000
    var steps = 0
    while now < end {
      steps += 1
      if steps > Self.stepsMax || steps % 1000 == 0 && !isWanted() {
        isTruncated = true
        break
      }
      let step = plan.next(at: now)
      if now >= from { missed += step.missed }
      if missed.count > 2 * Self.missedMax { missed.removeFirst(missed.count - Self.missedMax) }
      guard let planned = step.planned else {
        // A minute is the grain of all that the clock brings.
        let next = min(end, (now / 60_000 + 1) * 60_000)
        silent += max(0, next - max(now, from))
        now = next
        continue
      }
      // Another station plays as long as nothing cuts it.
      now = max(now + 1, planned.end ?? end)
      if now <= from { continue }
      count += 1
      for rule in planned.relaxed { relaxed[rule, default: 0] += 1 }
      if items.count < itemsMax { items.append(planned) } else { isTruncated = true }
    }
    missed = Array(missed.suffix(Self.missedMax))
  }
}
