/// Curves that instruments are made of. A phase is a part of a turn, 0 ..< 1.
enum Waves {
  /// The sine of a phase between 0 and 1, within a thousandth (two parabolas and a correction).
  @inline(__always) static func sine(_ phase: Float) -> Float {
    let x = 2 * phase - 1
    let y = 4 * x * (1 - abs(x))
    return -(0.225 * (y * abs(y) - y) + y)
  }

  /// A saw whose jump is rounded over two samples, so that no aliases ring (PolyBLEP).
  @inline(__always) static func saw(_ phase: Float, step: Float) -> Float {
    let raw = 2 * phase - 1
    if phase < step {
      let t = phase / step
      return raw - (t + t - t * t - 1)
    }
    if phase > 1 - step {
      let t = (phase - 1) / step
      return raw - (t * t + t + t + 1)
    }
    return raw
  }

  @inline(__always) static func triangle(_ phase: Float) -> Float { 4 * abs(phase - 0.5) - 1 }

  /// Rounds peaks off as a valve does; the result stays in -1 ... 1 (a Padé approximation of tanh).
  @inline(__always) static func rounded(_ value: Float) -> Float {
    let x = min(3, max(-3, value))
    return x * (27 + x * x) / (27 + 9 * x * x)
  }

  /// Moves a phase by a step.
  @inline(__always) static func advance(_ phase: inout Float, by step: Float) {
    phase += step
    if phase >= 1 { phase -= 1 }
  }
}
