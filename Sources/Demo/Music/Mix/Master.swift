import Glibc

/// The last step of the sound: removes direct current, evens the loudness of all tracks, rounds peaks off below -3
/// dBFS.
struct Master: Sendable {
  /// The highest level of a sample, -3.1 dBFS.
  static let ceiling: Float = 0.7
  /// The loudness aimed at, -17 dBFS.
  private static let target: Float = 0.141

  /// The mean square of the last 3 s.
  private var power = target * target
  private var gain: Float = 1
  private var dcLeft: Float = 0
  private var dcRight: Float = 0
  private let dcStep: Float
  private let powerStep: Float

  init(sampleRate: Int) {
    // A high-pass at 12 Hz, and an average over 3 s.
    dcStep = 2 * .pi * 12 / Float(sampleRate)
    powerStep = 1 / (3 * Float(sampleRate))
  }

  /// Appends the mix as interleaved samples.
  mutating func write(_ mix: borrowing Stereo, frames: Int, to samples: inout [Int16]) {
    // The gain changes by at most 6 dB, so that a quiet beginning stays quiet.
    let wanted = min(2, max(0.5, Self.target / sqrtf(power + 1e-9)))
    let step = (wanted - gain) / Float(frames) * 0.01
    for index in 0..<frames {
      dcLeft += dcStep * (mix.left[index] - dcLeft)
      dcRight += dcStep * (mix.right[index] - dcRight)
      let (left, right) = (mix.left[index] - dcLeft, mix.right[index] - dcRight)
      power += powerStep * (0.5 * (left * left + right * right) - power)
      gain += step
      samples.append(Self.sample(left * gain))
      samples.append(Self.sample(right * gain))
    }
  }

  private static func sample(_ value: Float) -> Int16 {
    Int16(Waves.rounded(value / ceiling) * ceiling * 32767)
  }
}
