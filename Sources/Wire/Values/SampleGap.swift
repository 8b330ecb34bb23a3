/// Samples at both ends of a file that an encoder added.
public struct SampleGap: Hashable, Sendable {
  /// Samples to leave out at the beginning.
  public var delay: Int
  /// Samples to leave out at the end.
  public var padding: Int
  /// The samples between the two; nil where nothing says so.
  public var samples: Int64?

  public init(delay: Int, padding: Int, samples: Int64? = nil) {
    (self.delay, self.padding, self.samples) = (delay, padding, samples)
  }

  /// The most samples at one end: ten seconds at 48 kHz.
  static let samplesMax = 480_000

  /// Reads iTunSMPB: hexadecimal words, of which the second is the delay, the third the padding, the fourth the length.
  public init?(iTunes text: String) {
    let words = text.utf8.prefix(256).split(separator: UInt8(ascii: " "))
    guard words.count >= 4 else { return nil }
    let numbers = words[1...3].map { Int64(String(decoding: $0, as: UTF8.self), radix: 16) ?? -1 }
    guard numbers.allSatisfy({ $0 >= 0 }), numbers[0] <= Self.samplesMax,
      numbers[1] <= Self.samplesMax, numbers[2] <= Bounds.samples
    else { return nil }
    self.init(
      delay: Int(numbers[0]), padding: Int(numbers[1]),
      samples: numbers[2] > 0 ? numbers[2] : nil)
  }
}
