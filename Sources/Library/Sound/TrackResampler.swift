import Audio

/// Converts the sound of one whole track, so that it begins and ends where the track does.
///
/// A resampler is some samples late, fades in, and keeps the last ones. So it hears the track's first samples mirrored in
/// front, and its last ones behind; what comes of these is left out.
struct TrackResampler {
  private let rate: Int
  private let channels: Int
  private let converter: SampleConverter
  /// Of the sound that is being converted; nil before the first.
  private var source: (rate: Int, channels: Int)?
  /// Samples of a channel that are still to be left out.
  private var left = 0
  /// Samples of a channel that came in and went out, of this source.
  private var count = (heard: 0, made: 0)
  /// The last samples, interleaved.
  private var tail: [Int16] = []

  /// Samples of a channel that are mirrored, more than any resampler keeps.
  private static let mirrored = 256

  init(sampleRate: Int, channels: Int) {
    (rate, self.channels) = (sampleRate, channels)
    converter = SampleConverter(sampleRate: sampleRate, channels: channels)
  }

  /// Returns what is ready of the sound; what follows in another format ends the one before.
  mutating func convert(
    _ sound: UnsafeBufferPointer<Int16>, rate: Int, channels: Int
  ) throws(AudioError) -> [Int16] {
    var made: [Int16] = []
    if source?.rate != rate || source?.channels != channels {
      made = try finish()
      source = (rate, channels)
      try begin(Array(sound.prefix(Self.mirrored * channels)), rate, channels)
    }
    if rate == self.rate {
      return try made + converter.samples(of: sound, rate: rate, channels: channels)
    }
    tail = Array((tail + sound.suffix(Self.mirrored * channels)).suffix(Self.mirrored * channels))
    count.heard += sound.count / channels
    return try made + passed(converter.samples(of: sound, rate: rate, channels: channels))
  }

  /// Returns what is still to come.
  mutating func finish() throws(AudioError) -> [Int16] {
    defer { (source, tail, count, left) = (nil, [], (0, 0), 0) }
    guard let source, source.rate != rate, count.heard > 0 else { return [] }
    let behind = Self.mirrored(tail, source.channels, isEnd: true)
    let rest = try behind.withUnsafeBufferPointer { (samples) throws(AudioError) in
      try converter.samples(of: samples, rate: source.rate, channels: source.channels)
    }
    let wanted = (Double(count.heard) * Double(rate) / Double(source.rate)).rounded()
    let missing = max(0, Int(wanted) - count.made)
    return Array(passed(rest).prefix(missing * channels))
  }

  private mutating func begin(
    _ first: [Int16], _ rate: Int, _ channels: Int
  ) throws(AudioError) {
    if rate == self.rate { return }
    let late = try Self.lateness(from: rate, to: self.rate)
    let front = Self.mirrored(first, channels, isEnd: false)
    left = Int((Double(front.count / channels) * Double(self.rate) / Double(rate) + late).rounded())
    let made = try front.withUnsafeBufferPointer { (samples) throws(AudioError) in
      try converter.samples(of: samples, rate: rate, channels: channels)
    }
    _ = passed(made)
  }

  /// Leaves out what comes of the mirrored samples in front.
  private mutating func passed(_ made: [Int16]) -> [Int16] {
    let gone = min(left, made.count / channels)
    left -= gone
    count.made += made.count / channels - gone
    return gone == 0 ? made : Array(made.dropFirst(gone * channels))
  }

  /// The samples but the edge one backwards, and upside down around that one: so the wave goes on without a bend.
  private static func mirrored(_ samples: [Int16], _ channels: Int, isEnd: Bool) -> [Int16] {
    let frames = samples.count / channels
    let edge = isEnd ? frames - 1 : 0
    return (0..<max(0, frames - 1)).flatMap { number in
      let frame = isEnd ? frames - 2 - number : frames - 1 - number
      return (0..<channels).map { channel in
        let around = 2 * Int(samples[edge * channels + channel])
        return Int16(clamping: around - Int(samples[frame * channels + channel]))
      }
    }
  }

  /// Returns by how many of its samples a resampler is late with low tones: the first moment of what a click becomes.
  private static func lateness(from rate: Int, to wanted: Int) throws(AudioError) -> Double {
    let converter = SampleConverter(sampleRate: wanted, channels: 1)
    var click = [Int16](repeating: 0, count: 4 * mirrored)
    let place = 2 * mirrored
    click[place] = 16_000
    let made = try click.withUnsafeBufferPointer { (samples) throws(AudioError) in
      try converter.samples(of: samples, rate: rate, channels: 1)
    }
    var (weight, sum) = (0.0, 0.0)
    for (index, sample) in made.enumerated() {
      weight += Double(sample)
      sum += Double(sample) * Double(index)
    }
    if weight == 0 { return 0 }
    return sum / weight - Double(place) * Double(wanted) / Double(rate)
  }
}
