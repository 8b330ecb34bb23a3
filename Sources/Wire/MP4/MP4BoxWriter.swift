/// Writes boxes (ISO/IEC 14496-12 §4.2). A box's length is filled in when its content is there.
struct MP4BoxWriter {
  private(set) var bytes: [UInt8] = []

  mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

  /// - Parameter kind: four characters.
  mutating func box(_ kind: StaticString, _ content: (inout MP4BoxWriter) -> Void) {
    let start = bytes.count
    append(UInt32(0))
    append(MP4Box.kind(kind))
    content(&self)
    set(UInt32(clamping: bytes.count - start), at: start)
  }

  /// Writes a box with version and flags.
  mutating func box(
    _ kind: StaticString, version: UInt8, flags: UInt32 = 0,
    _ content: (inout MP4BoxWriter) -> Void
  ) {
    box(kind) {
      $0.append(UInt32(version) << 24 | flags)
      content(&$0)
    }
  }

  mutating func append(_ number: some FixedWidthInteger) { bytes += BigEndian.bytes(number) }

  mutating func append(_ more: some Sequence<UInt8>) { bytes += more }

  mutating func zeros(_ count: Int) { bytes += repeatElement(0, count: count) }

  /// Overwrites four bytes.
  mutating func set(_ number: UInt32, at place: Int) {
    bytes.replaceSubrange(place..<place + 4, with: BigEndian.bytes(number))
  }
}
