import Audio

/// Sound that a test makes up, as MP3 of 128 kbit/s in stereo.
enum LameFrames {
  static let rate = 48_000
  /// Of each frame: at this rate none is longer than another.
  static let bytes = 384

  /// Encodes so many seconds, of which `sample` gives the left and the right sample at each index.
  static func make(
    seconds: Int, _ sample: (Int) -> (left: Int16, right: Int16)
  ) -> [[UInt8]] {
    let encoder = try! LameEncoder(sampleRate: rate, channels: 2, bitrate: 128)
    var stream: [UInt8] = []
    for second in 0..<seconds {
      var samples: [Int16] = []
      samples.reserveCapacity(2 * rate)
      for index in (second * rate)..<((second + 1) * rate) {
        let (left, right) = sample(index)
        samples.append(left)
        samples.append(right)
      }
      stream += try! encoder.encode(samples)
    }
    stream += encoder.finish()
    return stride(from: 0, to: stream.count - bytes + 1, by: bytes).map {
      Array(stream[$0..<$0 + bytes])
    }
  }
}
