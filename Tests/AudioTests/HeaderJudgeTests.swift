import TestSupport
import Testing

@testable import Audio
@testable import Wire

/// What headers may ask of a decoder, before there is one.
struct HeaderJudgeTests {
  /// 31,745 words in 16 dimensions, which take 40 bytes.
  private static let costly = VorbisBook(
    dimensions: 16, words: 31_745, numbers: [1] + [Int](repeating: 0, count: 9) + [31_744],
    least: 5, lookup: 1)

  private func verdict(
    _ header: VorbisHeader, from identification: [UInt8] = VorbisHeader.identification
  ) -> HeaderRefusal? {
    HeaderRefusal(of: .vorbis, [identification, VorbisHeader.comment, header.packet])
  }

  private func verdict(_ books: [VorbisBook]) -> HeaderRefusal? { verdict(VorbisHeader(books)) }

  @Test func `codebooks that ask for half a gigabyte are refused`() {
    #expect(verdict([VorbisBook](repeating: Self.costly, count: 256)) == .codebooks)
    #expect(verdict([Self.costly]) == nil)
  }

  @Test(
    arguments: [
      ([VorbisBook(words: 65_536)], true), ([VorbisBook(words: 65_537)], false),
      ([VorbisBook(words: 32_768), VorbisBook(words: 32_768)], true),
      ([VorbisBook(words: 32_768), VorbisBook(words: 32_768), VorbisBook(words: 1)], false),
      // Values are words times dimensions, where there is a table of them.
      ([VorbisBook(dimensions: 1 << 15, words: 32, lookup: 1)], true),
      ([VorbisBook(dimensions: 1 << 15, words: 33, lookup: 1)], false),
      ([VorbisBook(dimensions: 1 << 15, words: 33)], true),
      ([VorbisBook(dimensions: 4, words: 81, lookup: 2)], true),
      ([VorbisBook(dimensions: 1025, words: 1024, lookup: 2)], false),
      // Words longer than 24 bits.
      ([VorbisBook(words: 8_192, numbers: [0, 8_192], least: 24)], true),
      ([VorbisBook(words: 8_193, numbers: [0, 8_193], least: 24)], false),
      ([VorbisBook(words: 8_193, numbers: [8_193], least: 24)], true),
    ])
  func `all codebooks of a Vorbis header together have a bound`(books: [VorbisBook], isTaken: Bool)
  {
    #expect(verdict(books) == (isTaken ? nil : .codebooks))
  }

  @Test func `a setup that ends too early, or is none, is damaged`() {
    let packets = [
      VorbisHeader.identification, VorbisHeader.comment,
      VorbisHeader([
        VorbisBook(words: 9, lookup: 1), VorbisBook(words: 4, numbers: [1, 1, 2], lookup: 1),
      ]).packet,
    ]
    #expect(HeaderRefusal(of: .vorbis, packets) == nil)
    for count in packets[2].indices {
      let cut = Array(packets.dropLast()) + [Array(packets[2].prefix(count))]
      #expect(HeaderRefusal(of: .vorbis, cut) == .damaged, "\(count) bytes")
    }
    #expect(HeaderRefusal(of: .vorbis, Array(packets.dropLast())) == .damaged)
    #expect(verdict([VorbisBook(dimensions: 0)]) == .damaged)
    #expect(verdict([VorbisBook(dimensions: 65_535, words: 65_535, lookup: 2)]) == .damaged)
    #expect(verdict([VorbisBook(words: 4, numbers: [5])]) == .damaged)
  }

  @Test func `floors of type 0 are refused, and a setup behind the end`() {
    var header = VorbisHeader()
    header.modes = [false, true]
    #expect(verdict(header) == nil)
    header.floor = 0
    #expect(verdict(header) == .floor)
    header.floor = 1
    header.falseModes = [false]
    #expect(verdict(header) == .followed)
  }

  @Test func `a Vorbis header of more than eight channels is refused`() {
    var nine = VorbisHeader.identification
    nine[11] = 9
    #expect(verdict(VorbisHeader(), from: nine) == .channels)
    nine[11] = 8
    #expect(verdict(VorbisHeader(), from: nine) == nil)
  }

