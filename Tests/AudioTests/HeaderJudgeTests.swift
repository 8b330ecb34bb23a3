import CAvcodec
import TestSupport
import Testing

@testable import Audio
@testable import Wire

/// What headers may ask of a decoder, before there is one.
struct HeaderJudgeTests {
  private static let name = Array("vorbis".utf8)
  /// Two channels at 44.1 kHz.
  private static let identification: [UInt8] = {
    let rest: [UInt8] = [0, 0, 0, 0, 2, 0x44, 0xAC, 0, 0]
    return [1] + name + rest + [UInt8](repeating: 0, count: 12) + [0xDD, 1]
  }()
  private static let comment: [UInt8] = [3] + name + [0, 0, 0, 0, 0, 0, 0, 0, 1]

  /// A codebook as Vorbis writes it: words of one length, or lengths that the number of each is given of.
  struct Book: Hashable, Sendable {
    var dimensions = 1
    var words = 2
    /// Words of each length, from `least` on; nil: every word has 16 bits.
    var numbers: [Int]?
    var least = 1
    var lookup = 0
  }

  /// Bits of Vorbis, the lowest of a byte first.
  private struct Bits {
    var bytes: [UInt8] = []
    private var count = 0

    mutating func put(_ value: Int, _ bits: Int) {
      for bit in 0..<bits {
        if count % 8 == 0 { bytes.append(0) }
        bytes[count / 8] |= UInt8(value >> bit & 1) << (count % 8)
        count += 1
      }
    }
  }

  private static func setup(_ books: [Book]) -> [UInt8] {
    var bits = Bits()
    bits.put(books.count - 1, 8)
    for book in books {
      bits.put(0x564342, 24)
      bits.put(book.dimensions, 16)
      bits.put(book.words, 24)
      if let numbers = book.numbers {
        bits.put(1, 1)
        bits.put(book.least - 1, 5)
        var done = 0
        for number in numbers {
          bits.put(number, Int.bitWidth - (book.words - done).leadingZeroBitCount)
          done += number
        }
      } else {
        bits.put(0, 2)
        for _ in 0..<book.words { bits.put(15, 5) }
      }
      bits.put(book.lookup, 4)
      guard book.lookup > 0 else { continue }
      bits.put(0, 64)
      bits.put(0, 5)
      var root = 1
      func power(_ base: Int) -> Int {
        (0..<book.dimensions).reduce(1) { product, _ in min(product * base, 1 << 40) }
      }
      while power(root + 1) <= book.words { root += 1 }
      // What is too much is refused before it is read.
      bits.put(0, book.lookup == 1 ? root : min(1 << 20, book.words * book.dimensions))
    }
    // One floor, residue, mapping and mode, as small as they can be.
    for (value, count) in [
      (0, 22), (0, 6), (1, 16), (0, 7), (6, 4), (0, 46), (32, 24), (31, 24), (0, 18), (0, 50),
      (0, 47), (1, 1),
    ] {
      bits.put(value, count)
    }
    return [5] + name + bits.bytes
  }

  private static func laced(_ packets: [[UInt8]]) -> [UInt8] {
    var bytes = [UInt8(packets.count - 1)]
    for packet in packets.dropLast() {
      bytes += [UInt8](repeating: 255, count: packet.count / 255)
      bytes.append(UInt8(packet.count % 255))
    }
    return bytes + packets.joined()
  }

  private func verdict(_ codec: cav_codec, _ bytes: [UInt8]) -> Int32 {
    cav_judge(codec, bytes, bytes.count)
  }

  private func verdict(_ books: [Book], from identification: [UInt8] = identification) -> Int32 {
    verdict(CAV_VORBIS, Self.laced([identification, Self.comment, Self.setup(books)]))
  }

  /// 31,745 words in 16 dimensions, which take 40 bytes.
  private static let costly = Book(
    dimensions: 16, words: 31_745, numbers: [1] + [Int](repeating: 0, count: 9) + [31_744],
    least: 5, lookup: 1)

