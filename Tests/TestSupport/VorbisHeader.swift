/// Bits of Vorbis, the lowest of a byte first.
public struct VorbisBits {
  public private(set) var bytes: [UInt8] = []
  private var count = 0

  public init() {}

  public mutating func put(_ value: Int, _ bits: Int) {
    for bit in 0..<bits {
      if count % 8 == 0 { bytes.append(0) }
      bytes[count / 8] |= UInt8(value >> bit & 1) << (count % 8)
      count += 1
    }
  }
}

/// A codebook as Vorbis writes it: words of one length, or lengths that the number of each is given of.
public struct VorbisBook: Hashable, Sendable {
  public var dimensions: Int
  public var words: Int
  /// Words of each length, from `least` on; nil: every word has 16 bits.
  public var numbers: [Int]?
  public var least: Int
  public var lookup: Int

  public init(
    dimensions: Int = 1, words: Int = 2, numbers: [Int]? = nil, least: Int = 1, lookup: Int = 0
  ) {
    (self.dimensions, self.words, self.lookup) = (dimensions, words, lookup)
    (self.numbers, self.least) = (numbers, least)
  }

  fileprivate func put(into bits: inout VorbisBits) {
    bits.put(0x564342, 24)
    bits.put(dimensions, 16)
    bits.put(words, 24)
    if let numbers {
      bits.put(1, 1)
      bits.put(least - 1, 5)
      var done = 0
      for number in numbers {
        bits.put(number, Int.bitWidth - (words - done).leadingZeroBitCount)
        done += number
      }
    } else {
      bits.put(0, 2)
      for _ in 0..<words { bits.put(15, 5) }
    }
    bits.put(lookup, 4)
    guard lookup > 0 else { return }
    bits.put(0, 64)
    bits.put(0, 5)
    var root = 1
    func power(_ base: Int) -> Int {
      (0..<dimensions).reduce(1) { product, _ in min(product * base, 1 << 40) }
    }
    while power(root + 1) <= words { root += 1 }
    // What is too much is refused before it is read.
    bits.put(0, lookup == 1 ? root : min(1 << 21, words * dimensions))
  }
}

/// A setup header of Vorbis, as small as it can be but for what a test wants of it.
public struct VorbisHeader: Hashable, Sendable {
  public static let name = Array("vorbis".utf8)
  /// Two channels at 44.1 kHz, blocks of 64 and 8,192 samples.
  public static let identification: [UInt8] = {
    let rest: [UInt8] = [0, 0, 0, 0, 2, 0x44, 0xAC, 0, 0]
    return [1] + name + rest + [UInt8](repeating: 0, count: 12) + [0xD6, 1]
  }()
  public static let comment: [UInt8] = [3] + name + [0, 0, 0, 0, 0, 0, 0, 0, 1]

  public var books = [VorbisBook()]
  public var floor = 1
  /// What stands in each submap where nothing is read: 8 bits.
  public var times = [0]
  /// Whether each mode uses the long block.
  public var modes = [false]
  /// Of the modes.
  public var mapping = 0
  public var windowType = 0
  public var framing = 1
  /// Modes behind the framing bit, with one of their own.
  public var falseModes: [Bool] = []

  public init() {}

  public init(_ books: [VorbisBook]) { self.books = books }

  public var packet: [UInt8] {
    var bits = VorbisBits()
    bits.put(books.count - 1, 8)
    for book in books { book.put(into: &bits) }
    // Times, and one floor.
    for (value, count) in [(0, 22), (0, 6), (floor, 16)] { bits.put(value, count) }
    if floor == 0 {
      for (value, count) in [(255, 8), (100, 16), (65_535, 16), (1, 6), (0, 8), (0, 4), (0, 8)] {
        bits.put(value, count)
      }
    } else {
      for (value, count) in [(0, 7), (6, 4)] { bits.put(value, count) }
    }
    // One residue and mapping.
    for (value, count) in [(0, 22), (0, 24), (32, 24), (31, 24), (0, 18), (0, 22)] {
      bits.put(value, count)
    }
    bits.put(times.count > 1 ? 1 : 0, 1)
    if times.count > 1 { bits.put(times.count - 1, 4) }
    bits.put(0, 3)
    if times.count > 1 { bits.put(0, 8) }
    for time in times {
      bits.put(time, 8)
      bits.put(0, 16)
    }
    put(modes, into: &bits)
    bits.put(framing, 1)
    if !falseModes.isEmpty {
      put(falseModes, into: &bits)
      bits.put(1, 1)
    }
    return [5] + Self.name + bits.bytes
  }

  private func put(_ modes: [Bool], into bits: inout VorbisBits) {
    bits.put(modes.count - 1, 6)
    for isLong in modes {
      bits.put(isLong ? 1 : 0, 1)
      bits.put(windowType, 16)
      bits.put(0, 16)
      bits.put(mapping, 8)
    }
  }
}
