/// The sizes of the newest TLS records that were written to a socket.
struct RecordSizes {
  /// The least overhead of a record in bytes: head, type and tag (RFC 8446, section 5.2; less in TLS 1.2).
  static let besidesText = 21

  private var newest = SIMD32<UInt16>()
  /// The number of records written.
  private var count = 0

  /// Notes text that was sent at once, in as many records as the text needs.
  mutating func add(_ text: Int) {
    var rest = text
    while rest > 0 {
      let size = min(rest, TLSStream.recordBytes)
      newest[count % newest.scalarCount] = UInt16(size)
      count &+= 1
      rest -= size
    }
  }

  /// Returns how much text the last `bytes` of the socket contain, and never too little. A record that is only partly
  /// in these bytes counts as all or nothing, hence a range.
  func text(ofUnconfirmed bytes: Int) -> ClosedRange<Int> {
    var (covered, text, last) = (0, 0, 0)
    for back in 0..<min(count, newest.scalarCount) where covered < bytes {
      last = Int(newest[(count - 1 - back) % newest.scalarCount])
      covered += last + Self.besidesText
      text += last
    }
    // The bytes reach back beyond the known records.
    if covered < bytes { return max(0, bytes)...bytes + TLSStream.recordBytes }
    return text - last...text
  }
}
