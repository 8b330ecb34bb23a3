/// The length of a Vorbis packet's block. The identification header holds the two sizes; the setup header says which of
/// them each mode uses (Vorbis I §4.2.2, §4.2.4).
struct VorbisBlocks: Hashable, Sendable {
  private let sizes: (short: Int, long: Int)
  /// Whether each mode uses the long block, in the order of the modes.
  private let isLong: [Bool]

  /// - Parameters:
  ///   - exponents: The identification header's 29th byte; the short block's exponent is in the low half.
  ///   - setup: The setup header.
  init?(exponents: UInt8, setup: Span<UInt8>) {
    let (short, long) = (Int(exponents & 15), Int(exponents >> 4))
    guard (6...13).contains(short), (short...13).contains(long), let modes = Self.modes(in: setup)
    else { return nil }
    sizes = (1 << short, 1 << long)
    isLong = modes
  }

  /// Returns the block size of a packet from the mode number in its first byte; nil for a packet that is not audio.
  func size(of first: UInt8) -> Int? {
    let bits = isLong.count > 1 ? Int.bitWidth - (isLong.count - 1).leadingZeroBitCount : 0
    let mode = Int(first >> 1) & (1 << bits - 1)
    guard first & 1 == 0, mode < isLong.count else { return nil }
    return isLong[mode] ? sizes.long : sizes.short
  }

  /// Reads the modes from the end of the setup header, because they follow codebooks that only a decoder can step over.
  ///
  /// Before the framing bit each mode has 8 bits of mapping (below 64), two types of 16 bits that are always 0, and the
  /// flag. Before the first mode stands the number of modes less one, in 6 bits. The longest row of modes that agrees
  /// with its number is the right one.
  private static func modes(in setup: Span<UInt8>) -> [Bool]? {
    guard let last = setup.indices.last(where: { setup[$0] != 0 }) else { return nil }
    var place = last * 8 + 7 - setup[last].leadingZeroBitCount
    var flags: [Bool] = []
    var found: [Bool]?
    while place >= 47, flags.count < 64, setup.bits(place - 8, 8) < 64,
      setup.bits(place - 24, 16) == 0, setup.bits(place - 40, 16) == 0
    {
      place -= 41
      flags.append(setup.bits(place, 1) == 1)
      if setup.bits(place - 6, 6) == flags.count - 1 { found = flags.reversed() }
    }
    return found
  }

  static func == (one: VorbisBlocks, other: VorbisBlocks) -> Bool {
    one.sizes == other.sizes && one.isLong == other.isLong
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(sizes.short)
    hasher.combine(sizes.long)
    hasher.combine(isLong)
  }
}

extension Span<UInt8> {
  /// Returns `count` bits from bit `place` on; the first bit is the least significant, in the bytes as in the result.
  fileprivate func bits(_ place: Int, _ count: Int) -> Int {
    (0..<count).reduce(0) { value, index in
      let bit = place + index
      return value | Int(self[bit >> 3] >> (bit & 7) & 1) << index
    }
  }
}
