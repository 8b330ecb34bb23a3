@testable import Wire

extension FuzzTarget {
  /// Ogg pages with the right checksums: nothing else of them need be.
  static let ogg = FuzzTarget(
    name: "ogg", seeds: oggSeeds
  ) { bytes in
    var input = FuzzInput(bytes)
    let (described, _) = input.whole()
    let stream = oggStream(described)
    // The same lengths of pieces, of the stream that was described.
    var lengths = FuzzInput(Array(bytes.prefix(2)) + stream)
    let (whole, pieces) = lengths.whole()
    promise(demuxed([whole]) == demuxed(pieces), "pages depend on how they were cut")
    _ = demuxed([described])
  }

  static let oggSeeds: [[UInt8]] = [
    [9, 200] + page(2, opusHead) + page(0, opusTags) + page(0, [0xFC, 1, 2, 3], granule: 1)
      + page(0, [0xFC, 3, 2, 1], granule: 2) + page(4, [0xFC, 0], granule: 3),
    [200, 3] + page(2, vorbisHead) + page(0, [3] + "vorbis".bytes + comments + [1])
      + page(0, [5] + "vorbis".bytes + [UInt8](repeating: 0, count: 10) + [1])
      + page(0, [0, 1, 2], granule: 1) + page(0, [2, 1, 0], granule: 2),
    [200, 3] + page(2, vorbisHead)
      + page(0, [3] + "vorbis".bytes + [UInt8](repeating: 0, count: 9)),
    [50, 50] + page(2, flacHead) + page(0, [0x84, 0, 0, 40] + comments)
      + page(0, [0xFF, 0xF8, 0xC9, 0xA8, 0, 1, 2, 3], granule: 1),
    [50, 50] + page(2, opusHead) + page(0x80, opusTags) + page(1, comments),
    [50, 50] + page(2, speexHead) + page(0, comments) + page(0, [1, 2, 3], granule: 1),
  ]

  private struct Demuxed: Equatable {
    var items: [OggDemuxer.Item] = []
    var made: [UInt8] = []
  }

  private static func demuxed(_ pieces: [[UInt8]]) -> Demuxed {
    var demuxer = OggDemuxer()
    var demuxed = Demuxed()
    var (shown, from): ([UInt8], Int) = ([], 0)
    for index in 0...pieces.count {
      let atEnd = index == pieces.count
      shown.removeFirst(from)
      from = 0
      if !atEnd { shown += pieces[index] }
      while let found = demuxer.next(in: shown.span, from: from, atEnd: atEnd, into: &demuxed.made)
      {
        promise(found.end > from && found.end <= shown.count, "out of the bytes")
        from = found.end
        demuxed.items += found.items
      }
      promise(shown.count - from <= OggPage.bytesMax + 65_536, "bytes are hoarded")
    }
    for item in demuxed.items {
      switch item {
      case .packet(let packet):
        // As the log wants them.
        promise(packet.range.upperBound <= demuxed.made.count, "\(packet)")
        promise(1...128 * 1024 ~= packet.range.count && packet.samples > 0, "\(packet)")
        promise(packet.samples < 6 * packet.format.sampleRate, "\(packet)")
      case .lost(let samples, _): promise(samples > 0, "nothing is lost")
      case .headers(let headers): survive(headers)
      }
    }
    return demuxed
  }

  /// They are written and read again, as a log does.
  private static func survive(_ headers: OggHeaders) {
    let pages = headers.pages(serial: 4711)
    guard let again = OggHeaders.read(pages: pages.span) else { fatalError("not read again") }
    promise(again.headers == headers && again.serial == 4711, "other headers: \(again)")
    promise(1000...768_000 ~= headers.format.sampleRate && headers.format.channels > 0, "format")
    promise(!(headers.comments.title?.text ?? "").hasControls, "a control in a title")
  }

  /// `flags, serial and gap, granule, length, packet`: 0x80 among the flags leaves the packet open.
  private static func page(_ flags: UInt8, _ packet: [UInt8], granule: UInt8 = 0) -> [UInt8] {
    [flags, 0, granule, UInt8(packet.count)] + packet
  }

  /// The pages that such bytes describe.
  static func oggStream(_ bytes: [UInt8]) -> [UInt8] {
    var rest = bytes[...]
    var (stream, sequence): ([UInt8], UInt32) = ([], 0)
    while rest.count >= 4 {
      let (flags, place, granule) = (rest.removeFirst(), rest.removeFirst(), rest.removeFirst())
      let count = Int(rest.removeFirst())
      let packet = rest.prefix(count)
      rest = rest.dropFirst(packet.count)
      var lacing = OggPageWriter.lacing(packet.count)
      if flags & 0x80 != 0 { lacing.removeLast() }
      var page: [UInt8] = []
      let body = packet.prefix(lacing.reduce(0) { $0 + Int($1) })
      OggPageWriter.append(.init(rawValue: flags & 7), lacing, body, to: &page)
      sequence &+= UInt32(place >> 4)
      var span = page.mutableSpan
      OggPage.stamp(
        &span, serial: UInt32(place & 3), sequence: sequence,
        granule: granule == 255 ? .max : UInt64(granule) * 960)
      sequence &+= 1
      stream += page
    }
    return stream + rest
  }

  private static let comments: [UInt8] =
    [1, 0, 0, 0, 65, 2, 0, 0, 0, 7, 0, 0, 0] + "title=A".bytes + [8, 0, 0, 0] + "ARTIST=".bytes + [
      0xE9
    ]
  /// 44.1 kHz, stereo.
  private static let flacHead =
    "\u{7F}FLAC".bytes + [1, 0, 0, 1] + "fLaC".bytes + [
      0, 0, 0, 34, 16, 0, 16, 0, 0, 0, 0, 0, 0, 0,
    ]
    + [0x0A, 0xC4, 0x42, 0xF0] + [UInt8](repeating: 0, count: 20)
  /// 16 kHz, mono, 320 samples a packet.
  private static let speexHead =
    "Speex   1.2".bytes + [UInt8](repeating: 0, count: 25) + [0x80, 0x3E, 0, 0]
    + [UInt8](repeating: 0, count: 8) + [1, 0, 0, 0, 0, 0, 0, 0, 64, 1, 0, 0, 0, 0, 0, 0, 1]
    + [UInt8](repeating: 0, count: 15)
  private static let opusHead = "OpusHead".bytes + [1, 2, 0x38, 1, 0x80, 0xBB, 0, 0, 0, 0, 0]
  private static let opusTags =
    "OpusTags".bytes + [1, 0, 0, 0, 65, 1, 0, 0, 0, 7, 0, 0, 0] + "TITLE=A".bytes
  private static let vorbisHead =
    [1] + "vorbis".bytes + [0, 0, 0, 0, 2, 0x44, 0xAC, 0, 0] + [UInt8](repeating: 0, count: 12)
    + [0xB8, 1]
}
