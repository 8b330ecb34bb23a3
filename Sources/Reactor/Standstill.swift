/// Notices that a loop was away: the process was stopped and continued, the machine was frozen, or a turn took seconds.
///
/// Events of that time wait in the kernel, and no deadline may pass before they are read. A loop that was away but did
/// not work, by its thread's own clock, was kept away by other programs; such a time is always forgiven.
struct Standstill {
  /// The shortest standstill in nanoseconds; no deadline is shorter.
  static let least: Int64 = 1_000_000_000
  /// The time in nanoseconds between two pardons for the loop's own work: a client that keeps the loop busy gains no
  /// more.
  static let rest: Int64 = 30_000_000_000
  /// The nanoseconds between two readings of the working time, since each is a system call. Up to this much of `least`
  /// may be missed.
  private static let look: Int64 = 250_000_000

  private var toldAt: Int64?
  private var lookedAt: Int64?
  /// The working time at the last reading, in nanoseconds.
  private var worked: Int64 = 0

  /// Returns how long the loop was away when a turn begins at `now`, in nanoseconds; 0 if that is no standstill.
  ///
  /// - Parameters:
  ///   - turn: When the previous turn began.
  ///   - due: The latest time planned for the begin of this turn; nil without a deadline.
  ///   - work: Reads the total working time of the loop's thread, in nanoseconds.
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
