/// The hashes of a log's newest packets, in the order of the log; a stitcher compares with them.
///
/// Bounded by seconds and by number; the oldest go in batches.
struct TailRing {
  struct Entry: Hashable {
    var hash: UInt32
    var seconds: Double
    var bytes: Int
  }

  // 120 s of the shortest frames in use, 576 samples at 48 kHz, are 10,000 packets.
  static let packetsMax = 16_384

  let secondsMax: Double
  private var entries: [Entry] = []
  private var seconds = 0.0
  private var isCut = false

  init(seconds: Double) {
    secondsMax = seconds
  }

  var isEmpty: Bool { entries.isEmpty }

  /// Marks that the next packet does not follow the last one: nothing that is sent again has both side by side.
  mutating func cut() { isCut = true }

  mutating func append(_ hash: UInt32, seconds length: Double, bytes: Int) {
    if isCut {
      entries.removeAll(keepingCapacity: true)
      (seconds, isCut) = (0, false)
    }
    entries.append(Entry(hash: hash, seconds: length, bytes: bytes))
    seconds += length
    // The ring grows by half before a batch goes, so that no packet moves all the others.
    if seconds > secondsMax * 1.5 || entries.count > Self.packetsMax { trim() }
  }

  /// The hashes of the newest `secondsMax`, oldest first.
  var hashes: [UInt32] {
    var length = 0.0
    let first = entries.lastIndex { entry in
      length += entry.seconds
      return length > secondsMax
    }
    return entries[(first.map { $0 + 1 } ?? 0)...].map(\.hash)
  }

  /// Places at which a run is looked for: silence has the same packet thousands of times.
  private static let placesMax = 16

  /// Whether the ring has `hashes` in a row.
  func has(_ hashes: [UInt32]) -> Bool {
    guard let first = hashes.first else { return false }
    return entries.indices.lazy.filter { entries[$0].hash == first }.prefix(Self.placesMax)
      .contains { entries[$0...].lazy.map(\.hash).starts(with: hashes) }
  }

  /// The newest packets, oldest first, as far as they fit in `bytes`.
  func newest(within bytes: UInt64) -> ArraySlice<Entry> {
    var left = bytes
    let first = entries.lastIndex { entry in
      guard UInt64(entry.bytes) <= left else { return true }
      left -= UInt64(entry.bytes)
      return false
    }
    return entries[(first.map { $0 + 1 } ?? 0)...]
  }

  private mutating func trim() {
    var dropped = 0
    while entries.count - dropped > Self.packetsMax / 2 || seconds > secondsMax {
      seconds -= entries[dropped].seconds
      dropped += 1
    }
    entries.removeFirst(dropped)
  }
}
