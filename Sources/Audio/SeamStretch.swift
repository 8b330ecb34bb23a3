import Glibc
import Wire

/// Sound between its samples, by 32 of them: what is a little longer or shorter than it was.
///
/// A sine at 0.85 of what the sample rate can hold, 18.7 kHz at 44.1, is off by −60 dB at most.
enum SeamStretch {
  /// Samples on each side of a place.
  private static let reach = 16
  /// Places between two samples that have weights; those between them are interpolated.
  private static let steps = 512

  /// Weights by step, then sample.
  private static let weights: [Float] = (0...steps).flatMap { step -> [Float] in
    let raw = (0..<(2 * reach)).map { tap -> Double in
      let distance = Double(tap - reach + 1) - Double(step) / Double(steps)
      let sinc = distance == 0 ? 1 : sin(.pi * distance) / (.pi * distance)
      return sinc * (0.5 + 0.5 * cos(.pi * distance / (Double(reach) + 1)))
    }
    let sum = raw.reduce(0, +)
    return raw.map { Float($0 / sum) }
  }

  /// Returns the value of a channel at a place between samples; what is beyond the samples is silent.
  static func value(
    of interleaved: [Float], channel: Int, of channels: Int, at place: Double
  ) -> Float {
    let count = interleaved.count / channels
    guard place > Double(-reach), place < Double(count + reach) else { return 0 }
    let whole = Int(bounded: place.rounded(.down))
    let fine = (place - Double(whole)) * Double(steps)
    let step = Int(bounded: fine, in: 0...(steps - 1))
    let part = Float(fine - Double(step))
    var (low, high): (Float, Float) = (0, 0)
    for tap in 0..<(2 * reach) {
      let index = whole + tap - reach + 1
      guard index >= 0, index < count else { continue }
      let sample = interleaved[index * channels + channel]
      low += sample * weights[step * 2 * reach + tap]
      high += sample * weights[(step + 1) * 2 * reach + tap]
    }
    return low + (high - low) * part
  }
}
