/// How a connection begins, held against the one before: some bring the same each time.
struct Beginning {
  /// Packets that are looked at.
  private static let countMax = 1024

  private let before: [UInt32]
  /// Hashes.
  private(set) var packets: [UInt32] = []
  private var distinct: Set<UInt32> = []

  /// - Parameter before: the other one's packets, by their hashes.
  init(before: [UInt32]) { self.before = before }

  mutating func arrive(_ hash: UInt32) {
    guard packets.count < Self.countMax else { return }
    packets.append(hash)
    if !before.isEmpty { distinct.insert(hash) }
  }

  /// Whether it is the same so far. Silence and short loops always are, and so they do not count.
  var isSame: Bool {
    distinct.count * 2 > packets.count && zip(packets, before).allSatisfy(==)
  }
}
