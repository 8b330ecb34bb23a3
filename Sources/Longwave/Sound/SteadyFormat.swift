import Wire

/// One format for samples whose own changes all the time: FLAC may have another rate with each frame.
///
/// A change counts at once. Where it is the third within a second of sound, samples keep the format from before, so that
/// nothing is begun anew for each frame.
struct SteadyFormat {
  /// Seconds.
  private static let length = 1.0

  private var format: AudioFormat?
  /// Of the newest samples.
  private var newest: AudioFormat?
  /// Media seconds of the last change, and of the one before.
  private var changes = (last: -Double.infinity, before: -Double.infinity)

  /// Hands on interleaved samples in the format that counts, with the place of the first in samples of media time.
  mutating func convert(
    _ samples: UnsafeBufferPointer<Int16>, _ found: AudioFormat, at place: Int,
    _ take: (UnsafeBufferPointer<Int16>, AudioFormat, Int) -> Void
  ) {
    let wanted = follow(found, at: Double(place) / Double(max(1, found.sampleRate)))
    if wanted.sampleRate == found.sampleRate, wanted.channels == found.channels {
      return take(samples, found, place)
    }
    let (begin, made) = Self.converted(samples, found, at: place, to: wanted)
    if !made.isEmpty { made.withUnsafeBufferPointer { take($0, wanted, begin) } }
  }

  private mutating func follow(_ found: AudioFormat, at media: Double) -> AudioFormat {
    let isChange = newest != found
    // Media time may go back: another place is heard.
    let isSteady = abs(media - (isChange ? changes.before : changes.last)) >= Self.length
    if isChange { (newest, changes) = (found, (media, changes.last)) }
    if isSteady { format = found }
    return format ?? found
  }

  /// Returns samples in another format, each the nearest of what was there: enough to say how loud it is.
  private static func converted(
    _ samples: UnsafeBufferPointer<Int16>, _ found: AudioFormat, at place: Int,
    to wanted: AudioFormat
  ) -> (begin: Int, samples: [Int16]) {
    let (from, to) = (max(1, found.sampleRate), max(1, wanted.sampleRate))
    let (had, has) = (max(1, found.channels), max(1, wanted.channels))
    let frames = samples.count / had
    func moved(_ place: Int) -> Int { Int(bounded: Double(place) * Double(to) / Double(from)) }
    let (begin, end) = (moved(place), moved(place.saturatingAdd(frames)))
    var made: [Int16] = []
    made.reserveCapacity((end - begin) * has)
    for frame in 0..<max(0, end - begin) {
      let index = min(frames - 1, frame * from / to)
      let own = samples[(index * had)..<(index * had + had)]
      if has == 1 {
        made.append(Int16(clamping: own.reduce(0) { $0 + Int($1) } / had))
      } else {
        for channel in 0..<has { made.append(own[own.startIndex + min(channel, had - 1)]) }
      }
    }
    return (begin, made)
  }
}