  @Test(
    arguments: [
      (2, 0, nil, .damaged), (2, 0, 0, nil), (8, 1, 5, nil), (8, 255, 8, nil),
      (8, 255, 9, .streams), (9, 255, 8, .channels), (255, 255, 255, .channels),
      (2, 1, 255, .streams),
    ] as [(UInt8, UInt8, UInt8?, HeaderRefusal?)])
  func `Opus has a bound for streams and channels`(
    channels: UInt8, family: UInt8, streams: UInt8?, expected: HeaderRefusal?
  ) {
    var head = Array("OpusHead".utf8)
    head += [1, channels, 0, 0, 0x80, 0xBB, 0, 0, 0, 0]
    if let streams {
      head += [family, streams, 0]
      head += [UInt8](repeating: 0, count: Int(channels))
    }
    #expect(HeaderRefusal(of: .opus, [head]) == expected)
  }

  @Test(.enabled(if: AvDecoder.libraryVersion != nil))
  func `a decoder is refused in words before it is made`() throws {
    let file = ToneFile(["-c:a", "libvorbis", "-q:a", "3"], "ogg", 44_100, 2)
    let pages = try file.packets(seconds: 0.5).headers
    let read = OggHeaders.read(pages: pages.span)
    let headers = try #require(read).headers
    _ = try AvDecoder(.vorbis, headers: headers.pages(serial: 1))
    let made = OggHeaders(
      identification: headers.packets[0], comments: headers.comments,
      further: [VorbisHeader([VorbisBook](repeating: Self.costly, count: 256)).packet])
    let costly = try #require(made)
    let error = #expect(throws: AudioError.self) {
      try AvDecoder(.vorbis, headers: costly.pages(serial: 1))
    }
    #expect(error?.reason == "its headers ask for larger codebooks than any encoder makes")
    #expect(error?.advice == "Send a stream as ordinary encoders make it.")
  }

  /// libavcodec's own decoder begins anew with them.
  @Test(.enabled(if: AvDecoder.libraryVersion != nil))
  func `headers of Vorbis among its packets are left out`() throws {
    let file = try ToneFile(["-c:a", "libvorbis", "-q:a", "3"], "ogg", 44_100, 2)
      .packets(seconds: 0.5)
    let costly = VorbisHeader([VorbisBook](repeating: Self.costly, count: 256))
    var (pages, sequence) = ([UInt8](), UInt32(0))
    for packet in [VorbisHeader.identification, VorbisHeader.comment, costly.packet] {
      OggPageWriter.append(
        header: packet, flags: [], serial: 1, sequence: &sequence, to: &pages)
    }
    func heard(_ packets: [[UInt8]]) throws -> [Int16] {
      let decoder = try AvDecoder(.vorbis, headers: file.headers)
      var samples: [Int16] = []
      for packet in packets {
        try packet.withUnsafeBytes { try decoder.decode($0) { samples += $0 } }
      }
      return samples
    }
    let packets = file.packets.map(\.bytes)
    let own = try heard(packets)
    #expect(!own.isEmpty)
    #expect(try heard(Array(packets.prefix(2)) + [pages] + packets.dropFirst(2)) == own)
  }

  @Test(.enabled(if: AvDecoder.libraryVersion != nil))
  func `a packet that holds more sound than it may is refused`() throws {
    let file = try ToneFile(["-c:a", "libvorbis", "-q:a", "3"], "ogg", 44_100, 2)
      .packets(seconds: 1)
    let packet = try #require(file.packets.dropFirst().first).bytes
    func samples(atMost seconds: Double) throws -> Int {
      let decoder = try AvDecoder(.vorbis, headers: file.headers)
      var count = 0
      try packet.withUnsafeBytes { try decoder.decode($0, atMost: seconds) { count += $0.count } }
      return count
    }
    let seconds = Double(try samples(atMost: 1)) / 2 / 44_100
    #expect(try samples(atMost: seconds) > 0)
    let error = #expect(throws: AudioError.self) { try samples(atMost: seconds / 2) }
    #expect(error?.reason.contains("of sound") == true)
  }
}
