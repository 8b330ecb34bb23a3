/// Makes pages of whole packets. `OggPage.stamp` later gives a page of audio its place in a stream.
enum OggPageWriter {
  /// Appends the pages of one header packet, each with its place in the stream.
  static func append(
    header packet: [UInt8], flags: OggPage.Flags, serial: UInt32, sequence: inout UInt32,
    to pages: inout [UInt8]
  ) {
    var lacing = Self.lacing(packet.count)[...]
    var body = packet[...]
    var flags = flags
    while !lacing.isEmpty {
      let part = lacing.prefix(OggPage.segmentsMax)
      lacing = lacing.dropFirst(part.count)
      let bytes = part.reduce(0) { $0 + Int($1) }
      var page: [UInt8] = []
      append(flags, Array(part), body.prefix(bytes), to: &page)
      body = body.dropFirst(bytes)
      // No packet ends in a page whose lacing values are all 255.
      let granule: UInt64 = lacing.isEmpty ? 0 : .max
      var span = page.mutableSpan
      OggPage.stamp(&span, serial: serial, sequence: sequence, granule: granule)
      pages += page
      flags = .continued
      sequence += 1
    }
  }

  /// Appends the pages of whole packets, without a place; all but the last page are full.
  static func append(lacing: [UInt8], _ body: [UInt8], to pages: inout [UInt8]) {
    var (values, rest) = (lacing[...], body[...])
    var flags: OggPage.Flags = []
    while !values.isEmpty {
      let part = values.prefix(OggPage.segmentsMax)
      let bytes = part.reduce(0) { $0 + Int($1) }
      append(flags, Array(part), rest.prefix(bytes), to: &pages)
      values = values.dropFirst(part.count)
      rest = rest.dropFirst(bytes)
      flags = .continued
    }
  }

  /// Appends a page without a place: granule, serial, sequence and checksum are 0.
  static func append(
    _ flags: OggPage.Flags, _ lacing: [UInt8], _ body: some Collection<UInt8>,
    to pages: inout [UInt8]
  ) {
    pages += [0x4F, 0x67, 0x67, 0x53, 0, flags.rawValue]
    pages += repeatElement(0, count: 20)
    pages.append(UInt8(lacing.count))
    pages += lacing
    pages += body
  }

  /// Returns the lacing values of a whole packet; the last value is below 255.
  static func lacing(_ bytes: Int) -> [UInt8] {
    Array(repeating: 255, count: bytes / 255) + [UInt8(bytes % 255)]
  }
}
