import TestSupport
import Wire

/// How a programme is encoded: frames of one size, whose bytes tell what they hold.
enum Encoding: UInt8, CaseIterable {
  case mp3, mp3Twice, aac

  var codec: Codec { self == .aac ? .aac : .mp3 }
  var frameSamples: Int { self == .aac ? 1024 : 576 }
  var frameBytes: Int { self == .mp3Twice ? 144 : self == .aac ? 96 : 72 }
  /// Seconds; 8 kHz, so that a year of it can be looked at.
  var frameSeconds: Double { Double(frameSamples) / 8000 }

  private var header: [UInt8] {
    switch self {
    // MPEG-2.5 layer III, 8 or 16 kbit/s, 8 kHz, mono, behind which is side info without anything.
    case .mp3: [0xFF, 0xE3, 0x18, 0xC0] + [UInt8](repeating: 0, count: 9)
    case .mp3Twice: [0xFF, 0xE3, 0x28, 0xC0] + [UInt8](repeating: 0, count: 9)
    case .aac: [0xFF, 0xF1, 0x6C, 0x40, UInt8(96 >> 3), UInt8((96 & 7) << 5) | 0x1F, 0xFC]
    }
  }

  /// The frame that holds `content`, which has 56 bits. Behind the header nothing looks like one.
  func frame(_ content: UInt64) -> [UInt8] {
    var frame = header
    frame.reserveCapacity(frameBytes)
    for place in 0..<8 { frame.append(UInt8(truncatingIfNeeded: content >> (7 * place)) & 0x7F) }
    var state = content &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(rawValue)
    while frame.count < frameBytes {
      state ^= state >> 31
      state &*= 0xBF58_476D_1CE4_E5B9
      frame.append(UInt8(truncatingIfNeeded: state >> 40) & 0x7F)
    }
    return frame
  }

  /// What a frame that begins there is and holds; nil: none of ours, or not all of it.
  static func read(_ bytes: ArraySlice<UInt8>) -> (encoding: Encoding, content: UInt64)? {
    guard bytes.count >= 4, bytes[bytes.startIndex] == 0xFF else { return nil }
    let start = bytes.startIndex
    let encoding: Encoding
    switch (bytes[start + 1], bytes[start + 2]) {
    case (0xE3, 0x18): encoding = .mp3
    case (0xE3, 0x28): encoding = .mp3Twice
    case (0xF1, 0x6C): encoding = .aac
    default: return nil
    }
    guard bytes.count >= encoding.frameBytes else { return nil }
    let digits = start + encoding.header.count
    var content: UInt64 = 0
    for place in 0..<8 { content |= UInt64(bytes[digits + place]) << (7 * place) }
    let whole = encoding.frame(content)
    guard bytes.prefix(encoding.frameBytes).elementsEqual(whole) else { return nil }
    return (encoding, content)
  }
}

/// What is on air: each frame is another one, but for jingles, loops and silence.
struct SimulatedProgramme {
  let seed: UInt64
  /// Whether anything comes twice.
  let repeats: Bool

  private static let slotSeconds = 64.0
  private static let jingle: UInt64 = 1 << 40
  private static let loop: UInt64 = 2 << 40
  private static let silence: UInt64 = 3 << 40

  private struct Piece {
    var kind: UInt64
    var frames: Range<Int>
    /// Seconds after which it says the same again.
    var period: Double
  }

  /// What in a slot has been heard elsewhere.
  private func piece(_ slot: Int, _ encoding: Encoding) -> Piece? {
    guard repeats, slot > 0 else { return nil }
    var random = SplitMix(seed: seed ^ UInt64(slot) &* 0xD6E8_FEB8_6659_FD93)
    let kind = random.next() % 10
    let (base, offset, length, period): (UInt64, Double, Double, Double)
    switch kind {
    case 0...2: (base, offset, length, period) = (Self.jingle + kind << 32, 20, 3, 3)
    case 3: (base, offset, length, period) = (Self.loop, 10, 12, 1.5)
    case 4: (base, offset, length, period) = (Self.silence, 30, 8, 0.5)
    default: return nil
    }
    let start = Double(slot) * Self.slotSeconds + offset
    let first = Int((start / encoding.frameSeconds).rounded())
    let count = Int(length / encoding.frameSeconds)
    return Piece(kind: base, frames: first..<first + count, period: period)
  }

  private func slot(_ index: Int, _ encoding: Encoding) -> Int {
    Int(Double(index) * encoding.frameSeconds / Self.slotSeconds)
  }

  func content(_ index: Int, _ encoding: Encoding) -> UInt64 {
    guard let piece = piece(slot(index, encoding), encoding), piece.frames.contains(index) else {
      return UInt64(index)
    }
    return Self.content(index - piece.frames.lowerBound, of: piece, encoding)
  }

  private static func content(_ place: Int, of piece: Piece, _ encoding: Encoding) -> UInt64 {
    let period = max(2, Int(piece.period / encoding.frameSeconds))
    return piece.kind + UInt64(place % period)
  }

  /// Both are of the same loop, or of silence.
  static func isPeriodic(_ content: UInt64, _ next: UInt64) -> Bool {
    content >= loop && content >> 40 == next >> 40
  }

  /// Which frames between two moments hold `content`.
  func places(of content: UInt64, _ encoding: Encoding, from: Double, to: Double) -> [Int] {
    let frame = encoding.frameSeconds
    if content < Self.jingle {
      let time = Double(content) * frame
      return time >= from - frame && time <= to + frame ? [Int(content)] : []
    }
    var places: [Int] = []
    let first = max(0, Int(from / Self.slotSeconds) - 1)
    for slot in first...max(first, Int(to / Self.slotSeconds)) {
      guard let piece = piece(slot, encoding), piece.kind & ~0xFFFF == content & ~0xFFFF else {
        continue
      }
      for index in piece.frames
      where Self.content(index - piece.frames.lowerBound, of: piece, encoding) == content {
        let time = Double(index) * frame
        if time >= from - frame, time <= to + frame { places.append(index) }
      }
    }
    return places
  }
}
