/// What a Vorbis setup header says, read from its beginning to its framing bit as decoders do (Vorbis I §4.2.4).
public struct VorbisSetup: Hashable, Sendable {
  /// Words of all codebooks.
  public private(set) var words = 0
  /// Words of the codebooks some of whose words are longer than 24 bits.
  public private(set) var deepWords = 0
  /// Values of all codebooks' tables: words times dimensions.
  public private(set) var values = 0
  /// Whether a floor is of type 0, which encoders wrote before 2001 only.
  public private(set) var hasFloorZero = false
  /// Whether bits behind the framing bit are set, which no decoder reads.
  public private(set) var isFollowed = false
  /// Whether each mode uses the long block, in the order of the modes.
  private(set) var isLong: [Bool] = []

  private static let shallowBits = 24

  /// - Parameters:
  ///   - packet: The setup header.
  ///   - channels: Those that the identification header names.
  /// - Returns: Nil for a damaged header.
  public init?(_ packet: [UInt8], channels: Int) {
    guard packet.first == 5, packet.span.holds("vorbis", at: 1) else { return nil }
    var bits = Bits(packet, from: 7)
    guard readCodebooks(&bits), Self.skipTimes(&bits), readFloors(&bits),
      Self.skipResidues(&bits), let mappings = Self.skipMappings(&bits, channels),
      readModes(&bits, mappings: mappings), bits.read(1) == 1, !bits.isOver
    else { return nil }
    isFollowed = bits.isAnySet
  }

  // MARK: Codebooks (§3.2.1)

  private mutating func readCodebooks(_ bits: inout Bits) -> Bool {
    for _ in 0...bits.read(8) where !readCodebook(&bits) { return false }
    return true
  }

  private mutating func readCodebook(_ bits: inout Bits) -> Bool {
    guard bits.read(24) == 0x564342 else { return false }
    let (dimensions, count) = (bits.read(16), bits.read(24))
    guard dimensions > 0, let longest = Self.longestWord(of: count, &bits) else { return false }
    words += count
    if longest > Self.shallowBits { deepWords += count }
    let lookup = bits.read(4)
    guard lookup <= 2 else { return false }
    if lookup > 0 {
      values += count * dimensions
      bits.skip(64)
      let valueBits = bits.read(4) + 1
      bits.skip(1)
      bits.skip(
        (lookup == 1 ? Self.root(of: count, dimensions) : count * dimensions) * valueBits)
    }
    return !bits.isOver
  }

  /// Reads the lengths of a codebook's words.
  ///
  /// - Returns: The greatest in bits; nil where they are damaged.
  private static func longestWord(of words: Int, _ bits: inout Bits) -> Int? {
    var longest = 0
    if bits.read(1) == 1 {
      var (length, word) = (bits.read(5) + 1, 0)
      while word < words {
        let left = words - word
        let number = bits.read(Int.bitWidth - left.leadingZeroBitCount)
        guard length <= 32, number <= left, !bits.isOver else { return nil }
        if number > 0 { longest = length }
        (length, word) = (length + 1, word + number)
      }
      return longest
    }
    let isSparse = bits.read(1) == 1
    var word = 0
    while word < words, !bits.isOver {
      word += 1
      if isSparse, bits.read(1) == 0 { continue }
      longest = max(longest, bits.read(5) + 1)
    }
    return longest
  }

  /// Returns the greatest number whose power is no more than `words`.
  private static func root(of words: Int, _ power: Int) -> Int {
    func isTooGreat(_ root: Int) -> Bool {
      var (product, left) = (1, root > 1 ? power : 0)
      while left > 0, product <= words { (product, left) = (product * root, left - 1) }
      return product > words
    }
    var (low, high) = (0, words + 1)
    while low + 1 < high {
      let middle = (low + high) / 2
      if isTooGreat(middle) { high = middle } else { low = middle }
    }
    return low
  }

  // MARK: Floors and residues (§6.2.1, §7.2.2, §8.6.1)

