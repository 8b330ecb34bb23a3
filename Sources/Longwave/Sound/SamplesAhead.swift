import Wire

/// Decoded samples of a packet that are not due yet: Ogg comes a fifth of a second at a time.
struct SamplesAhead {
  private struct Run {
    var format: AudioFormat
    /// Of the first sample, in samples of media time.
    var place: Int
    var isHeard: Bool
    var end: Int
  }

  private var samples: [Int16] = []
  private var runs: [Run] = []
  /// Where the samples of the first run begin.
  private var start = 0

  var isEmpty: Bool { runs.isEmpty }

  mutating func put(
    _ new: UnsafeBufferPointer<Int16>, _ format: AudioFormat, at place: Int, isHeard: Bool
  ) {
    samples += new
    runs.append(Run(format: format, place: place, isHeard: isHeard, end: samples.count))
  }

  mutating func clear() {
    samples.removeAll(keepingCapacity: true)
    runs.removeAll(keepingCapacity: true)
    start = 0
  }

  /// Hands on the samples in front of a media time in seconds, and forgets them.
  mutating func pop(
    until due: Double,
    _ measure: (UnsafeBufferPointer<Int16>, AudioFormat, _ place: Int, _ isHeard: Bool) -> Void
  ) {
    var taken = 0
    while taken < runs.count {
      let run = runs[taken]
      let channels = max(1, run.format.channels)
      let end = Int(bounded: (due * Double(run.format.sampleRate)).rounded(.up))
      let all = (run.end - start) / channels
      let frames = min(all, max(0, end - run.place))
      samples[start..<start + frames * channels].withUnsafeBufferPointer {
        if frames > 0 { measure($0, run.format, run.place, run.isHeard) }
      }
      if frames < all {
        start += frames * channels
        runs[taken].place += frames
        break
      }
      (start, taken) = (run.end, taken + 1)
    }
    runs.removeFirst(taken)
    if runs.isEmpty { clear() }
  }
}
