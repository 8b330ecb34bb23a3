/// Slow chords: each voice is three oscillators slightly out of tune, one left, one right, one in the middle.
///
/// All voices go through one low-pass a side, whose corner moves slowly up and down.
struct Pad: Sendable {
  // Room for more than two chords: one chord is released while the next one begins.
  private static let voicesMax = 12

  private struct Voice {
    var pitch = 0
    var level: Float = 0
    var target: Float = 0
    /// Samples until the voice is released.
    var remaining = 0
    var step: Float = 0
    var phases: (Float, Float, Float) = (0, 0.33, 0.71)
    /// Differs from voice to voice, so that two voices never move in step.
    var detune: Float = 0
  }

  private let tuning: Tuning
  private let cutoff: Float
  private let edge: Float
  private let attack: Float
  private let release: Float
  private var voices = [Voice](repeating: Voice(), count: voicesMax)
  private var left = Filter()
  private var right = Filter()
  private var breath: Float = 0

  /// - Parameters:
  ///   - cutoff: the corner in Hz.
  ///   - edge: 0 for triangles, 1 for saws.
  init(_ tuning: Tuning, cutoff: Float, edge: Float) {
    self.tuning = tuning
    self.cutoff = cutoff / tuning.sampleRate
    self.edge = edge
    attack = tuning.onePole(0.55)
    release = tuning.onePole(0.4)
  }

  mutating func play(pitch: Int, velocity: Float, length: Int) {
    // A note that two chords share sounds on; any other note goes to the quietest voice.
    let held = voices.firstIndex { $0.pitch == pitch && $0.level > 0.001 }
    let index = held ?? voices.indices.min { voices[$0].level < voices[$1].level }!
    voices[index].pitch = pitch
    voices[index].target = velocity
    voices[index].remaining = length
    voices[index].step = tuning.step(pitch: pitch)
    voices[index].detune = 0.0022 + 0.0004 * Float(index)
  }

  mutating func render(into output: inout Stereo, frames: Int) {
    var dry = Stereo()
    var isSilent = true
    for index in voices.indices where voices[index].target > 0 || voices[index].level > 1e-4 {
      render(&voices[index], into: &dry, frames: frames)
      isSilent = false
    }
    if isSilent { return }
    Waves.advance(&breath, by: 0.11 * Float(frames) / tuning.sampleRate)
    left.tune(cutoff: cutoff * (1 + 0.3 * Waves.sine(breath)))
    right.tune(cutoff: cutoff * (1 - 0.25 * Waves.sine(breath)))
    for frame in 0..<frames {
      output.left[frame] += left.pass(dry.left[frame])
      output.right[frame] += right.pass(dry.right[frame])
    }
  }

  private func render(_ voice: inout Voice, into dry: inout Stereo, frames: Int) {
    voice.remaining -= frames
    if voice.remaining <= 0 { voice.target = 0 }
    let steps = (voice.step, voice.step * (1 + voice.detune), voice.step * (1 - voice.detune))
    let (target, speed) = (voice.target, voice.target > 0 ? attack : release)
    var (level, phases) = (voice.level, voice.phases)
    for frame in 0..<frames {
      level += speed * (target - level)
      let middle = wave(phases.0, step: steps.0)
      dry.left[frame] += level * (0.6 * middle + wave(phases.1, step: steps.1))
      dry.right[frame] += level * (0.6 * middle + wave(phases.2, step: steps.2))
      Waves.advance(&phases.0, by: steps.0)
      Waves.advance(&phases.1, by: steps.1)
      Waves.advance(&phases.2, by: steps.2)
    }
    (voice.level, voice.phases) = (level, phases)
  }

  @inline(__always) private func wave(_ phase: Float, step: Float) -> Float {
    (1 - edge) * Waves.triangle(phase) + 0.7 * edge * Waves.saw(phase, step: step)
  }
}
