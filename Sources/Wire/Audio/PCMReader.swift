/// Reads samples out of WAV streams, or of bytes that are samples and nothing else, however they are split.
///
/// WAV: "Multimedia Programming Interface and Data Specifications 1.0", IBM and Microsoft, 1991, and Microsoft's
/// `WAVEFORMATEXTENSIBLE`. Several files may follow each other. Of more than two channels the first two are read.
public struct PCMReader {
  /// Why the bytes cannot be read, in words.
  public struct Failure: Error, Hashable {
    public var reason: String
  }

  /// How one sample is written.
  private enum Kind: Hashable {
    case u8, s8, s16le, s16be, s24le, s24be, s32le, s32be, f32le, f32be

    var bytes: Int {
      switch self {
      case .u8, .s8: 1
      case .s16le, .s16be: 2
      case .s24le, .s24be: 3
      case .s32le, .s32be, .f32le, .f32be: 4
      }
    }
  }

  private struct Layout: Hashable {
    var kind: Kind
    var rate: Int
    var channels: Int
    var frameBytes: Int { channels * kind.bytes }
  }

  private enum State {
    /// RIFF, a length and WAVE.
    case fileHead
    /// A chunk's name and length.
    case chunkHead
    /// The chunk `fmt ` of so many bytes, of which those that matter are collected.
    case format(bytes: Int)
    case skipping(UInt64)
    /// Bytes of samples to come; nil where they do not end.
    case samples(UInt64?)
  }

  private var state: State
  private var layout: Layout?
  /// Whether a byte that does not count follows the samples.
  private var isPadded = false
  /// The begin of a head or of a frame, the rest of which has not come.
  private var begun: [UInt8] = []

  private static let formatBytesMax = 1024
  private static let channelsMax = 32

  /// Reads WAV.
  public init() { state = .fileHead }

  /// Reads samples of a format, without a head.
  public init(raw format: SampleFormat) {
    let kind: Kind =
      switch format.encoding {
      case .s16le: .s16le
      case .s16be: .s16be
      case .f32le: .f32le
      }
    layout = Layout(kind: kind, rate: format.sampleRate, channels: format.channels)
    state = .samples(nil)
  }

  /// Whether the bytes begin like a WAV file.
  public static func isWAV(_ bytes: some Collection<UInt8>) -> Bool {
    ["RIFF", "RF64"].contains { bytes.starts(with: $0.utf8) }
      && bytes.dropFirst(8).starts(with: "WAVE".utf8)
  }

  /// Reads a piece.
  ///
  /// - Parameter take: gets interleaved samples with their rate in Hz and their number of channels, 1 or 2.
  public mutating func read(
    _ piece: Span<UInt8>, _ take: (_ samples: [Int16], _ rate: Int, _ channels: Int) -> Void
  ) throws(Failure) {
    var from = 0
    while from < piece.count {
      switch state {
      case .fileHead: try readFileHead(piece, &from)
      case .chunkHead: try readChunkHead(piece, &from)
      case .format(let bytes): try readFormat(bytes, piece, &from)
      case .skipping(let left):
        let count = min(left, UInt64(piece.count - from))
        from += Int(count)
        state = count == left ? .chunkHead : .skipping(left - count)
      case .samples(let left): readSamples(left, piece, &from, take)
      }
    }
  }

  // MARK: Heads

  private mutating func readFileHead(_ piece: Span<UInt8>, _ from: inout Int) throws(Failure) {
    guard let head = collect(12, piece, &from) else { return }
    guard Self.isWAV(head) else {
      throw Failure(
        reason:
          "the bytes are no WAV, which begins with RIFF and WAVE; what is MP3 needs no encode:")
    }
    state = .chunkHead
  }

  private mutating func readChunkHead(_ piece: Span<UInt8>, _ from: inout Int) throws(Failure) {
    guard let head = collect(8, piece, &from) else { return }
    let name = String(decoding: head[..<4], as: UTF8.self)
    let length = Self.number(head[4...])
    switch name {
    case "RIFF", "RF64":
      // Another file: its head goes on with WAVE.
      begun = head
      state = .fileHead
    case "fmt ":
      guard 16...Self.formatBytesMax ~= Int(length) else {
        throw Failure(reason: "the WAV's format is \(length) bytes long")
      }
      state = .format(bytes: Int(length) + Int(length & 1))
    case "data":
      guard layout != nil else {
        throw Failure(reason: "the WAV's samples come before their format")
      }
      // A program that writes to a pipe cannot know the length; 0 and the greatest stand for none.
      let isEndless = length == 0 || length >= 0x7FFF_F000
      state = .samples(isEndless ? nil : UInt64(length))
      isPadded = length & 1 == 1
    default:
      // Chunks of an odd length are followed by a byte that does not count.
      state = length == 0 ? .chunkHead : .skipping(UInt64(length) + UInt64(length & 1))
    }
  }

  private mutating func readFormat(
    _ bytes: Int, _ piece: Span<UInt8>, _ from: inout Int
  ) throws(Failure) {
    guard let format = collect(bytes, piece, &from) else { return }
    state = .chunkHead
    layout = try Self.layout(of: format)
  }

