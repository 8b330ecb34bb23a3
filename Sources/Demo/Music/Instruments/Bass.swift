/// One deep voice: a sine with some of its octave, rounded off. A new note takes over without a break.
struct Bass: Sendable {
  private let tuning: Tuning
  private let attack: Float
  private let release: Float
  private let decay: Float
  private var step: Float = 0
  private var phase: Float = 0
  private var level: Float = 0
  private var target: Float = 0
  private var remaining = 0

  init(_ tuning: Tuning) {
    self.tuning = tuning
    attack = tuning.onePole(25)
    release = tuning.onePole(5)
    decay = tuning.decay(16)
  }

  mutating func play(pitch: Int, velocity: Float, length: Int) {
    step = tuning.step(pitch: pitch)
    target = velocity
    remaining = length
  }

  mutating func render(into output: inout Stereo, frames: Int) {
    remaining -= frames
    if remaining <= 0 { target = 0 }
    guard target > 0 || level > 1e-4 else { return }
    let speed = target > 0 ? attack : release
    for frame in 0..<frames {
      target *= decay
      level += speed * (target - level)
      let octave = phase < 0.5 ? 2 * phase : 2 * phase - 1
      let wave = Waves.sine(phase) + 0.3 * Waves.sine(octave) + 0.12 * Waves.triangle(phase)
      let value = Waves.rounded(1.1 * level * wave) * 0.7
      output.left[frame] += value
      output.right[frame] += value
      Waves.advance(&phase, by: step)
    }
  }
}
