/// How long a Vorbis packet's block is: the identification header has the two sizes, the setup header says which of
/// them a mode uses (Vorbis I §4.2.2, §4.2.4).
struct VorbisBlocks: Hashable, Sendable {
  private let sizes: (short: Int, long: Int)
  /// Of each mode: whether it uses the long one.
  private let isLong: [Bool]

  /// - Parameters:
  ///   - exponents: the identification header's 29th byte, short in the low half.
  ///   - setup: the setup header.
  init?(exponents: UInt8, setup: Span<UInt8>) {
    let (short, long) = (Int(exponents & 15), Int(exponents >> 4))
    guard (6...13).contains(short), (short...13).contains(long), let modes = Self.modes(in: setup)
    else { return nil }
    sizes = (1 << short, 1 << long)
    isLong = modes
  }

  /// From the mode number in a packet's first byte; nil for a packet that is not audio.
  func size(of first: UInt8) -> Int? {
    let bits = isLong.count > 1 ? Int.bitWidth - (isLong.count - 1).leadingZeroBitCount : 0
    let mode = Int(first >> 1) & (1 << bits - 1)
    guard first & 1 == 0, mode < isLong.count else { return nil }
    return isLong[mode] ? sizes.long : sizes.short
  }

  /// The modes stand at the setup header's end, behind codebooks that only a decoder can step over. So they are read
  /// from the end: before the framing bit, of each mode 8 bits of mapping (of 64 at most), two types of 16 bits that are
  /// always 0, and the flag; before the first one their number less one, in 6 bits. The longest row that agrees with
  /// its number is the right one.
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
  /// `count` bits from bit `place` on; the first is the least significant, of the bytes as of the number.
  fileprivate func bits(_ place: Int, _ count: Int) -> Int {
    (0..<count).reduce(0) { value, index in
      let bit = place + index
      return value | Int(self[bit >> 3] >> (bit & 7) & 1) << index
    }
  }
}
