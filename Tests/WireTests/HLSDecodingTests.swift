import TestSupport
import Testing
import Wire

/// Segments as ffmpeg plays them, by the playlist that names them.
@Suite struct HLSDecodingTests {
  /// Encoder, and bits of a sample.
  private static let formats: [(options: [String], bits: Int)] = [
    (["-c:a", "libopus", "-b:a", "96k", "-page_duration", "200000"], 16),
    (["-c:a", "libopus", "-b:a", "64k", "-frame_duration", "60", "-page_duration", "200000"], 16),
    (["-c:a", "flac", "-page_duration", "200000"], 16),
    (
      [
        "-af", "volume=0.7,aformat=sample_fmts=s32", "-c:a", "flac", "-sample_fmt", "s32",
        "-page_duration", "200000",
      ], 24
    ),
  ]

  private static let key = PieceKey(life: 0x4f9a_2c71_b03d, seconds: 2)
  private static let title = HLSTitle(
    title: "Süß", artist: "Band", url: "http://a/", artwork: "http://b/")

  /// A folder with segments and their playlist, as a station would have them.
  private struct Folder {
    let scratch = TemporaryDirectory()
    private var pieces: [MediaPlaylist.Piece] = []

    mutating func add(
      _ bytes: [UInt8], _ media: Range<Int64>, _ ending: PieceName.Ending
    ) throws {
      let part = PieceName.Part.piece(cell: UInt64(pieces.count), number: 0)
      let name = try #require(PieceName(key: key, part: part, ending: ending))
      pieces.append(
        MediaPlaylist.Piece(name: name, time: media, date: media.lowerBound / 441 * 625))
      try write(bytes, name.text)
    }

    func write(_ bytes: [UInt8], _ name: String) throws {
      try Tool.must(["mkdir", "-p", scratch.file(key.text)], in: scratch)
      scratch.write(name, bytes)
    }

    var list: MediaPlaylist {
      MediaPlaylist(kind: .finished, target: 2, number: 0, discontinuities: 0, pieces: pieces)
    }

    /// Whatever the decoder says, in 32 bits a sample.
    func decoded() throws -> [UInt8] {
      let text = list.text()
      let violations = PlaylistRules.violations(of: text)
      #expect(violations.isEmpty, "\(violations)")
      let path = scratch.write("main.m3u8", text)
      return try HLSDecodingTests.decoded(["-allowed_extensions", "ALL", "-i", path], scratch)
    }
  }

  /// When each packet begins, as `ffprobe` says.
  private static func times(in file: [UInt8]) throws -> [Double] {
    let scratch = TemporaryDirectory()
    let path = scratch.write("in.mp4", file)
    let result = try Tool.must(
      ["ffprobe", "-v", "error", "-show_entries", "packet=pts_time", "-of", "csv=p=0", path],
      in: scratch)
    #expect(result.log.isEmpty, "\(result.log)")
    return String(decoding: result.output, as: UTF8.self).split(separator: "\n").compactMap {
      Double($0.prefix { $0 != "," })
    }
  }

  private static func decoded(_ input: [String], _ scratch: TemporaryDirectory) throws -> [UInt8] {
    let result = try Tool.must(
      ["ffmpeg", "-nostdin", "-v", "error"] + input + ["-f", "s32le", scratch.file("pcm")],
      in: scratch)
    // The clock of packed audio is coarser than its packets.
    let log = result.log.split(separator: "\n").filter {
      !$0.contains("non monotonically increasing dts")
    }
    #expect(log.isEmpty, "\(log)")
    return try readFile(scratch.file("pcm"))
  }

