/// Repeats sound in time with the beat. They wander between left and right, each darker than the one before.
struct Echo: Sendable {
  private var left: [Float]
  private var right: [Float]
  private var at = 0
  private var darkLeft: Float = 0
  private var darkRight: Float = 0
  private let feedback: Float = 0.38

  /// - Parameter delay: the time between two repeats of a side, in samples.
  init(delay: Int) {
    left = [Float](repeating: 0, count: max(1, delay))
    right = left
  }

  /// Adds the repeats of `send` to `output`, and keeps what is to be repeated later.
  mutating func render(_ send: borrowing Stereo, into output: inout Stereo, frames: Int) {
    for index in 0..<frames {
      let (l, r) = (left[at], right[at])
      darkLeft += 0.35 * (l - darkLeft)
      darkRight += 0.35 * (r - darkRight)
      // The sides cross: sound from the left repeats on the right.
      left[at] = 0.5 * (send.left[index] + send.right[index]) + darkRight * feedback
      right[at] = darkLeft
      output.left[index] += l
      output.right[index] += r * 0.8
      at += 1
      if at == left.count { at = 0 }
    }
  }
}
