/// A short stretch of two channels that instruments add their sound to.
struct Stereo: Sendable {
  /// The longest stretch: 1.5 ms at 44.1 kHz. A fader moves once a stretch, and its steps are not heard.
  static let capacity = 64

  var left = [Float](repeating: 0, count: capacity)
  var right = [Float](repeating: 0, count: capacity)

  mutating func clear() {
    for index in 0..<Self.capacity {
      left[index] = 0
      right[index] = 0
    }
  }

  mutating func add(_ other: borrowing Stereo, gain: Float, frames: Int) {
    for index in 0..<frames {
      left[index] += other.left[index] * gain
      right[index] += other.right[index] * gain
    }
  }

  /// Adds with a gain that moves evenly from `from` to `to`.
  mutating func add(_ other: borrowing Stereo, from: Float, to: Float, frames: Int) {
    let step = (to - from) / Float(frames)
    var gain = from
    for index in 0..<frames {
      left[index] += other.left[index] * gain
      right[index] += other.right[index] * gain
      gain += step
    }
  }
}

/// A voice's place between left and right, at equal power.
struct Pan: Sendable {
  var left: Float
  var right: Float

  /// - Parameter place: -1 is left, 1 right.
  init(_ place: Float) {
    left = Waves.sine((1 - place) / 8)
    right = Waves.sine((1 + place) / 8)
  }
}
