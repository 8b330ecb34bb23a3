/// Finds dead air: sound that stays below a level.
public struct SilenceWatch: Sendable {
  public enum Change: Hashable, Sendable {
    /// - Parameter since: Media time at which the silence began, in seconds.
    case started(since: Double)
    case stopped(at: Double, seconds: Double)
  }

  /// dBFS.
  public let below: Double
  /// Seconds that it has to last.
  public let hold: Double
  /// Where the silence began, once it has lasted.
  public private(set) var silentSince: Double?
  private var quietSince: Double?
  /// Media time behind the last stretch.
  private var end: Double?

  /// Seconds that may be missing in dead air.
  private static let holeMax = 1.0

  public init(below: Double, for hold: Double) {
    (self.below, self.hold) = (below, hold)
  }

  /// Takes the level of a stretch, which is that of its loudest channel.
  /// - Parameters:
  ///   - media: Media time of the stretch's beginning, in seconds.
  ///   - seconds: Its length.
  public mutating func take(rms: Double, at media: Double, for seconds: Double) -> Change? {
    guard rms < below else {
      let since = silentSince
      (silentSince, quietSince) = (nil, nil)
      return since.map { .stopped(at: media, seconds: max(0, media - $0)) }
    }
    // What is missing in between may have been sound.
    if silentSince == nil, let end, abs(media - end) > Self.holeMax { quietSince = nil }
    end = media + seconds
    let since = quietSince ?? media
    quietSince = since
    // A tenth of a millisecond: lengths of packets do not add up to whole seconds.
    guard silentSince == nil, media + seconds - since >= hold - 0.0001 else { return nil }
    silentSince = since
    return .started(since: since)
  }
}

/// Finds clipping: samples in a row that stand at full scale.
public struct ClippingWatch: Sendable {
  /// Clipped samples in a row that count.
  public let least: Int
  /// For each channel, samples in the runs that counted, since the beginning.
  public private(set) var clipped: [Int]
  private var runs: [Int]

  /// - Parameters:
  ///   - least: 1 or more.
  ///   - channels: 1 or more.
  public init(least: Int, channels: Int) {
    self.least = max(1, least)
    clipped = Array(repeating: 0, count: max(1, channels))
    runs = clipped
  }

  /// Takes interleaved samples.
  /// - Returns: For each channel, how many clipped samples were found in them.
  public mutating func take(_ samples: UnsafeBufferPointer<Int16>) -> [Int] {
    let channels = clipped.count
    let before = clipped
    for channel in 0..<channels {
      var (run, found) = (runs[channel], 0)
      for index in stride(from: channel, to: samples.count / channels * channels, by: channels) {
        guard samples[index] == .max || samples[index] <= -.max else {
          run = 0
          continue
        }
        run += 1
        if run == least { found += least } else if run > least { found += 1 }
      }
      runs[channel] = run
      clipped[channel] += found
    }
    return zip(clipped, before).map { $0 - $1 }
  }
}
