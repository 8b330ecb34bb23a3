import Glibc

/// Plucked strings (Karplus and Strong).
///
/// A burst of noise circles in a delay line as long as the note's period, and loses brightness on every round.
struct Strings: Sendable {
  private static let stringsMax = 10
  /// The deepest note is D2 (38), 73.4 Hz.
  private static let lowest: Float = 73

  private struct Sounding {
    /// Samples until the string is silent; 0 for a silent string.
    var remaining = 0
    var period = 1
    var at = 0
    var last: Float = 0
    var gain: Float = 0
    // The state of the all-pass that tunes the fraction of a sample.
    var tune: Float = 0
    var tuneIn: Float = 0
    var tuneOut: Float = 0
    var pan = Pan(0)
  }

  private let tuning: Tuning
  private let brightness: Float
  private let room: Int
  private var strings = [Sounding](repeating: Sounding(), count: stringsMax)
  /// The delay lines: `room` samples for each string.
  private var lines: [Float]
  private var dice: Dice

  /// - Parameter brightness: 0 sounds like a thumb, 1 like a plectrum.
  init(_ tuning: Tuning, brightness: Float, seed: UInt64) {
    self.tuning = tuning
    self.brightness = brightness
    room = Int(tuning.sampleRate / Self.lowest) + 2
    lines = [Float](repeating: 0, count: room * Self.stringsMax)
    dice = Dice(seed: seed)
  }

  mutating func play(pitch: Int, velocity: Float) {
    let index = strings.indices.min { strings[$0].remaining < strings[$1].remaining }!
    let frequency = max(Self.lowest, tuning.frequency(pitch: pitch))
    // The averaging delays by half a sample, the all-pass by some part of one.
    let length = tuning.sampleRate / frequency - 0.5
    let period = min(room, max(2, Int(length - 0.3)))
    let part = length - Float(period)
    // Deep strings sound longer.
    let seconds = min(3.2, max(0.8, 520 / frequency))
    strings[index] = Sounding(
      remaining: tuning.samples(seconds), period: period,
      gain: powf(10, -3 / (frequency * seconds)), tune: (1 - part) / (1 + part),
      pan: Pan(0.6 * (Float(pitch * 5 % 12) / 5.5 - 1)))
    pluck(line: index * room, period: period, velocity: velocity)
  }

  private mutating func pluck(line: Int, period: Int, velocity: Float) {
    // A soft touch sounds dull.
    let open = 0.12 + 0.7 * brightness * velocity
    var (smooth, sum): (Float, Float) = (0, 0)
    for index in 0..<period {
      smooth += open * (dice.between(-1.0, 1) - smooth)
      lines[line + index] = smooth
      sum += smooth
    }
    // Removes direct current, and gives every pluck of a velocity equal power.
    let mean = sum / Float(period)
    var power: Float = 0
    for index in 0..<period {
      lines[line + index] -= mean
      power += lines[line + index] * lines[line + index]
    }
    let scale = velocity * 0.5 / sqrtf(power / Float(period) + 1e-6)
    for index in 0..<period { lines[line + index] *= scale }
  }

  mutating func render(into output: inout Stereo, frames: Int) {
    for index in strings.indices where strings[index].remaining > 0 {
      render(index, line: index * room, into: &output, frames: frames)
    }
  }

  private mutating func render(_ index: Int, line: Int, into output: inout Stereo, frames: Int) {
    var string = strings[index]
    for frame in 0..<frames {
      let value = lines[line + string.at]
      let average = 0.5 * (value + string.last)
      string.last = value
      let tuned = string.tune * (average - string.tuneOut) + string.tuneIn
      string.tuneIn = average
      string.tuneOut = tuned
      lines[line + string.at] = tuned * string.gain
      string.at += 1
      if string.at == string.period { string.at = 0 }
      output.left[frame] += value * string.pan.left
      output.right[frame] += value * string.pan.right
    }
    string.remaining = max(0, string.remaining - frames)
    strings[index] = string
  }
}
