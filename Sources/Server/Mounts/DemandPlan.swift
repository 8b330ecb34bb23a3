import Timeshift

/// Reasons to run, and when to look at them again. Time comes in as an argument.
struct DemandPlan {
  private(set) var reasons: [Demand.Reason: Int] = [:]
  /// Time of the next look; nil for none.
  private(set) var due: MonotonicTime?
  /// Time until which it runs, even without a reason.
  private var keptUntil: MonotonicTime?

  var isWanted: Bool { !reasons.isEmpty }

  mutating func set(_ reason: Demand.Reason, _ count: Int) {
    reasons[reason] = count > 0 ? count : nil
  }

  /// Lets it run on for so many seconds; then it is looked at.
  ///
  /// - Parameters:
  ///   - keeps: whether it runs for so long even without a reason.
  ///   - isSooner: whether it may be looked at before the time set until now.
  mutating func runOn(
    _ seconds: Double, keeps: Bool, isSooner: Bool = true, at now: MonotonicTime
  ) {
    var due = now.adding(seconds)
    if keeps { keptUntil = max(keptUntil ?? due, due) }
    if !isSooner, let before = self.due { due = max(due, before) }
    self.due = max(due, keptUntil ?? due)
  }

  /// Looks whether it is still wanted. A look that was due leaves no time to look again, whatever is found.
  mutating func look(at now: MonotonicTime) -> Demand.Look {
    guard let due, due <= now else { return .early }
    forget()
    return isWanted ? .wanted : .over
  }

  /// Forgets when to look.
  mutating func forget() { (due, keptUntil) = (nil, nil) }
}
