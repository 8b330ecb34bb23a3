import Wire

/// Makes one loudness of a second's packets, as they are appended.
///
/// Of the estimates of a second's packets the third quartile counts, so that neither a short noise nor a short pause
/// stands for the second.
struct LoudnessMeter {
  /// A finished second of media time.
  struct Second: Hashable {
    var number: Int64
    var loudness: UInt8
  }

  private var number: Int64 = 0
  private var estimates: [UInt8] = []

  /// The most packets of a second that count: AAC at 96 kHz has 94.
  private static let estimatesMax = 256

  /// Adds the packet that begins at `media`; returns the second before, where the packet is the first of another.
  mutating func add(_ packet: Span<UInt8>, _ codec: Codec, at media: MediaTime) -> Second? {
    var finished: Second?
    let second = media.second
    if second != number {
      if !estimates.isEmpty { finished = finish() }
      number = second
    }
    if estimates.count < Self.estimatesMax,
      let estimate = FrameLoudness.estimate(packet, codec: codec)
    {
      estimates.append(estimate)
    }
    return finished
  }

  private mutating func finish() -> Second {
    estimates.sort()
    defer { estimates.removeAll(keepingCapacity: true) }
    return Second(number: number, loudness: estimates[estimates.count * 3 / 4])
  }
}
