import TestSupport

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

  /// Which frames of the same piece hold what `index` holds: nobody hears how often a loop or silence went round, and a
  /// log may have more or fewer rounds of it than were on air.
  func alike(_ index: Int, _ encoding: Encoding) -> [Int] {
    guard let piece = piece(slot(index, encoding), encoding), piece.frames.contains(index) else {
      return [index]
    }
    let content = content(index, encoding)
    return piece.frames.filter { self.content($0, encoding) == content }
  }

  /// It is on air once.
  func isUnique(_ content: UInt64) -> Bool { content < Self.jingle }

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
