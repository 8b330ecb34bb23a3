/// Notices that a loop was not there for a while: the process was stopped and goes on, or a turn took seconds.
///
/// What others did meanwhile waits in the kernel. Nobody's patience may be over before it was looked at.
struct Standstill {
  /// Nanoseconds; what is shorter nobody's patience is.
  static let least: Int64 = 1_000_000_000
  /// Not again so soon: who keeps a loop busy without end does not get time for it.
  static let rest: Int64 = 30_000_000_000

  private var toldAt: Int64?

  /// How long nobody was there when a turn begins at `now`, in nanoseconds; 0: it is no standstill.
  ///
  /// - Parameters:
  ///   - turn: when the turn before began.
  ///   - due: when this one was to begin at the latest; nil: whenever something comes.
  mutating func missed(since turn: Int64, due: Int64?, at now: Int64) -> Int64 {
    guard let due else { return 0 }
    let missed = now - max(turn, due)  // bounded: times since the machine was started
    guard missed >= Self.least, toldAt.map({ now - $0 >= Self.rest }) ?? true else { return 0 }
    toldAt = now
    return missed
  }
}