  @Test(arguments: formats)
  func `fragments decode to what the Ogg stream decodes to`(
    format: (options: [String], bits: Int)
  ) throws {
    let ogg = DemuxedOgg(
      try Fixtures.ffmpeg(format.options, format: "ogg", sampleRate: 48_000, seconds: 7))
    let headers = ogg.headers[0]
    let writer = try #require(FragmentWriter(headers))
    var folder = Folder()
    try folder.write(writer.initialisation, "\(Self.key.text)/init-0.mp4")
    // From 3 s on, so that times are no numbers from zero.
    var media: Int64 = 3 * 705_600_000
    var file = writer.initialisation
    var lengths: [Int] = []
    var (packets, start) = (OggPackets(headers), media)
    for (number, page) in ogg.pages.enumerated() {
      var bytes = page.bytes
      var span = bytes.mutableSpan
      OggPage.stamp(&span, serial: 7, sequence: UInt32(number), granule: 1)
      packets.expect(bytes)
      media += Int64(page.samples) * 14_700
      guard media - start > 705_600_000 || number == ogg.pages.count - 1 else { continue }
      let event = FragmentWriter.Event(title: Self.title, position: UInt64(number))
      let fragment = writer.fragment(
        packets, media: start..<media, number: UInt64(number), event: number > 9 ? event : nil)
      try folder.add(fragment, start..<media, .m4s)
      file += fragment
      lengths += packets.packets.map(\.samples)
      (packets, start) = (OggPackets(headers), media)
    }
    let whole = TemporaryDirectory()
    let path = whole.write("in.ogg", ogg.stream())
    let expected = try Self.decoded(["-i", path], whole)
    let found = try folder.decoded()
    #expect(expected.count > 6 * 48_000 * 2 * 4)
    #expect(found == expected, "\(found.count) of \(expected.count) bytes")
    if format.bits == 24 {
      // The lowest eight of 24 bits are used.
      #expect(stride(from: 1, to: found.count, by: 4).contains { found[$0] != 0 })
    }
    // Each packet begins where the one before ends.
    let told = try Self.times(in: file)
    let expectedTimes = lengths.reduce(into: [3.0]) { $0.append($0.last! + Double($1) / 48_000) }
    #expect(told.count == lengths.count)
    for (time, expected) in zip(told, expectedTimes) { #expect(abs(time - expected) < 0.000_01) }
  }

  @Test(
    arguments: [
      (["-b", "128", "-t"], 44_100, 2), (["-V", "4", "-t"], 44_100, 2),
      (["-b", "32", "-t"], 22_050, 1),
    ] as [([String], Int, Int)])
  func `packed MP3 decodes to what the stream decodes to`(
    options: [String], rate: Int, channels: Int
  ) throws {
    let file = try Fixtures.mp3(options, sampleRate: rate, channels: channels, seconds: 7)
    try expectPacked(file, .mp3, demuxer: "mp3")
  }

  @Test(
    arguments: [
      (["-c:a", "aac", "-b:a", "96k"], 44_100, 2), (["-c:a", "aac", "-b:a", "48k"], 24_000, 1),
    ]
      as [([String], Int, Int)])
  func `packed AAC decodes to what the stream decodes to`(
    options: [String], rate: Int, channels: Int
  ) throws {
    let file = try Fixtures.ffmpeg(
      options, format: "adts", sampleRate: rate, channels: channels, seconds: 7)
    try expectPacked(file, .aac, demuxer: "aac")
  }

  /// Cuts a file into pieces of a second with tags in front.
  private func expectPacked(
    _ file: [UInt8], _ ending: PieceName.Ending, demuxer: String
  ) throws {
    var folder = Folder()
    var scanner = PacketScanner()
    var (from, media): (Int, Int64) = (0, 5 * 705_600_000)
    var (piece, start, stream): ([UInt8], Int64, [UInt8]) = ([], media, [])
    func add() throws {
      let tag = TimestampTag(media: start, title: stream.count > 50_000 ? Self.title : nil)
      try folder.add(tag.bytes + piece, start..<media, ending)
      (piece, start) = ([], media)
    }
    while from < file.count, let found = scanner.next(in: file.span, from: from, atEnd: true) {
      from = found.range.upperBound
      guard case .packet(let packet) = found else { continue }
      piece += file[packet.range]
      stream += file[packet.range]
      media += Int64(packet.samples) * 705_600_000 / Int64(packet.format.sampleRate)
      if media - start > 705_600_000 { try add() }
    }
    if !piece.isEmpty { try add() }
    #expect(folder.list.pieces.count >= 6)
    let whole = TemporaryDirectory()
    let path = whole.write("in", stream)
    let expected = try Self.decoded(["-f", demuxer, "-i", path], whole)
    let found = try folder.decoded()
    #expect(found == expected, "\(found.count) of \(expected.count) bytes")
  }

  @Test func `ffmpeg reads a segment's title and timestamp`() throws {
    let file = try Fixtures.mp3(["-b", "128", "-t"], seconds: 2)
    let scratch = TemporaryDirectory()
    let media: Int64 = 100 * 705_600_000
    let path = scratch.write("a.mp3", TimestampTag(media: media, title: Self.title).bytes + file)
    let result = try Tool.must(
      ["ffprobe", "-v", "error", "-show_entries", "format_tags", "-of", "default=nw=1", path],
      in: scratch)
    let lines = String(decoding: result.output, as: UTF8.self).split(separator: "\n")
    #expect(lines.contains("TAG:title=Süß") && lines.contains("TAG:artist=Band"))
    #expect(lines.contains("TAG:artwork=http://b/"))
    // 9,000,000 is 0x895440.
    #expect(
      lines.contains {
        $0.hasPrefix("TAG:id3v2_priv.com.apple.streaming.transportStreamTimestamp=")
          && $0.hasSuffix("\\x00\\x00\\x00\\x00\\x00\\x89T@")
      }, "\(lines)")
  }
}
