/// One singing voice: a hollow wave with some noise of breath.
///
/// The voice glides a little from note to note; its vibrato begins late.
struct Reed: Sendable {
  private let tuning: Tuning
  private let attack: Float
  private let release: Float
  private let glide: Float
  private var dice: Dice
  private var filter = Filter()
  private var step: Float = 0
  private var stepGoal: Float = 0
  private var phase: Float = 0
  private var vibrato: Float = 0
  private var age = 0
  private var level: Float = 0
  private var target: Float = 0
  private var remaining = 0

  init(_ tuning: Tuning, seed: UInt64) {
    self.tuning = tuning
    dice = Dice(seed: seed)
    attack = tuning.onePole(6)
    release = tuning.onePole(2.5)
    glide = tuning.onePole(14)
  }

  mutating func play(pitch: Int, velocity: Float, length: Int) {
    stepGoal = tuning.step(pitch: pitch)
    if level < 0.01 { step = stepGoal }
    target = velocity
    remaining = length
    age = 0
  }

  mutating func render(into output: inout Stereo, frames: Int) {
    remaining -= frames
    if remaining <= 0 { target = 0 }
    guard target > 0 || level > 1e-4 else { return }
    age += frames
    // The vibrato, 5.2 Hz and a sixth of a semitone, reaches its full depth after a second.
    let shake = min(1, Float(age) / tuning.sampleRate) * 0.01
    Waves.advance(&vibrato, by: 5.2 * Float(frames) / tuning.sampleRate)
    let bend = 1 + shake * Waves.sine(vibrato)
    let speed = target > 0 ? attack : release
    filter.tune(cutoff: step * (3 + 3 * level), damping: 1)
    for frame in 0..<frames {
      step += glide * (stepGoal - step)
      level += speed * (target - level)
      let wave = 0.75 * Waves.triangle(phase) + 0.25 * Waves.saw(phase, step: step)
      let value = filter.pass(level * (wave + dice.between(-0.04, 0.04)))
      output.left[frame] += value * 0.75
      output.right[frame] += value * 0.66
      Waves.advance(&phase, by: step * bend)
    }
  }
}
