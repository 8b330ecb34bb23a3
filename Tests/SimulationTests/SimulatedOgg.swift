import Wire

/// A programme in Ogg Opus: a page a frame, in a chain of links with titles, of which every second has new headers.
enum SimulatedOgg {
  /// Opus of 60 ms, by its first byte (RFC 6716 §3.1).
  static let packetKind: UInt8 = 11 << 3
  private static let packetBytes = [50, 40]
  static let samples = 5760
  static let pageBytes = OggPage.headBytes + packetBytes.count + packetBytes[0] + packetBytes[1]
  /// Of a page: what depends on where it is in a stream.
  static let placeBytes = 6..<26
  static let secondPacket = pageBytes - packetBytes[1]
  static let linkFrames = 775
  /// Behind the header pages.
  private static let firstSequence = 2

  /// What a page of audio begins with, and its first packet.
  static let head: [UInt8] =
    Array("OggS".utf8) + [UInt8](repeating: 0, count: 22) + [UInt8(packetBytes.count)]
    + packetBytes.map { UInt8($0) } + [packetKind]

  static func link(of index: Int) -> Int { index / linkFrames }

  static func isFirst(_ index: Int) -> Bool { index % linkFrames == 0 }

  /// Decoders are set up anew where this changes.
  static func gain(ofLink link: Int) -> UInt8 { UInt8(link / 2 % 2) }

  static func title(ofLink link: Int) -> String { "Title \(link)" }

  private static func serial(ofLink link: Int) -> UInt32 { 1000 + UInt32(link) }

  static func page(_ content: UInt64, at index: Int) -> [UInt8] {
    var page = Encoding.opus.frame(content)
    let place = index % linkFrames
    var bytes = page.mutableSpan
    OggPage.stamp(
      &bytes, serial: serial(ofLink: link(of: index)), sequence: UInt32(firstSequence + place),
      granule: UInt64((place + 1) * samples))
    return page
  }

  /// The pages a link begins with.
  static func headers(ofLink link: Int) -> [UInt8] {
    let rate: [UInt8] = [0x80, 0xBB, 0, 0]  // 48,000
    let opus = Array("OpusHead".utf8) + [1, 1, 0, 0] + rate + [0, gain(ofLink: link), 0]
    let comment = Array("TITLE=\(title(ofLink: link))".utf8)
    func count(_ number: Int) -> [UInt8] { [UInt8(number), 0, 0, 0] }
    let tags =
      Array("OpusTags".utf8) + count(4) + Array("none".utf8) + count(1) + count(comment.count)
      + comment
    return page(of: opus, isFirst: true, ofLink: link)
      + page(of: tags, isFirst: false, ofLink: link)
  }

  private static func page(of packet: [UInt8], isFirst: Bool, ofLink link: Int) -> [UInt8] {
    var page = Array("OggS".utf8) + [0, isFirst ? 2 : 0] + [UInt8](repeating: 0, count: 20)
    page += [1, UInt8(packet.count)] + packet
    var bytes = page.mutableSpan
    OggPage.stamp(
      &bytes, serial: serial(ofLink: link), sequence: isFirst ? 0 : 1, granule: 0)
    return page
  }

  /// Where a page is in a stream; nil: it is damaged, or none.
  static func place(of bytes: ArraySlice<UInt8>) -> OggPage? {
    guard case .page(let page) = OggPage.read(in: Array(bytes.prefix(pageBytes)).span, at: 0) else {
      return nil
    }
    return page
  }
}
