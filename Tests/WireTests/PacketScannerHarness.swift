import TestSupport
import Testing
import Wire

/// What a scanner found, in offsets of the whole stream.
enum Piece: Hashable, CustomStringConvertible {
  case packet(Range<Int>, samples: Int, AudioFormat, bitrate: Int)
  case skipped(Range<Int>, PacketScanner.Skipped)

  var range: Range<Int> {
    switch self {
    case .packet(let range, _, _, _): range
    case .skipped(let range, _): range
    }
  }

  var isPacket: Bool {
    if case .packet = self { true } else { false }
  }

  var description: String {
    switch self {
    case .packet(let range, _, let format, _): "\(format.codec.name) \(range)"
    case .skipped(let range, let kind): "\(kind) \(range)"
    }
  }
}

/// A caller as ingest is one: appends what arrives, drops what is done with, joins pieces of
/// garbage and tags that came apart, and checks the scanner's promises on the way.
struct Harness {
  var scanner: PacketScanner
  private(set) var pieces: [Piece] = []
  private var buffer: [UInt8] = []
  private var dropped = 0

  init(hint: Codec? = nil, isStrict: Bool = false) {
    scanner = PacketScanner(hint: hint, isStrict: isStrict)
  }

  mutating func feed(_ bytes: ArraySlice<UInt8>, atEnd: Bool = false) {
    buffer.append(contentsOf: bytes)
    var from = 0
    let window = buffer
    while let finding = scanner.next(in: window.span, from: from, atEnd: atEnd) {
      #expect(finding.range.lowerBound == from, "findings are contiguous")
      #expect(!finding.range.isEmpty && finding.range.upperBound <= buffer.count)
      add(finding)
      guard finding.range.upperBound > from else { return }
      from = finding.range.upperBound
    }
    #expect(buffer.count - from < 16 * 1024, "16 KiB are always enough for a finding")
    if atEnd { #expect(from == buffer.count, "nothing is left over at the end") }
    dropped += from
    buffer.removeFirst(from)
  }

  private mutating func add(_ finding: PacketScanner.Finding) {
    switch finding {
    case .packet(let packet):
      let range = (packet.range.lowerBound + dropped)..<(packet.range.upperBound + dropped)
      pieces.append(
        .packet(range, samples: packet.samples, packet.format, bitrate: packet.bitrate))
    case .skipped(let range, let kind):
      let range = (range.lowerBound + dropped)..<(range.upperBound + dropped)
      if kind != .infoFrame, case .skipped(let last, kind)? = pieces.last {
        pieces[pieces.count - 1] = .skipped(last.lowerBound..<range.upperBound, kind)
      } else {
        pieces.append(.skipped(range, kind))
      }
    }
  }

  /// Everything at once.
  static func scan(
    _ bytes: [UInt8], hint: Codec? = nil, isStrict: Bool = false, atEnd: Bool = true
  ) -> [Piece] {
    var harness = Harness(hint: hint, isStrict: isStrict)
    harness.feed(bytes[...], atEnd: atEnd)
    return harness.pieces
  }

  /// In two reads, cut at `cut`, then the end.
  static func scan(_ bytes: [UInt8], cutAt cut: Int, hint: Codec? = nil) -> [Piece] {
    var harness = Harness(hint: hint)
    harness.feed(bytes[..<cut])
    harness.feed(bytes[cut...])
    harness.feed([], atEnd: true)
    return harness.pieces
  }

  /// In reads of `length` bytes, then the end.
  static func scan(_ bytes: [UInt8], inReadsOf length: Int, hint: Codec? = nil) -> [Piece] {
    var harness = Harness(hint: hint)
    for start in stride(from: 0, to: bytes.count, by: length) {
      harness.feed(bytes[start..<min(start + length, bytes.count)])
    }
    harness.feed([], atEnd: true)
    return harness.pieces
  }
}

/// The header at `offset`, for `#expect` and `#require`, which cannot hold a span.
func mpegHeader(_ bytes: [UInt8], at offset: Int = 0) -> MPEGHeader? {
  MPEGHeader(in: bytes.span, at: offset)
}

func adtsHeader(_ bytes: [UInt8], at offset: Int = 0) -> ADTSHeader? {
  ADTSHeader(in: bytes.span, at: offset)
}

extension [Piece] {
  var packets: [Range<Int>] { filter(\.isPacket).map(\.range) }
  var kinds: [PacketScanner.Skipped] {
    compactMap { if case .skipped(_, let kind) = $0 { kind } else { nil } }
  }
}

/// Hand-made frames and tags.
enum Make {
  /// MPEG-1 layer III, 32 kbit/s, 48 kHz, mono: 96 bytes.
  static let small: UInt32 = 0xFFFB_14C0
  /// The same at 32 kHz: 144 bytes.
  static let smallAt32: UInt32 = 0xFFFB_18C0
  /// MPEG-1 layer III free format, 48 kHz, mono.
  static let free: UInt32 = 0xFFFB_04C0