  /// Reads the content of a chunk `fmt ` of 16 bytes or more.
  private static func layout(of format: [UInt8]) throws(Failure) -> Layout {
    let (channels, rate) = (Int(Self.number(format[2..<4])), Int(Self.number(format[4..<8])))
    let bits = Int(Self.number(format[14..<16]))
    var tag = Self.number(format[..<2])
    // The first two bytes of the extension's GUID are a plain tag.
    if tag == 0xFFFE, format.count >= 26 { tag = Self.number(format[24..<26]) }
    let kind: Kind? =
      switch (tag, bits) {
      case (1, 8): .u8
      case (1, 16): .s16le
      case (1, 24): .s24le
      case (1, 32): .s32le
      case (3, 32): .f32le
      default: nil
      }
    guard let kind else {
      throw Failure(
        reason: "samples of \(bits) bits of the WAV format \(tag) are not read; "
          + "8, 16, 24 and 32 bits and floats of 32 bits are")
    }
    return try layout(kind, rate, channels)
  }

  private static func layout(
    _ kind: Kind, _ rate: Int, _ channels: Int
  ) throws(Failure) -> Layout {
    guard SampleFormat.rates.contains(rate), 1...channelsMax ~= channels else {
      throw Failure(
        reason: "samples at \(rate) Hz in \(channels) channels are not read; "
          + "8000 to 192000 Hz in 1 to \(channelsMax) channels are")
    }
    return Layout(kind: kind, rate: rate, channels: channels)
  }

  // MARK: Files whose heads were read

  /// Reads the samples of a WAV file whose head was read.
  ///
  /// - Parameter format: the content of its chunk `fmt `, 16 bytes or more.
  public init(waveFormat format: [UInt8]) throws(Failure) {
    guard format.count >= 16 else {
      throw Failure(reason: "the WAV's format is \(format.count) bytes long")
    }
    (layout, state) = (try Self.layout(of: format), .samples(nil))
  }

  /// Reads the samples of an AIFF or AIFF-C file whose head was read ("Audio Interchange File Format", Apple, 1989).
  public init(_ common: AIFFCommon) throws(Failure) {
    let kind: Kind? =
      switch (common.compression, common.bits) {
      case ("NONE", 1...8): .s8
      case ("NONE", 9...16), ("twos", 9...16): .s16be
      case ("sowt", 9...16): .s16le
      case ("NONE", 17...24): .s24be
      case ("NONE", 25...32): .s32be
      case ("fl32", _), ("FL32", _): .f32be
      default: nil
      }
    guard let kind else {
      throw Failure(
        reason: "samples of \(common.bits) bits of the AIFF compression \(common.compression) "
          + "are not read; integers and floats of at most 32 bits are")
    }
    (layout, state) = (
      try Self.layout(kind, common.sampleRate, common.channels), .samples(nil)
    )
  }

  /// Returns so many bytes as soon as they are all there.
  private mutating func collect(
    _ count: Int, _ piece: Span<UInt8>, _ from: inout Int
  ) -> [UInt8]? {
    while begun.count < count {
      if from == piece.count { return nil }
      begun.append(piece[from])
      from += 1
    }
    defer { begun.removeAll(keepingCapacity: true) }
    return begun
  }

  private static func number(_ bytes: some Collection<UInt8>) -> UInt32 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  // MARK: Samples

  private mutating func readSamples(
    _ left: UInt64?, _ piece: Span<UInt8>, _ from: inout Int,
    _ take: ([Int16], Int, Int) -> Void
  ) {
    guard let layout else { return }
    let count = min(piece.count - from, left.map { Int(min($0, UInt64(Int.max))) } ?? .max)
    let shown = min(2, layout.channels)
    var samples: [Int16] = []
    samples.reserveCapacity((begun.count + count) / layout.frameBytes * shown)
    let end = from + count
    while from < end {
      let missing = layout.frameBytes - begun.count
      if begun.isEmpty, end - from >= missing {
        for channel in 0..<shown {
          samples.append(
            Self.sample(piece.extracting((from + channel * layout.kind.bytes)...), layout.kind))
        }
        from += missing
        continue
      }
      begun.append(piece[from])
      from += 1
      if begun.count < layout.frameBytes { continue }
      for channel in 0..<shown {
        samples.append(
          Self.sample(begun.span.extracting((channel * layout.kind.bytes)...), layout.kind))
      }
      begun.removeAll(keepingCapacity: true)
    }
    if let left {
      let rest = left - UInt64(count)
      state = .samples(rest)
      if rest == 0 {
        // What is left of a frame belongs to nothing.
        begun.removeAll(keepingCapacity: true)
        state = isPadded ? .skipping(1) : .chunkHead
      }
    }
    if !samples.isEmpty { take(samples, layout.rate, shown) }
  }

  @inline(__always)
  private static func sample(_ bytes: Span<UInt8>, _ kind: Kind) -> Int16 {
    func word(_ low: Int, _ high: Int) -> Int16 {
      Int16(truncatingIfNeeded: Int(bytes[high]) << 8 | Int(bytes[low]))
    }
    switch kind {
    case .u8: return (Int16(bytes[0]) - 128) * 256
    case .s8: return Int16(Int8(bitPattern: bytes[0])) * 256
    case .s16le: return word(0, 1)
    case .s16be: return word(1, 0)
    case .s24le: return word(1, 2)
    case .s32le: return word(2, 3)
    case .s24be, .s32be: return word(1, 0)
    case .f32le: return float(bytes.littleEndianWord(at: 0))
    case .f32be: return float(bytes.bigEndianWord(at: 0))
    }
  }

  private static func float(_ bits: UInt32) -> Int16 {
    let value = Float(bitPattern: bits)
    let scaled = value.isNaN ? 0 : value * 32_768
    return Int16(max(-32_768, min(32_767, scaled)))  // bounded: clamped
  }
}
