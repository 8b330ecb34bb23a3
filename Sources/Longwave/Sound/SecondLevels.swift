import Audio

/// Sums up the levels of shorter stretches to those of whole seconds of media time.
struct SecondLevels {
  struct Second: Hashable {
    /// Media time of its beginning.
    var number: Int
    /// dBFS of all channels together.
    var rms: Double
    /// dBFS of the loudest channel.
    var loudest: Double
  }

  /// Of each channel, the sum of the squares of its samples, where 1 is full scale.
  private var squares: [Double] = []
  private var frames = 0

  /// Forgets the second that was begun: the stretches that follow are not those after the last.
  mutating func begin() { (squares, frames) = ([], 0) }

  /// Adds a stretch that does not reach over the end of a second.
  ///
  /// - Parameters:
  ///   - frames: Samples of each channel.
  ///   - end: Place behind its last sample, in samples of media time.
  /// - Returns: The second that ends with the stretch; nil unless all of it was added.
  mutating func add(
    _ levels: Levels, frames: Int, endingAt end: Int, sampleRate: Int
  ) -> Second? {
    if squares.count != levels.channels.count {
      squares = Array(repeating: 0, count: levels.channels.count)
    }
    for (channel, level) in levels.channels.enumerated() {
      squares[channel] += Decibels.power(level.rms) * Double(frames)
    }
    self.frames += frames
    guard end % sampleRate == 0 else { return nil }
    defer { begin() }
    guard self.frames == sampleRate, let loudest = squares.max() else { return nil }
    let count = Double(sampleRate)
    return Second(
      number: end / sampleRate - 1,
      rms: Decibels.of(power: squares.reduce(0, +) / (count * Double(squares.count))),
      loudest: Decibels.of(power: loudest / count))
  }
}
