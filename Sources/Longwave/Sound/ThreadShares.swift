import Wire

/// Each station's use of the decoding threads, counted by start-time fair queueing. A station that rested counts as
/// having used as much as the last one served, so that no station saves up turns.
struct ThreadShares {
  /// Nanoseconds.
  private var used: [String: Int64] = [:]
  /// The use of the station that had the last turn.
  private var floor: Int64 = 0

  func used(by station: String) -> Int64 { max(floor, used[station] ?? 0) }

  mutating func begins(_ station: String) { floor = used(by: station) }

  mutating func add(_ nanoseconds: Int64, to station: String) {
    used[station] = used(by: station).saturatingAdd(max(0, nanoseconds))
  }

  mutating func forgetRested() { used = used.filter { $0.value > floor } }
}
