import Glibc

/// The room of all tracks: four delay lines that feed each other (Jot).
///
/// Two all-passes a channel blur the sound before the lines (Schroeder).
struct Reverb: Sendable {
  private var diffusers: [Diffuser]
  private var lines: [Line]

  /// - Parameter seconds: the time in which a sound loses 60 dB.
  init(sampleRate: Int, seconds: Float = 2.2) {
    let rate = Float(sampleRate)
    diffusers = [0.0061, 0.0089, 0.0067, 0.0097].map { Diffuser(length: Int($0 * rate)) }
    // The lengths have no common beat.
    lines = [0.0437, 0.0531, 0.0619, 0.0713].map { length in
      Line(length: Int(length * rate), gain: powf(10, -3 * length / seconds))
    }
  }

  /// Adds the room's answer to `send` to `output`.
  mutating func render(_ send: borrowing Stereo, into output: inout Stereo, frames: Int) {
    for index in 0..<frames {
      let left = diffusers[1].pass(diffusers[0].pass(send.left[index]))
      let right = diffusers[3].pass(diffusers[2].pass(send.right[index]))
      let (a, b, c, d) = (lines[0].read(), lines[1].read(), lines[2].read(), lines[3].read())
      // Householder's matrix feeds each line into all lines, and adds no energy.
      let half = 0.5 * (a + b + c + d)
      lines[0].write(left + a - half)
      lines[1].write(right + b - half)
      lines[2].write(left + c - half)
      lines[3].write(right + d - half)
      output.left[index] += a - c
      output.right[index] += b - d
    }
  }
}

/// An all-pass that smears a click without colouring the sound.
private struct Diffuser: Sendable {
  private var memory: [Float]
  private var at = 0

  init(length: Int) { memory = [Float](repeating: 0, count: max(1, length)) }

  mutating func pass(_ input: Float) -> Float {
    let delayed = memory[at]
    let kept = input + 0.6 * delayed
    memory[at] = kept
    at += 1
    if at == memory.count { at = 0 }
    return delayed - 0.6 * kept
  }
}

/// A delay line that loses level and brightness on every round.
private struct Line: Sendable {
  private var memory: [Float]
  private var at = 0
  private var dark: Float = 0
  private let gain: Float

  init(length: Int, gain: Float) {
    memory = [Float](repeating: 0, count: max(1, length))
    self.gain = gain
  }

  mutating func read() -> Float {
    dark += 0.55 * (memory[at] - dark)
    return dark * gain
  }

  mutating func write(_ value: Float) {
    memory[at] = value
    at += 1
    if at == memory.count { at = 0 }
  }
}
