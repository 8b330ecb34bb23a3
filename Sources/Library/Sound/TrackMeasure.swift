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

  /// Measures a file. Blocks, for some 4 ms a second of audio.
  ///
  /// - Parameters:
  ///   - part: what of it is measured; nil: all. What lies before it is decoded too.
  ///   - goesOn: asked for each piece; false ends it.
  /// - Returns: nil if it was ended.
  /// - Throws: why the file cannot be decoded.
  public static func of(
    _ file: MediaFile, part: TrackCue? = nil, goesOn: @escaping () -> Bool
  ) throws(TrackSoundError) -> TrackMeasure? {
    var meter: LoudnessMeter?
    var measure = TrackMeasure()
    var frames = 0
    var (first, last): (Int?, Int) = (nil, 0)
    let track = try TrackSound(file, goesOn: goesOn)
    try track.decode { samples, rate, channels in
      if meter == nil { meter = try? LoudnessMeter(sampleRate: rate, channels: channels) }
      // A file that changes its rate in the middle is measured up to there.
      guard let meter, meter.sampleRate == rate, meter.channels == channels else { return false }
      let (begin, end) = (frames, frames + samples.count / channels)
      frames = end
      let wanted = bounds(of: part, rate).clamped(to: begin..<end)
      if wanted.isEmpty { return bounds(of: part, rate).upperBound > end }
      let heard = UnsafeBufferPointer(
        rebasing: samples[
          (wanted.lowerBound - begin) * channels..<(wanted.upperBound - begin) * channels])
      meter.add(heard)
      if first == nil, let place = heard.firstIndex(where: isAudible) {
        first = wanted.lowerBound + place / channels
      }
      if let place = heard.lastIndex(where: isAudible) {
        last = wanted.lowerBound + place / channels + 1
      }
      return true
    }
    if track.wasEnded { return nil }
    guard let meter else { return measure }
    let loudness = meter.loudness
    (measure.loudness, measure.truePeak) = (loudness.integrated, loudness.truePeak)
    let rate = Double(meter.sampleRate)
    if let first { (measure.cueIn, measure.cueOut) = (Double(first) / rate, Double(last) / rate) }
    return measure
  }

  /// The samples of a part.
  private static func bounds(of part: TrackCue?, _ rate: Int) -> Range<Int> {
    func sample(at seconds: Double) -> Int { Int(bounded: (seconds * Double(rate)).rounded()) }
    let begin = sample(at: part?.start ?? 0)
    return begin..<max(begin, part?.end.map(sample) ?? Int.max)
  }

  private static func isAudible(_ sample: Int16) -> Bool { sample.magnitude >= audible }
}
