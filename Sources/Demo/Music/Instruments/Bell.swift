/// Bells and soft electric pianos by phase modulation (Chowning): one sine bends the phase of another, less as the note
/// dies away.
struct Bell: Sendable {
  private static let voicesMax = 12

  private struct Voice {
    var level: Float = 0
    var attack: Float = 0
    var index: Float = 0
    var step: Float = 0
    var carrier: Float = 0
    var modulator: Float = 0
    var decay: Float = 0
    var pan = Pan(0)
  }

  private let tuning: Tuning
  /// The bending sine's frequency as a multiple of the note's.
  private let ratio: Float
  private let depth: Float
  private let attackStep: Float
  private let indexDecay: Float
  private var voices = [Voice](repeating: Voice(), count: voicesMax)

  /// - Parameter ratio: 1 sounds like an electric piano, 3.5 like a bell.
  init(_ tuning: Tuning, ratio: Float) {
    self.tuning = tuning
    self.ratio = ratio
    depth = ratio > 2 ? 0.16 : 0.3
    attackStep = 1 / Float(tuning.samples(0.004))
    indexDecay = tuning.decay(1.1)
  }

  mutating func play(pitch: Int, velocity: Float) {
    let quietest = voices.indices.min { voices[$0].level < voices[$1].level }!
    let frequency = tuning.frequency(pitch: pitch)
    voices[quietest] = Voice(
      level: velocity, index: depth * velocity, step: tuning.step(pitch: pitch),
      decay: tuning.decay(min(3.5, max(1.4, 1300 / frequency))),
      pan: Pan(0.7 * (Float(pitch * 7 % 12) / 5.5 - 1)))
  }

  mutating func render(into output: inout Stereo, frames: Int) {
    // A voice below -70 dB is not heard.
    for index in voices.indices where voices[index].level > 3e-4 {
      var voice = voices[index]
      for frame in 0..<frames {
        let bend = voice.index * Waves.sine(voice.modulator)
        let phase = voice.carrier + bend
        let value = voice.attack * voice.level * Waves.sine(phase - phase.rounded(.down))
        output.left[frame] += value * voice.pan.left
        output.right[frame] += value * voice.pan.right
        voice.attack = min(1, voice.attack + attackStep)
        voice.level *= voice.decay
        voice.index *= indexDecay
        Waves.advance(&voice.carrier, by: voice.step)
        voice.modulator += voice.step * ratio
        voice.modulator -= voice.modulator.rounded(.down)
      }
      voices[index] = voice
    }
  }
}
