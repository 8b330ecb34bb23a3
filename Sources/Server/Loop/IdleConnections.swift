/// A loop's connections that wait for their clients, the longest first: an unfinished request, a handshake, an answer
/// that is not taken, the next request of a connection that is kept, the end of one that is closed.
///
/// When places run out they go in this order.
struct IdleConnections {
  private struct Entry {
    var token: UInt64
    /// Of the time it began to wait: later ones make this one void.
    var serial: UInt32
  }

  private var entries: [Entry] = []
  private var first = 0
  /// Entries that were not void when it was last looked.
  private var valid = 0
  /// Connections looked at for one address: where it has many, one is soon found.
  private static let searchMax = 64

  /// Entries, void ones among them.
  var count: Int { entries.count - first }

  mutating func append(_ token: UInt64, serial: UInt32, in connections: ConnectionTable) {
    // As often as not the ones before have been answered meanwhile, or listen.
    if entries.count > 64 + 2 * valid { compact(in: connections) }
    entries.append(Entry(token: token, serial: serial))
  }

  /// The one that waits longest.
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

  /// One of those that wait longest and are `wanted`.
  mutating func longest(
    in connections: ConnectionTable, where wanted: (UInt32) -> Bool
  ) -> UInt32? {
    var (seen, void) = (0, 0)
    // What was read over once is not read over again and again.
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

  /// nil: it is gone, or somebody has done something for it since.
  private static func slot(of entry: Entry, in connections: ConnectionTable) -> UInt32? {
    guard let slot = connections.slot(of: entry.token),
      connections[slot].idleSerial == entry.serial, connections[slot].hasPlace
    else { return nil }
    switch connections[slot].state {
    case .reading, .readingBody, .shakingHands, .lingering: return slot
    // Of an answer that is made for all; files and clips have limits of their own.
    case .replying
    where connections[slot].isBlocked && connections[slot].file == nil
      && connections[slot].clip == nil:
      return slot
    case .free, .answering, .replying, .joining, .listening, .watching: return nil
    }
  }
}
