import Glibc

/// The sample rate, and what instruments derive from it.
struct Tuning: Sendable {
  /// The sample rate in Hz.
  let sampleRate: Float

  init(sampleRate: Int) { self.sampleRate = Float(sampleRate) }

  /// The frequency in Hz of a MIDI number, equally tempered, with A4 (69) at 440.
  func frequency(pitch: Int) -> Float { 440 * exp2f(Float(pitch - 69) / 12) }

  /// The part of a turn that a phase moves per sample.
  func step(pitch: Int) -> Float { frequency(pitch: pitch) / sampleRate }

  func samples(_ seconds: Float) -> Int { max(1, Int(seconds * sampleRate)) }

  /// The factor per sample by which a level loses 60 dB in `seconds`.
  func decay(_ seconds: Float) -> Float { powf(10, -3 / (seconds * sampleRate)) }

  /// The step of a one-pole low-pass at `frequency` Hz.
  func onePole(_ frequency: Float) -> Float {
    1 - expf(-2 * .pi * min(frequency, 0.45 * sampleRate) / sampleRate)
  }
}
