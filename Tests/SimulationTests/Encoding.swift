import Wire

/// How a programme is encoded: frames of one size, whose bytes tell what they hold.
enum Encoding: UInt8, CaseIterable {
  case mp3, mp3Twice, aac
  /// Pages of Ogg.
  case opus

  /// Without Ogg.
  static let plain: [Encoding] = [.mp3, .mp3Twice, .aac]

  var isOgg: Bool { self == .opus }

  var codec: Codec {
    switch self {
    case .mp3, .mp3Twice: .mp3
    case .aac: .aac
    case .opus: .opus
    }
  }

  var frameSamples: Int {
    switch self {
    case .mp3, .mp3Twice: 576
    case .aac: 1024
    case .opus: 960
    }
  }

  var frameBytes: Int {
    switch self {
    case .mp3: 72
    case .mp3Twice: 144
    case .aac: 96
    case .opus: SimulatedOgg.pageBytes
    }
  }

  /// Seconds; 8 kHz, so that a year of it can be looked at.
  var frameSeconds: Double { Double(frameSamples) / 8000 }

  private var header: [UInt8] {
    switch self {
    // MPEG-2.5 layer III, 8 or 16 kbit/s, 8 kHz, mono, behind which is side info without anything.
    case .mp3: [0xFF, 0xE3, 0x18, 0xC0] + [UInt8](repeating: 0, count: 9)
    case .mp3Twice: [0xFF, 0xE3, 0x28, 0xC0] + [UInt8](repeating: 0, count: 9)
    case .aac: [0xFF, 0xF1, 0x6C, 0x40, UInt8(96 >> 3), UInt8((96 & 7) << 5) | 0x1F, 0xFC]
    case .opus: SimulatedOgg.head
    }
  }

  /// The frame that holds `content`, which has 56 bits. Behind the header nothing looks like one.
  ///
  /// Of Ogg without its place in a stream.
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
    if isOgg { frame[SimulatedOgg.secondPacket] = SimulatedOgg.packetKind }
    return frame
  }

  /// Whether `part` is what the frame that holds `content` begins with, wherever that is in a stream.
  func isBeginning(_ part: ArraySlice<UInt8>, of content: UInt64) -> Bool {
    let whole = frame(content)
    guard part.count <= whole.count else { return false }
    if !isOgg { return part.elementsEqual(whole.prefix(part.count)) }
    return zip(part, whole).enumerated().allSatisfy { place, bytes in
      SimulatedOgg.placeBytes.contains(place) || bytes.0 == bytes.1
    }
  }

  /// What a frame that begins there is and holds; nil: none of ours, or not all of it.
  static func read(_ bytes: ArraySlice<UInt8>) -> (encoding: Encoding, content: UInt64)? {
    guard bytes.count >= 4 else { return nil }
    let start = bytes.startIndex
    let encoding: Encoding
    switch (bytes[start], bytes[start + 1], bytes[start + 2]) {
    case (0xFF, 0xE3, 0x18): encoding = .mp3
    case (0xFF, 0xE3, 0x28): encoding = .mp3Twice
    case (0xFF, 0xF1, 0x6C): encoding = .aac
    case (UInt8(ascii: "O"), UInt8(ascii: "g"), UInt8(ascii: "g")): encoding = .opus
    default: return nil
    }
    guard bytes.count >= encoding.frameBytes else { return nil }
    let digits = start + encoding.header.count
    var content: UInt64 = 0
    for place in 0..<8 { content |= UInt64(bytes[digits + place]) << (7 * place) }
    guard encoding.isBeginning(bytes.prefix(encoding.frameBytes), of: content) else { return nil }
    if encoding.isOgg, SimulatedOgg.place(of: bytes) == nil { return nil }
    return (encoding, content)
  }
}
