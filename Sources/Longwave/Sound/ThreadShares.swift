import Wire

/// What each station has used of the threads that decode, as start-time fair queueing counts it: who rested counts as if
/// it had used as much as who had the last turn, so that nobody saves turns up.
struct ThreadShares {
  /// Nanoseconds.
  private var used: [String: Int64] = [:]
  /// What the station had used that had the last turn.
  private var floor: Int64 = 0

  func used(by station: String) -> Int64 { max(floor, used[station] ?? 0) }

  mutating func begins(_ station: String) { floor = used(by: station) }

  mutating func add(_ nanoseconds: Int64, to station: String) {
    used[station] = used(by: station).saturatingAdd(max(0, nanoseconds))
  }

  mutating func forgetRested() { used = used.filter { $0.value > floor } }
}
