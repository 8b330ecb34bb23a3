/// Plan of how often listeners are written to. The number of writes decides what a listener costs, so the tick grows
/// with the listeners. It is cut into phases, one a slot, so that an accept never waits behind a whole walk.
struct TickPlan {
  /// The beat of a loop: one phase of its listeners is served in each slot.
  static let slotNanoseconds: Int64 = 25_000_000
  /// Slots in the longest tick, 400 ms: at `listenersSlow` and more.
  static let phasesMax = 16
  /// Up to this number, every listener is served in every slot.
  static let listenersFast = 1_000
  static let listenersSlow = 5_000
  /// Placed listeners need no latency: two writes a second, or one in `placedTicks` ticks where that is less often. At
  /// most 1.2 s lie between two writes, a third of the default burst.
  static let placedNanoseconds: Int64 = 500_000_000
  static let placedTicks: Int64 = 3

  /// Turns of a listener in one walk, of 64 KiB each: 5 Mbit/s where ticks are longest, so that lossless stations keep up.
  static let turnsMax = 4

  /// Returns the slots in a tick, for so many listeners in the process.
  static func phases(listeners: Int) -> Int {
    if listeners <= listenersFast { return 1 }
    let share = Double(listeners - listenersFast) / Double(listenersSlow - listenersFast)
    return min(phasesMax, 1 + Int((share * Double(phasesMax - 1)).rounded()))
  }

  /// Returns the part of `count` listeners whose turn is in `slot`.
  static func range(slot: Int, phases: Int, count: Int) -> Range<Int> {
    let phase = slot % phases
    return (count * phase / phases)..<(count * (phase + 1) / phases)
  }

  /// Returns when a placed listener that got all it was owed at `now` is due again: before the walk nearest to its
  /// time.
  static func due(after now: Int64, phases: Int) -> Int64 {
    let tick = Int64(phases) * slotNanoseconds
    return now + max(placedNanoseconds, placedTicks * tick) - tick / 2
  }
}
