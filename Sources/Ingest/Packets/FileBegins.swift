/// Tells whether a file that comes is one that has come whole before: its first packet is known.
struct FileBegins {
  /// More files than a playlist has.
  private static let countMax = 256

  /// Hashes, newest last.
  private var known: [UInt32] = []
  /// Of the running connection.
  private var first: UInt32?

  /// Another connection begins.
  mutating func begin() { first = nil }

  /// A packet of it has come.
  mutating func arrived(_ hash: UInt32) {
    if first == nil { first = hash }
  }

  /// It was a file, and has come whole.
  mutating func isComplete() {
    guard let first, !known.contains(first) else { return }
    if known.count == Self.countMax { known.removeFirst() }
    known.append(first)
  }

  /// Whether the running connection begins as a file does that has come whole.
  var isKnown: Bool { first.map(known.contains) ?? false }
}
