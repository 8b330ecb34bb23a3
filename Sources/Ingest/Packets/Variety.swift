/// How many of the packets that arrived, by their hashes, differ from each other: enough to be no silence, or any.
struct Variety {
  private let enough: Int
  /// The newest that differ, each where it came last; the newest first.
  private var newest: [(hash: UInt32, place: Int)] = []
  /// Of the first n arrived packets: from where on enough of them differ, and from where on any; nobody's: -1.
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

  /// Whether any do.
  func isAny(_ run: Range<Int>) -> Bool { anyFrom[run.upperBound] >= run.lowerBound }
}
