/// The samples of a block of packets, each packet's in its place.
///
/// A decoder may hand on a packet's samples with those of the next, and leave out packets that it cannot decode. Samples
/// are placed by where they end, so that neither moves what follows: what is missing is silence.
public struct BlockSamples: Sendable {
  public let sampleRate: Int
  /// 1 or 2.
  public let channels: Int
  /// Interleaved.
  public private(set) var samples: [Int16] = []

  public init(sampleRate: Int, channels: Int) {
    (self.sampleRate, self.channels) = (sampleRate, channels)
  }

  /// Appends a packet.
  ///
  /// - Parameters:
  ///   - decoded: interleaved samples that a decoder handed on once it had the packet, in as many channels as these.
  ///   - count: samples of each channel that the packet has.
  public mutating func append(_ decoded: ArraySlice<Int16>, count: Int) {
    samples.append(contentsOf: repeatElement(0, count: max(0, count) * channels))
    let placed = decoded.suffix(samples.count)
    samples.replaceSubrange((samples.count - placed.count)..., with: placed)
  }

  /// Returns interleaved samples in these channels.
  public func mixed(_ decoded: [Int16], from channels: Int) -> [Int16] {
    switch (channels, self.channels) {
    case (2, 1):
      stride(from: 0, to: decoded.count - 1, by: 2).map { index in
        Int16((Int(decoded[index]) + Int(decoded[index + 1])) / 2)  // bounded: a mean
      }
    case (1, 2): decoded.flatMap { [$0, $0] }
    default: decoded
    }
  }

  /// The same samples from the last to the first. Left stays left.
  public var reversed: [Int16] {
    if channels == 1 { return samples.reversed() }
    var reversed = samples
    reversed.reverse()
    for index in stride(from: 0, to: reversed.count - 1, by: 2) {
      reversed.swapAt(index, index + 1)
    }
    return reversed
  }
}