  /// Placeholders that are always 0.
  private static func skipTimes(_ bits: inout Bits) -> Bool {
    for _ in 0...bits.read(6) where bits.read(16) != 0 { return false }
    return true
  }

  private mutating func readFloors(_ bits: inout Bits) -> Bool {
    for _ in 0...bits.read(6) {
      switch bits.read(16) {
      case 0:
        hasFloorZero = true
        bits.skip(8 + 16 + 16 + 6 + 8)
        for _ in 0...bits.read(4) { bits.skip(8) }
      case 1: Self.skipFloor(&bits)
      default: return false
      }
    }
    return !bits.isOver
  }

  /// A floor of type 1.
  private static func skipFloor(_ bits: inout Bits) {
    let classes = (0..<bits.read(5)).map { _ in bits.read(4) }
    var dimensions: [Int] = []
    for _ in 0..<(classes.max() ?? -1) + 1 {
      dimensions.append(bits.read(3) + 1)
      let subclasses = bits.read(2)
      if subclasses > 0 { bits.skip(8) }
      bits.skip(8 << subclasses)
    }
    bits.skip(2)
    let range = bits.read(4)
    for each in classes { bits.skip(dimensions[each] * range) }
  }

  private static func skipResidues(_ bits: inout Bits) -> Bool {
    for _ in 0...bits.read(6) {
      guard bits.read(16) <= 2 else { return false }
      bits.skip(24 + 24 + 24)
      let classes = bits.read(6) + 1
      bits.skip(8)
      var books = 0
      for _ in 0..<classes {
        let low = bits.read(3)
        let high = bits.read(1) == 1 ? bits.read(5) : 0
        books += low.nonzeroBitCount + high.nonzeroBitCount
      }
      bits.skip(8 * books)
    }
    return !bits.isOver
  }

  // MARK: Mappings and modes

  /// - Returns: How many there are; nil where they are damaged.
  private static func skipMappings(_ bits: inout Bits, _ channels: Int) -> Int? {
    let count = bits.read(6) + 1
    for _ in 0..<count {
      guard bits.read(16) == 0 else { return nil }
      let submaps = bits.read(1) == 1 ? bits.read(4) + 1 : 1
      if bits.read(1) == 1 {
        guard channels > 1 else { return nil }
        let length = Int.bitWidth - (channels - 1).leadingZeroBitCount
        bits.skip((bits.read(8) + 1) * 2 * length)
      }
      guard bits.read(2) == 0 else { return nil }
      if submaps > 1 { bits.skip(4 * channels) }
      bits.skip(24 * submaps)
    }
    return bits.isOver ? nil : count
  }

  private mutating func readModes(_ bits: inout Bits, mappings: Int) -> Bool {
    for _ in 0...bits.read(6) {
      isLong.append(bits.read(1) == 1)
      guard bits.read(16) == 0, bits.read(16) == 0, bits.read(8) < mappings else { return false }
    }
    return true
  }
}

/// Bits of Vorbis, the lowest of a byte first (§2.1). Behind the end they are 0.
private struct Bits {
  private let bytes: [UInt8]
  private var place: Int

  /// - Parameter byte: Of the first bit.
  init(_ bytes: [UInt8], from byte: Int) { (self.bytes, place) = (bytes, 8 * byte) }

  /// Whether more was read than there is.
  var isOver: Bool { place > 8 * bytes.count }

  /// Whether one that was not read is 1.
  var isAnySet: Bool {
    let (byte, bit) = (place >> 3, place & 7)
    guard byte < bytes.count else { return false }
    return bytes[byte] >> bit != 0 || bytes[(byte + 1)...].contains { $0 != 0 }
  }

  mutating func read(_ count: Int) -> Int {
    let byte = place >> 3
    var value = 0
    for index in byte..<byte + 4 where index < bytes.count {
      value |= Int(bytes[index]) << (8 * (index - byte))
    }
    value >>= place & 7
    place += count
    return value & (1 << count - 1)
  }

  /// A setup header of 128 KiB asks for 2^50 at most, so that the sum fits.
  mutating func skip(_ count: Int) { place += count }
}