  @Test func `codebooks that ask for half a gigabyte are refused`() {
    #expect(verdict([Book](repeating: Self.costly, count: 256)) == CAV_CODEBOOKS.rawValue)
    #expect(verdict([Self.costly]) == 0)
  }

  @Test(
    arguments: [
      ([Book(words: 65_536)], true), ([Book(words: 65_537)], false),
      ([Book(words: 32_768), Book(words: 32_768)], true),
      ([Book(words: 32_768), Book(words: 32_768), Book(words: 1)], false),
      // Values are words times dimensions, where there is a table of them.
      ([Book(dimensions: 1 << 15, words: 32, lookup: 1)], true),
      ([Book(dimensions: 1 << 15, words: 33, lookup: 1)], false),
      ([Book(dimensions: 1 << 15, words: 33)], true),
      ([Book(dimensions: 4, words: 81, lookup: 2)], true),
      ([Book(dimensions: 65_535, words: 65_535, lookup: 2)], false),
      // Words longer than 24 bits.
      ([Book(words: 8_192, numbers: [0, 8_192], least: 24)], true),
      ([Book(words: 8_193, numbers: [0, 8_193], least: 24)], false),
      ([Book(words: 8_193, numbers: [8_193], least: 24)], true),
    ])
  func `all codebooks together have a bound`(books: [Book], isTaken: Bool) {
    #expect(verdict(books) == (isTaken ? 0 : CAV_CODEBOOKS.rawValue))
  }

  @Test func `codebooks that end too early, or are none, are damaged`() {
    let whole = Self.laced([
      Self.identification, Self.comment,
      Self.setup([Book(words: 9, lookup: 1), Book(words: 4, numbers: [1, 1, 2], lookup: 1)]),
    ])
    #expect(verdict(CAV_VORBIS, whole) == 0)
    // Behind the codebooks 34 bytes follow, which are libavcodec's to judge.
    for count in 0..<(whole.count - 34) {
      #expect(
        verdict(CAV_VORBIS, Array(whole.prefix(count))) == CAV_DAMAGED.rawValue, "\(count) bytes")
    }
    #expect(verdict([Book(dimensions: 0)]) == CAV_DAMAGED.rawValue)
    #expect(verdict([Book(words: 4, numbers: [5])]) == CAV_DAMAGED.rawValue)
  }

  @Test func `more channels than a cinema has are refused`() {
    var nine = Self.identification
    nine[11] = 9
    #expect(verdict([Book()], from: nine) == CAV_CHANNELS.rawValue)
    nine[11] = 8
    #expect(verdict([Book()], from: nine) == 0)
  }

  @Test(
    arguments: [
      (2, 0, nil, CAV_DAMAGED.rawValue), (2, 0, 0, 0), (8, 1, 5, 0), (8, 255, 8, 0),
      (8, 255, 9, CAV_STREAMS.rawValue), (9, 255, 8, CAV_CHANNELS.rawValue),
      (255, 255, 255, CAV_CHANNELS.rawValue), (2, 1, 255, CAV_STREAMS.rawValue),
    ] as [(UInt8, UInt8, UInt8?, Int32)])
  func `Opus has a bound for streams and channels`(
    channels: UInt8, family: UInt8, streams: UInt8?, expected: Int32
  ) {
    var head = Array("OpusHead".utf8)
    head += [1, channels, 0, 0, 0x80, 0xBB, 0, 0, 0, 0]
    if let streams {
      head += [family, streams, 0]
      head += [UInt8](repeating: 0, count: Int(channels))
    }
    #expect(verdict(CAV_OPUS, head) == expected)
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
      further: [Self.setup([Book](repeating: Self.costly, count: 256))])
    let costly = try #require(made)
    let error = #expect(throws: AudioError.self) {
      try AvDecoder(.vorbis, headers: costly.pages(serial: 1))
    }
    #expect(error?.reason == "its headers ask for larger codebooks than any encoder makes")
    #expect(error?.advice == "Send a stream as ordinary encoders make it.")
  }
}
