import Glibc
import Wire

/// Sound between its samples, by 32 of them: what is a little longer or shorter than it was.
///
/// A sine at 0.85 of what the sample rate can hold, 18.7 kHz at 44.1, is off by −60 dB at most.
struct SeamStretch {
  /// Samples on each side of a place.
  private static let reach = 16
  /// Places between two samples that have weights; those between them are interpolated.
  private static let steps = 512

  /// Samples that are multiplied at once.
  private typealias Lane = SIMD4<Float>
  private static let lanes = 2 * reach / Lane.scalarCount

  /// Weights by step, then sample.
  private static let allWeights: [Lane] = (0...steps).flatMap { step -> [Lane] in
    let raw = (0..<(2 * reach)).map { tap -> Double in
      let distance = Double(tap - reach + 1) - Double(step) / Double(steps)
      let sinc = distance == 0 ? 1 : sin(.pi * distance) / (.pi * distance)
      return sinc * (0.5 + 0.5 * cos(.pi * distance / (Double(reach) + 1)))
    }
    let sum = raw.reduce(0, +)
    return (0..<lanes).map { lane in
      Lane(raw.dropFirst(lane * Lane.scalarCount).prefix(Lane.scalarCount).map { Float($0 / sum) })
    }
  }

  /// Each channel's samples, with as much silence around them as a place beside them needs.
  private let channels: [[Float]]
  private let count: Int
  /// Held here, since a static value is asked for anew at each use.
  private let weights = Self.allWeights

  init(_ interleaved: [Float], channels: Int) {
    let count = interleaved.count / channels
    let silence = [Float](repeating: 0, count: 2 * Self.reach)
    self.channels = (0..<channels).map { channel in
      silence + stride(from: channel, to: count * channels, by: channels).map { interleaved[$0] }
        + silence
    }
    self.count = count
  }

  /// Returns the value of a channel at a place between samples; what is beyond the samples is silent.
  func value(of channel: Int, at place: Double) -> Float {
    guard place > Double(-Self.reach), place < Double(count + Self.reach) else { return 0 }
    let whole = Int(bounded: place.rounded(.down))
    let fine = (place - Double(whole)) * Double(Self.steps)
    let step = Int(bounded: fine, in: 0...(Self.steps - 1))
    let part = Float(fine - Double(step))
    let first = whole + Self.reach + 1
    let samples = channels[channel]
    let bytes = samples.span.bytes
    var (low, high) = (Lane(), Lane())
    for lane in 0..<Self.lanes {
      // Bytes of any kind are a Float, and the span checks that they are its own.
      let values = bytes.unsafeLoadUnaligned(
        fromByteOffset: first * MemoryLayout<Float>.stride + lane * MemoryLayout<Lane>.size,
        as: Lane.self)
      low += values * weights[step * Self.lanes + lane]
      high += values * weights[(step + 1) * Self.lanes + lane]
    }
    return (low + (high - low) * part).sum()
  }
}
