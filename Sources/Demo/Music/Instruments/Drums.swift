/// A soft kit: a kick (a falling sine), a brush and a hat (two colours of noise).
struct Drums: Sendable {
  /// The instruments; a song's drum note carries one as its pitch.
  enum Drum: Int, Sendable { case kick, brush, hat }

  private let tuning: Tuning
  private var dice: Dice
  // Levels fall by themselves; `rise` removes the click at a beginning.
  private var kick: Float = 0
  /// The kick's pitch above its resting 46 Hz, in Hz.
  private var kickSweep: Float = 0
  private var kickPhase: Float = 0
  private var kickRise: Float = 0
  private var brush: Float = 0
  private var brushRise: Float = 0
  private var hat: Float = 0
  private var brushFilter = Filter()
  private var hatDark: Float = 0
  private let rise: Float
  private let hatCorner: Float
  private let decays: (kick: Float, sweep: Float, brush: Float, hat: Float)

  init(_ tuning: Tuning, seed: UInt64) {
    self.tuning = tuning
    dice = Dice(seed: seed)
    rise = 1 / Float(tuning.samples(0.004))
    hatCorner = tuning.onePole(6500)
    decays = (tuning.decay(0.5), tuning.decay(0.14), tuning.decay(0.28), tuning.decay(0.11))
    brushFilter.tune(cutoff: 2600 / tuning.sampleRate, damping: 0.9)
  }

  mutating func play(_ drum: Drum, velocity: Float) {
    switch drum {
    case .kick: (kick, kickSweep, kickPhase, kickRise) = (velocity, 95, 0, 0)
    case .brush: (brush, brushRise) = (velocity, 0)
    case .hat: hat = velocity
    }
  }

  mutating func render(into output: inout Stereo, frames: Int) {
    guard kick + brush + hat > 1e-4 else { return }
    for frame in 0..<frames {
      let beat = kickRise * kick * Waves.sine(kickPhase)
      Waves.advance(&kickPhase, by: (46 + kickSweep) / tuning.sampleRate)
      kickRise = min(1, kickRise + rise)
      kick *= decays.kick
      kickSweep *= decays.sweep

      let noise = dice.between(-1.0, 1)
      hatDark += hatCorner * (noise - hatDark)
      let hiss = 0.55 * hat * (noise - hatDark)
      let swish = 0.5 * brushRise * brush * brushFilter.pass(noise)
      brushRise = min(1, brushRise + rise)
      brush *= decays.brush
      hat *= decays.hat

      output.left[frame] += beat + 0.8 * swish + 0.6 * hiss
      output.right[frame] += beat + 0.6 * swish + hiss
    }
  }

  /// The notes of one bar: the drum, the eighth it falls on, and its loudness.
  static func pattern(_ beat: Style.Beat, eighths: Int) -> [(Drum, Int, Float)] {
    if eighths == 6 {
      return [
        (.kick, 0, 0.6), (.brush, 2, 0.35), (.brush, 4, 0.4), (.hat, 3, 0.25), (.hat, 5, 0.3),
      ]
    }
    func hats(_ times: [Int]) -> [(Drum, Int, Float)] {
      times.map { (.hat, $0, $0 % 2 == 1 ? 0.4 : 0.25) }
    }
    return switch beat {
    case .none: []
    case .soft: [(.kick, 0, 0.65), (.brush, 4, 0.45)] + hats([2, 6, 7])
    case .steady:
      [(.kick, 0, 0.75), (.kick, 4, 0.65), (.brush, 2, 0.4), (.brush, 6, 0.45)]
        + hats([1, 3, 5, 7])
    case .broken:
      [(.kick, 0, 0.75), (.kick, 3, 0.5), (.kick, 5, 0.55), (.brush, 2, 0.4), (.brush, 6, 0.5)]
        + hats([0, 1, 3, 4, 5, 7])
    }
  }
}
