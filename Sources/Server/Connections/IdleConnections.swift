/// A loop's connections that wait for their clients, the longest waiting first. Each waits for the rest of a request, a
/// handshake, an answer to be taken, the next request of a kept connection, or the end of a closed one.
///
/// When places run out, the connections are closed in this order.
struct IdleConnections {
  private struct Entry {
    var token: UInt64
    /// Serial of this wait; a later wait of the connection makes the entry void.
    var serial: UInt32
  }

  private var entries: [Entry] = []
  private var first = 0
  /// Entries that were valid at the last compaction.
  private var valid = 0
  /// Most connections looked at to find one of an address: where the address has many, one is soon found.
  private static let searchMax = 64

  /// Number of entries, including void ones.
  var count: Int { entries.count - first }

  mutating func append(_ token: UInt64, serial: UInt32, in connections: ConnectionTable) {
    // As often as not, the connections before have been answered meanwhile, or listen.
    if entries.count > 64 + 2 * valid { compact(in: connections) }
    entries.append(Entry(token: token, serial: serial))
  }

  /// Removes and returns the connection that waits longest.
  mutating func popLongest(in connections: ConnectionTable) -> UInt32? {
    while first < entries.count {
      let entry = entries[first]
      first += 1
      if let slot = Self.slot(of: entry, in: connections) { return slot }
    }
    entries.removeAll(keepingCapacity: true)
    first = 0
    valid = 0
    return nil
  }

  /// Returns one of the longest waiting connections that are `wanted`.
  mutating func longest(
    in connections: ConnectionTable, where wanted: (UInt32) -> Bool
  ) -> UInt32? {
    var (seen, void) = (0, 0)
    // Void entries that were read once are not read again and again.
    defer { if void > Self.searchMax { compact(in: connections) } }
    for entry in entries[first...] {
      guard let slot = Self.slot(of: entry, in: connections) else {
        void += 1
        continue
      }
      if wanted(slot) { return slot }
      seen += 1
      if seen == Self.searchMax { return nil }
    }
    return nil
  }

  private mutating func compact(in connections: ConnectionTable) {
    entries = entries[first...].filter { Self.slot(of: $0, in: connections) != nil }
    first = 0
    valid = entries.count
  }

  /// Returns the entry's slot; nil when the connection has gone, or no longer waits as it did.
  private static func slot(of entry: Entry, in connections: ConnectionTable) -> UInt32? {
    guard let slot = connections.slot(of: entry.token),
      connections[slot].idleSerial == entry.serial, connections[slot].hasPlace
    else { return nil }
    return connections.row(slot).eviction == .wait ? nil : slot
  }
}
