import Audio
import Media
import Wire

/// How loud a track is, and where its sound begins and ends, by decoding all of it.
public struct TrackMeasure: Hashable, Sendable {
  /// LUFS of the whole track; nil of silence, and of less than 400 ms.
  public var loudness: Double?
  /// dBTP; nil of no sound.
  public var truePeak: Double?
  /// Seconds to the first sample that is louder than -60 dBFS, and to the end of the last; nil of silence.
  public var cueIn: Double?
  public var cueOut: Double?

  public init(
    loudness: Double? = nil, truePeak: Double? = nil, cueIn: Double? = nil, cueOut: Double? = nil
  ) {
    (self.loudness, self.truePeak) = (loudness, truePeak)
    (self.cueIn, self.cueOut) = (cueIn, cueOut)
  }

  /// The least sample that is heard: -60 dBFS.
  private static let audible = 33

  /// The most parts that are measured at once; each has a meter.
  public static let partsMax = 100

  /// Measures a file, or a part of it. Blocks, for some 4 ms a second of audio.
  ///
  /// - Parameters:
  ///   - part: what of it is measured; nil: all.
  ///   - goesOn: asked for each piece; false ends it.
  /// - Returns: nil if it was ended.
  /// - Throws: why the file cannot be decoded.
  public static func of(
    _ file: MediaFile, part: TrackCue? = nil, goesOn: @escaping () -> Bool
  ) throws(TrackSoundError) -> TrackMeasure? {
    try of(file, parts: [part], goesOn: goesOn)?.first
  }

  /// Measures parts of a file, which is decoded once, up to the end of the last of them.
  ///
  /// - Parameter parts: at most `partsMax`; nil in it: all of the file.
  /// - Returns: a measure for each part; nil if it was ended.
  public static func of(
    _ file: MediaFile, parts: [TrackCue?], goesOn: @escaping () -> Bool
  ) throws(TrackSoundError) -> [TrackMeasure]? {
    var gauges = parts.prefix(partsMax).map { PartGauge($0) }
    var (frames, format) = (0, (rate: 0, channels: 0))
    let track = try TrackSound(file, goesOn: goesOn)
    try track.decode { samples, rate, channels in
      if frames == 0 { format = (rate, channels) }
      // A file that changes its rate in the middle is measured up to there.
      guard format == (rate, channels) else { return false }
      let range = frames..<frames + samples.count / channels
      frames = range.upperBound
      var isWanted = false
      for index in gauges.indices where !gauges[index].isOver {
        gauges[index].take(samples, at: range, rate, channels)
        if !gauges[index].isOver { isWanted = true }
      }
      return isWanted
    }
    if track.wasEnded { return nil }
    return gauges.indices.map { gauges[$0].end() }
  }

  fileprivate static func isAudible(_ sample: Int16) -> Bool { sample.magnitude >= audible }
}

/// Measures a part of a file while that is decoded.
private struct PartGauge {
  private let part: TrackCue?
  private var meter: LoudnessMeter?
  private var rate = 0
  private var (first, last): (Int?, Int) = (nil, 0)
  private var measure = TrackMeasure()
  /// Whether all of the part was there.
  private(set) var isOver = false

  init(_ part: TrackCue?) { self.part = part }

  /// - Parameter range: the samples of a channel by their places in the file.
  mutating func take(
    _ samples: UnsafeBufferPointer<Int16>, at range: Range<Int>, _ rate: Int, _ channels: Int
  ) {
    let bounds = bounds(rate)
    let wanted = bounds.clamped(to: range)
    if !wanted.isEmpty {
      self.rate = rate
      if meter == nil { meter = try? LoudnessMeter(sampleRate: rate, channels: channels) }
      let heard = UnsafeBufferPointer(
        rebasing: samples[
          (wanted.lowerBound - range.lowerBound) * channels..<(wanted.upperBound - range.lowerBound)
            * channels])
      meter?.add(heard)
      if first == nil, let place = heard.firstIndex(where: TrackMeasure.isAudible) {
        first = wanted.lowerBound + place / channels
      }
      if let place = heard.lastIndex(where: TrackMeasure.isAudible) {
        last = wanted.lowerBound + place / channels + 1
      }
    }
    if bounds.upperBound <= range.upperBound { _ = end() }
  }

  /// Returns what was measured; nothing follows.
  mutating func end() -> TrackMeasure {
    isOver = true
    guard let meter else { return measure }
    let loudness = meter.loudness
    (measure.loudness, measure.truePeak) = (loudness.integrated, loudness.truePeak)
    if let first {
      (measure.cueIn, measure.cueOut) = (Double(first) / Double(rate), Double(last) / Double(rate))
    }
    self.meter = nil
    return measure
  }

  /// The samples of the part.
  private func bounds(_ rate: Int) -> Range<Int> {
    func sample(at seconds: Double) -> Int { Int(bounded: (seconds * Double(rate)).rounded()) }
    let begin = sample(at: part?.start ?? 0)
    return begin..<max(begin, part?.end.map(sample) ?? Int.max)
  }
}
