/// SipHash-2-4 (Aumasson and Bernstein, 2012) over whole words: the same numbers in every process, build and year.
///
/// Swift's `Hasher` has another seed in each process.
struct SipHash {
  private var v0: UInt64
  private var v1: UInt64
  private var v2: UInt64
  private var v3: UInt64
  private var bytes: UInt64 = 0

  init(_ key0: UInt64, _ key1: UInt64) {
    v0 = key0 ^ 0x736f_6d65_7073_6575
    v1 = key1 ^ 0x646f_7261_6e64_6f6d
    v2 = key0 ^ 0x6c79_6765_6e65_7261
    v3 = key1 ^ 0x7465_6462_7974_6573
  }

  /// Adds eight bytes, the lowest first.
  mutating func add(_ word: UInt64) {
    bytes &+= 8
    compress(word)
  }

  /// Returns the hash of all that was added, and of up to seven bytes more.
  consuming func finish(_ rest: some Sequence<UInt8> = EmptyCollection<UInt8>()) -> UInt64 {
    var last: UInt64 = 0
    var shift: UInt64 = 0
    for byte in rest {
      last |= UInt64(byte) << shift
      shift += 8
    }
    compress((bytes &+ shift / 8) << 56 | last)
    v2 ^= 0xff
    for _ in 0..<4 { round() }
    return v0 ^ v1 ^ v2 ^ v3
  }

  /// Returns the hash of a text's UTF-8.
  static func of(_ text: some StringProtocol, _ key0: UInt64 = 0, _ key1: UInt64 = 0) -> UInt64 {
    var hash = SipHash(key0, key1)
    var (word, count): (UInt64, UInt64) = (0, 0)
    for byte in text.utf8 {
      word |= UInt64(byte) << (count % 8 * 8)
      count += 1
      if count % 8 == 0 {
        hash.add(word)
        word = 0
      }
    }
    return hash.finish((0..<count % 8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) })
  }

  private mutating func compress(_ word: UInt64) {
    v3 ^= word
    round()
    round()
    v0 ^= word
  }

  private mutating func round() {
    v0 = v0 &+ v1
    v2 = v2 &+ v3
    v1 = Self.rotate(v1, 13) ^ v0
    v3 = Self.rotate(v3, 16) ^ v2
    v0 = Self.rotate(v0, 32)
    v2 = v2 &+ v1
    v0 = v0 &+ v3
    v1 = Self.rotate(v1, 17) ^ v2
    v3 = Self.rotate(v3, 21) ^ v0
    v2 = Self.rotate(v2, 32)
  }

  private static func rotate(_ word: UInt64, _ bits: UInt64) -> UInt64 {
    word << bits | word >> (64 - bits)
  }
}
