/// Notices that a loop was not there for a while: the process was stopped and goes on, the machine was frozen, or a turn
/// took seconds.
///
/// What others did meanwhile waits in the kernel. Nobody's patience may be over before it was looked at. A loop that was
/// away and did not work meanwhile, by its thread's own clock, was kept away by others: however often that happens.
struct Standstill {
  /// Nanoseconds; what is shorter nobody's patience is.
  static let least: Int64 = 1_000_000_000
  /// For its own work a loop is not given time again so soon: who keeps it busy without end does not get any.
  static let rest: Int64 = 30_000_000_000
  /// So often the time worked is asked for at most, which is a system call: so much of `least` may be missed.
  private static let look: Int64 = 250_000_000

  private var toldAt: Int64?
  private var lookedAt: Int64?
  /// Nanoseconds, when it was last asked for.
  private var worked: Int64 = 0

  /// How long nobody was there when a turn begins at `now`, in nanoseconds; 0: it is no standstill.
  ///
  /// - Parameters:
  ///   - turn: when the turn before began.
  ///   - due: when this one was to begin at the latest; nil: whenever something comes.
  ///   - work: how long the loop's thread has worked in all, nanoseconds.
  mutating func missed(
    since turn: Int64, due: Int64?, at now: Int64, work: () -> Int64
  ) -> Int64 {
    let own = workSinceLook(at: now, work)
    guard let due else { return 0 }
    let missed = now - max(turn, due)  // bounded: times since the machine was started
    let kept = missed - own  // bounded: as well
    if kept >= Self.least { return kept }
    guard missed >= Self.least, toldAt.map({ now - $0 >= Self.rest }) ?? true else { return 0 }
    toldAt = now
    return missed
  }

  private mutating func workSinceLook(at now: Int64, _ work: () -> Int64) -> Int64 {
    guard lookedAt.map({ now - $0 >= Self.look }) ?? true else { return 0 }
    let before = worked
    (worked, lookedAt) = (work(), now)
    return worked - before  // bounded: what a thread has worked
  }
}
