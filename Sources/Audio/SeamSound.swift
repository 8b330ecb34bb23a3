import Glibc
import Wire

/// The sound of a seam: A's to its end, B's from its beginning, both or one after the other.
struct SeamSound {
  private let splice: MPEGSplice
  private let channels: Int
  /// Samples over which A is faded out from where B begins; nil: it keeps its level.
  private let fade: Int?
  /// Interleaved samples of A and B, of amplitude 1.
  private let a: [Float]
  private let b: [Float]
  /// B where it is made longer, or shorter; nil: it is not.
  private let stretch: SeamStretch?
  /// The part of a lowered gain that comes back with each sample.
  private let release: Float
  /// Where the first sample of `a` is, from the seam's beginning.
  private let aStart: Int
  /// B's first heard sample, and the first that is not stretched.
  private let bFirst: Int
  private let bFixed: Int

  /// Frames before the seam that are decoded, if there are as many: the reservoir of most, and what an encoder hears first.
  private static let framesBefore = 40

  /// Decodes what is needed of two pieces.
  init(
    _ a: MPEGSplice.Piece, _ b: MPEGSplice.Piece, _ splice: MPEGSplice, fade: Int?
  ) throws(AudioError) {
    let from = max(0, splice.kept - Self.framesBefore)
    let before = try Self.decoded(a.frames[from...])
    let behind = try Self.decoded(b.frames[..<(splice.resumed + MPEGSplice.lookAhead)])
    (self.splice, self.fade, channels) = (splice, fade, max(1, before.channels))
    self.a = before.samples.map { Float($0) / 32_768 }
    self.b = behind.samples.map { Float($0) / 32_768 }
    stretch = splice.shift == 0 ? nil : SeamStretch(self.b, channels: channels)
    release = 1 - expf(-1 / Float(Double(before.sampleRate) * Self.releaseSeconds))
    aStart = (from - splice.kept) * splice.frameSamples
    bFirst = max(0, b.trim)
    bFixed = splice.resumed * splice.frameSamples - MPEGSplice.reach
  }

  /// Returns interleaved samples, counted from the seam's beginning.
  func samples(_ range: Range<Int>) -> [Int16] {
    let gains = gains(range)
    var made: [Int16] = []
    made.reserveCapacity(range.count * channels)
    for place in range {
      for channel in 0..<channels {
        let gain = gains[place - range.lowerBound]
        let value = (before(place, channel) * gain + behind(place, channel)) * 32_768
        made.append(Int16(min(32_767, max(-32_768, value.rounded()))))  // bounded: clamped
      }
    }
    return made
  }

  /// A's gain at each place: one, then falling as a quarter of a cosine, and less where both together would clip.
  private func gains(_ range: Range<Int>) -> [Float] {
    var gains = range.map { place -> Float in
      guard let fade, place > splice.start else { return 1 }
      guard place < splice.start + fade else { return 0 }
      return cosf(.pi / 2 * Float(place - splice.start) / Float(fade))
    }
    // The least gain around each place, which comes back slowly, then the mean of those around: low enough everywhere.
    let length = 2 * Self.gainReach + 1
    var least = SlidingMinimum()
    var window = [Float](repeating: 1, count: length)
    var sum = Float(length)
    var last: Float = 1
    for index in 0..<(gains.count + length - 1) {
      let place = range.lowerBound + index
      let isShared = index < gains.count && place >= splice.start && place < splice.end
      let needed = least.add(isShared ? allowed(place, gains[index]) : 1, of: length)
      last = needed < last ? needed : last + (needed - last) * release
      // Rounding must not add up where nothing clips.
      if last > 0.9999 { last = 1 }
      sum += last - window[index % length]
      window[index % length] = last
      let behind = index - length + 1
      if behind >= 0, sum < Float(length) { gains[behind] *= max(0, sum / Float(length)) }
    }
    return gains
  }

  /// Half of the samples over which the gain falls before two together would clip: 5 ms at 44.1 kHz, and too few for A's
  /// frames before the seam to hear of it.
  private static let gainReach = 110
  /// Seconds in which two thirds of the gain come back.
  private static let releaseSeconds = 0.1

  /// The part of A's gain with which it does not clip beside B.
  private func allowed(_ place: Int, _ gain: Float) -> Float {
    var least: Float = 1
    for channel in 0..<channels {
      let (one, other) = (before(place, channel) * gain, behind(place, channel))
      if abs(one + other) > 1 { least = min(least, max(0, 1 - abs(other)) / abs(one)) }
    }
    return least
  }

  private func before(_ place: Int, _ channel: Int) -> Float {
    let index = (place - aStart) * channels + channel
    return place < splice.end && a.indices.contains(index) ? a[index] : 0
  }

  private func behind(_ place: Int, _ channel: Int) -> Float {
    guard place >= splice.start else { return 0 }
    let grid = place + (splice.resumed - splice.count) * splice.frameSamples
    guard let stretch, grid < bFixed else {
      let index = grid * channels + channel
      return b.indices.contains(index) ? b[index] : 0
    }
    let length = Double(bFixed - bFirst)
    let share = length / (length + Double(splice.shift))
    return stretch.value(
      of: channel, at: Double(bFirst) + Double(place - splice.start) * share)
  }
}

extension SeamSound {
  /// Samples of whole frames, each in its place.
  private static func decoded(_ frames: ArraySlice<[UInt8]>) throws(AudioError) -> BlockSamples {
    let header = frames.first.flatMap { MPEGHeader(in: $0.span) }
    var block = BlockSamples(
      sampleRate: header?.sampleRate ?? 44_100, channels: header?.channels ?? 1)
    let decoder = try Mpg123Decoder()
    for frame in frames {
      let samples = try decoder.decode(frame)
      block.append(samples[...], count: header?.samples ?? 0)
    }
    return block
  }

  /// LUFS below which an end is soft enough for the next piece to begin.
  private static let softLoudness = -30.0

  /// Returns the samples of A's end that stay below −30 LUFS, at most so many; 0 where all of it does.
  static func softEnd(
    of a: MPEGSplice.Piece, _ header: MPEGHeader, atMost: Int
  ) throws(AudioError) -> Int {
    let block = try decoded(a.frames[...])
    let end = block.samples.count / block.channels - max(0, a.trim)
    let meter = try LoudnessMeter(sampleRate: header.sampleRate, channels: header.channels)
    let step = header.sampleRate / 10
    var loud: Int?
    var place = 0
    while place + step <= end {
      block.samples[(place * block.channels)..<((place + step) * block.channels)]
        .withUnsafeBufferPointer { meter.add($0) }
      place += step
      if (meter.momentary ?? -100) >= softLoudness { loud = place }
    }
    // The loudness of 400 ms is that of their middle.
    return loud.map { min(atMost, max(0, end - $0 + 2 * step)) } ?? 0
  }
}
