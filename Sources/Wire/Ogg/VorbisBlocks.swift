/// The length of a Vorbis packet's block. The identification header holds the two sizes; the setup header says which of
/// them each mode uses (Vorbis I §4.2.2, §4.2.4).
struct VorbisBlocks: Hashable, Sendable {
  private let sizes: (short: Int, long: Int)
  /// Whether each mode uses the long block, in the order of the modes.
  private let isLong: [Bool]

  /// - Parameter exponents: The identification header's 29th byte; the short block's exponent is in the low half.
  init?(exponents: UInt8, _ setup: VorbisSetup) {
    let (short, long) = (Int(exponents & 15), Int(exponents >> 4))
    guard (6...13).contains(short), (short...13).contains(long) else { return nil }
    (sizes, isLong) = ((1 << short, 1 << long), setup.isLong)
  }

  /// Returns the block size of a packet from the mode number in its first byte; nil for a packet that is not audio.
  func size(of first: UInt8) -> Int? {
    let bits = isLong.count > 1 ? Int.bitWidth - (isLong.count - 1).leadingZeroBitCount : 0
    let mode = Int(first >> 1) & (1 << bits - 1)
    guard first & 1 == 0, mode < isLong.count else { return nil }
    return isLong[mode] ? sizes.long : sizes.short
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
