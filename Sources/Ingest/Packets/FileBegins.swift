/// Recognises a file that has arrived whole before, by its first packet.
struct FileBegins {
  /// More files than a playlist has.
  private static let countMax = 256

  /// First packets of whole files by hash, newest last.
  private var known: [UInt32] = []
  /// The first packet of the running connection.
  private var first: UInt32?

  /// Begins another connection.
  mutating func begin() { first = nil }

  /// Notes a packet of the connection.
  mutating func arrived(_ hash: UInt32) {
    if first == nil { first = hash }
  }

  /// Notes that the connection brought a whole file.
  mutating func isComplete() {
    guard let first, !known.contains(first) else { return }
    if known.count == Self.countMax { known.removeFirst() }
    known.append(first)
  }

  /// Whether the running connection begins like a file that arrived whole before.
  var isKnown: Bool { first.map(known.contains) ?? false }
}
