/// Compares how a connection begins with the one before: some upstreams send the same each time.
struct Beginning {
  /// The most packets compared.
  private static let countMax = 1024

  private let before: [UInt32]
  /// The hashes of the first packets.
  private(set) var packets: [UInt32] = []
  private var distinct: Set<UInt32> = []

  /// - Parameter before: the first packets of the connection before, by their hashes.
  init(before: [UInt32]) { self.before = before }

  mutating func arrive(_ hash: UInt32) {
    guard packets.count < Self.countMax else { return }
    packets.append(hash)
    if !before.isEmpty { distinct.insert(hash) }
  }

  /// Whether both connections are equal so far. Silence and short loops always are, so they do not count.
  var isSame: Bool {
    distinct.count * 2 > packets.count && zip(packets, before).allSatisfy(==)
  }
}