  /// A whole frame; its body is bytes below 0x80 derived from `seed`, nothing like a header.
  static func mpeg(_ word: UInt32, seed: Int = 0, bytes: Int? = nil) -> [UInt8] {
    let header = MPEGHeader(word)!
    let length = bytes ?? header.frameBytes!
    var random = SplitMix(seed: UInt64(seed))
    var frame = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
    while frame.count < length { frame.append(UInt8(random.next() & 0x7F)) }
    return frame
  }

  static func mpegs(_ word: UInt32, _ count: Int, seed: Int = 0) -> [UInt8] {
    (0..<count).flatMap { mpeg(word, seed: seed + $0) }
  }

  /// An ADTS frame: MPEG-4, no CRC unless told.
  static func adts(
    profile: Int = 1, rateIndex: Int = 4, channels: Int = 2, bytes: Int = 60, blocks: Int = 1,
    mpeg2: Bool = false, crc: Bool = false, seed: Int = 0
  ) -> [UInt8] {
    var frame: [UInt8] = [
      0xFF, 0xF0 | (mpeg2 ? 8 : 0) | (crc ? 0 : 1),
      UInt8(profile << 6 | rateIndex << 2 | channels >> 2),
      UInt8((channels & 3) << 6 | bytes >> 11), UInt8(bytes >> 3 & 0xFF),
      UInt8((bytes & 7) << 5 | 0x1F), UInt8(0xFC | (blocks - 1)),
    ]
    var random = SplitMix(seed: UInt64(seed))
    while frame.count < bytes { frame.append(UInt8(random.next() & 0x7F)) }
    return frame
  }

  static func adtses(_ count: Int, bytes: Int = 60) -> [UInt8] {
    (0..<count).flatMap { adts(bytes: bytes + $0 % 7, seed: $0) }
  }

  /// Bytes in which nothing can be found.
  static func garbage(_ count: Int, seed: Int = 99) -> [UInt8] {
    var random = SplitMix(seed: UInt64(seed))
    return (0..<count).map { _ in UInt8(random.next() & 0x3F) }
  }

  static func id3v2(body: Int, footer: Bool = false, version: UInt8 = 4) -> [UInt8] {
    let size = [21, 14, 7, 0].map { UInt8(body >> $0 & 0x7F) }
    let head = [version, 0, footer ? 0x10 : 0] + size
    return Array("ID3".utf8) + head + garbage(body)
      + (footer ? Array("3DI".utf8) + head : [])
  }

  static func id3v1() -> [UInt8] { Array("TAG".utf8) + garbage(125) }

  static func apeHead(size: Int, isHeader: Bool) -> [UInt8] {
    func word(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> ($0 * 8) & 0xFF) } }
    return Array("APETAGEX".utf8) + word(2000) + word(size) + word(1)
      + word(0x8000_0000 | (isHeader ? 0x2000_0000 : 0)) + [UInt8](repeating: 0, count: 8)
  }

  /// Header, items, footer.
  static func ape(body: Int) -> [UInt8] {
    apeHead(size: body + 32, isHeader: true) + garbage(body)
      + apeHead(size: body + 32, isHeader: false)
  }

  /// A layer-III frame with a table named `name` at `offset`, else empty.
  static func table(_ name: String, _ word: UInt32, at offset: Int) -> [UInt8] {
    var frame = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
    frame += [UInt8](repeating: 0, count: MPEGHeader(word)!.frameBytes! - 4)
    frame.replaceSubrange(offset..<(offset + 4), with: name.utf8)
    return frame
  }
}
