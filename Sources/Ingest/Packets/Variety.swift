/// Tells whether packets differ from each other, by their hashes: enough to be no silence, or at all.
struct Variety {
  private let enough: Int
  /// The newest differing packets, each at its last place; the newest first.
  private var newest: [(hash: UInt32, place: Int)] = []
  /// For the first n arrived packets: the place from which on enough of them differ, and from which on any do; -1 for
  /// none.
  private var (enoughFrom, anyFrom) = ([-1], [-1])

  init(enough: Int) {
    self.enough = enough
  }

  mutating func arrive(_ hash: UInt32) {
    newest.removeAll { $0.hash == hash }
    newest.insert((hash, enoughFrom.count - 1), at: 0)
    if newest.count > max(2, enough) { newest.removeLast() }
    enoughFrom.append(newest.count >= enough ? newest[enough - 1].place : -1)
    anyFrom.append(newest.count >= 2 ? newest[1].place : -1)
  }

  /// Whether enough of the packets `run` differ.
  func isEnough(_ run: Range<Int>) -> Bool { enoughFrom[run.upperBound] >= run.lowerBound }

  /// Whether any of the packets `run` differ.
  func isAny(_ run: Range<Int>) -> Bool { anyFrom[run.upperBound] >= run.lowerBound }
}
