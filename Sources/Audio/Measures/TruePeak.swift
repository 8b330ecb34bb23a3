import Glibc

/// The greatest amplitude of the sound between the samples, by four times the samples (ITU-R BS.1770-4, annex 2).
///
/// Our own: libebur128's takes 0.2 % of a core for a station in stereo, which is most of what all measures may. This takes
/// 0.03 % at most, as it makes eight values at once, and none where they cannot be above the peak so far. A sine up to a
/// quarter of the sample rate reads at most 0.2 dB more or 0.4 dB less (EBU Tech 3341).
struct TruePeak {
  /// Amplitude, 1 is full scale; of the samples themselves too.
  private(set) var peak: Float = 0

  /// Samples that each value between two samples is made of.
  private static let taps = 12
  /// Samples by which the place that is looked at is behind the newest.
  static let reach = taps / 2
  /// Weights of the samples around each of the three places between two samples, one place after the other.
  private static let weights: [Float] = (1...3).flatMap { place in
    let raw = (0..<taps).map { tap -> Double in
      let distance = Double(tap - taps / 2 + 1) - Double(place) / 4
      let sinc = distance == 0 ? 1 : sin(.pi * distance) / (.pi * distance)
      // A raised cosine over all of the samples.
      return sinc * (0.5 + 0.5 * cos(.pi * distance / (Double(taps) / 2 + 0.5)))
    }
    // Constant samples stay as they are.
    let sum = raw.reduce(0, +)
    return raw.map { Float($0 / sum) }
  }

  /// The last samples before, then those that are added, then zeros that vectors may read.
  private var samples = [Float](repeating: 0, count: Self.taps - 1 + Self.lanes)
  private static let lanes = 8

  /// Adds one channel of interleaved samples.
  mutating func add(_ interleaved: UnsafeBufferPointer<Int16>, channel: Int, of channels: Int) {
    let count = interleaved.count / channels
    let kept = Self.taps - 1
    guard count > 0 else { return }
    let missing = kept + count + Self.lanes - samples.count
    if missing > 0 { samples += repeatElement(0, count: missing) }
    peak = samples.withUnsafeMutableBufferPointer { samples in
      for index in 0..<count {
        samples[kept &+ index] = Float(interleaved[index &* channels &+ channel]) * (1 / 32768)
      }
      for index in 0..<Self.lanes { samples[kept &+ count &+ index] = 0 }
      let peak = Self.peak(of: UnsafeBufferPointer(samples), count, above: peak)
      for index in 0..<kept { samples[index] = samples[count &+ index] }
      return peak
    }
  }

  /// Values between two samples are at most this often as great as the greatest of the samples around them.
  private static let overshoot = (0..<3).map { place in
    weights[(place * taps)..<((place + 1) * taps)].reduce(0) { $0 + abs($1) }
  }.max()!
  /// Samples that are looked at together, a multiple of `lanes`.
  private static let stretch = 64

  /// The greatest amplitude of the first `count` samples, of those behind them that are kept, and between them; `above`
  /// at least. Where samples are too small to come above that, nothing between them is looked at.
  private static func peak(
    of samples: UnsafeBufferPointer<Float>, _ count: Int, above: Float
  ) -> Float {
    let bytes = UnsafeRawBufferPointer(samples)
    var (peak, from) = (above, 0)
    while from < count {
      let length = min(stretch, count &- from)
      var greatest = SIMD8<Float>.zero
      var index = from
      while index < from &+ length &+ taps &- 1 {
        let values = bytes.loadUnaligned(fromByteOffset: index &* 4, as: SIMD8<Float>.self)
        greatest = greater(greatest, magnitude(values))
        index &+= lanes
      }
      let loudest = greatest.max()
      peak = max(peak, loudest)
      if loudest * overshoot > peak { peak = max(peak, between(bytes, from, length)) }
      from &+= length
    }
    return peak
  }

  /// The greatest amplitude between `count` samples from `first` on.
  private static func between(
    _ bytes: UnsafeRawBufferPointer, _ first: Int, _ count: Int
  ) -> Float {
    var greatest = SIMD8<Float>.zero
    weights.withUnsafeBufferPointer { weights in
      var index = 0
      while index < count {
        var (one, two, three) = (SIMD8<Float>.zero, SIMD8<Float>.zero, SIMD8<Float>.zero)
        for tap in 0..<taps {
          let around = bytes.loadUnaligned(
            fromByteOffset: (first &+ index &+ tap) &* 4, as: SIMD8<Float>.self)
          one += around * weights[tap]
          two += around * weights[taps &+ tap]
          three += around * weights[2 &* taps &+ tap]
        }
        var loudest = greater(greater(magnitude(one), magnitude(two)), magnitude(three))
        // The last vector of a stretch holds places behind its end.
        if count &- index < lanes {
          for lane in (count &- index)..<lanes { loudest[lane] = 0 }
        }
        greatest = greater(greatest, loudest)
        index &+= lanes
      }
    }
    return greatest.max()
  }

  // The library's `pointwiseMax` goes lane by lane: most of what the whole measure would cost.

  @inline(__always)
  private static func greater(_ one: SIMD8<Float>, _ other: SIMD8<Float>) -> SIMD8<Float> {
    one.replacing(with: other, where: other .> one)
  }

  @inline(__always)
  private static func magnitude(_ values: SIMD8<Float>) -> SIMD8<Float> { greater(values, -values) }
}

extension TruePeak {
  /// The greatest amplitude around each sample of one channel, sample by sample.
  struct Samples {
    private var last = [Float](repeating: 0, count: 2 * TruePeak.taps)
    private var place = 0

    /// Adds a sample of amplitude 1.
    ///
    /// - Returns: the greatest amplitude at the sample `reach` before, and up to the next one.
    mutating func add(_ sample: Float) -> Float {
      // Twice, so that the last ones stand in one piece.
      last[place] = sample
      last[place + TruePeak.taps] = sample
      place = (place + 1) % TruePeak.taps
      let first = place
      return last.withUnsafeBufferPointer { last in
        TruePeak.weights.withUnsafeBufferPointer { weights in
          var greatest = max(
            abs(last[first + TruePeak.taps / 2 - 1]), abs(last[first + TruePeak.taps / 2]))
          for between in 0..<3 {
            var value: Float = 0
            for tap in 0..<TruePeak.taps {
              value += last[first &+ tap] * weights[between &* TruePeak.taps &+ tap]
            }
            greatest = max(greatest, abs(value))
          }
          return greatest
        }
      }
    }
  }
}
