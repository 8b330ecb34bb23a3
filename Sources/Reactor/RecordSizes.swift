/// Sizes of the newest TLS records that were written to a socket.
struct RecordSizes {
  /// Bytes that a record has at least beside its text: head, type and tag (RFC 8446, section 5.2; less of TLS 1.2).
  static let besidesText = 21

  private var newest = SIMD32<UInt16>()
  /// Of all that were written.
  private var count = 0

  /// Text that went out at once: as many records as it takes.
  mutating func add(_ text: Int) {
    var rest = text
    while rest > 0 {
      let size = min(rest, TLSStream.recordBytes)
      newest[count % newest.scalarCount] = UInt16(size)
      count &+= 1
      rest -= size
    }
  }

  /// How much text there is in the last `bytes` of the socket: of a record that is there in part, all or nothing. Never
  /// too little.
  func text(ofUnconfirmed bytes: Int) -> ClosedRange<Int> {
    var (covered, text, last) = (0, 0, 0)
    for back in 0..<min(count, newest.scalarCount) where covered < bytes {
      last = Int(newest[(count - 1 - back) % newest.scalarCount])
      covered += last + Self.besidesText
      text += last
    }
    // Further back than is known.
    if covered < bytes { return max(0, bytes)...bytes + TLSStream.recordBytes }
    return text - last...text
  }
}
