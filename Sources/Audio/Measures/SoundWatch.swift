/// Finds dead air: sound that stays below a level.
public struct SilenceWatch: Sendable {
  public enum Change: Hashable, Sendable {
    /// - Parameters:
    ///   - since: Media time at which the silence began, in seconds.
    ///   - until: Media time up to which it has lasted by now.
    case started(since: Double, until: Double)
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

  /// Adds the level of a stretch, which is that of its loudest channel.
  /// - Parameters:
  ///   - media: Media time of the stretch's beginning, in seconds.
  ///   - seconds: Its length.
  public mutating func add(rms: Double, at media: Double, for seconds: Double) -> Change? {
    guard rms < below else {
      let since = silentSince
      (silentSince, quietSince) = (nil, nil)
      return since.map { .stopped(at: media, seconds: max(0, media - $0)) }
    }
    // The missing audio in between may have been sound.
    if silentSince == nil, let end, abs(media - end) > Self.holeMax { quietSince = nil }
    end = media + seconds
    let since = quietSince ?? media
    quietSince = since
    // A tenth of a millisecond: lengths of packets do not add up to whole seconds.
    guard silentSince == nil, media + seconds - since >= hold - 0.0001 else { return nil }
    silentSince = since
    return .started(since: since, until: media + seconds)
  }
}

/// Finds loudness that stays out of bounds. Dead air is out of none: `SilenceWatch` finds that.
public struct LoudnessWatch: Sendable {
  public enum Bound: String, Hashable, Sendable, CaseIterable {
    case below
    case above
  }

  public enum Change: Hashable, Sendable {
    /// - Parameters:
    ///   - since: Media time at which the loudness went out, in seconds.
    ///   - loudness: LUFS of the newest 3 s.
    case out(Bound, since: Double, loudness: Double)
    case back(at: Double, seconds: Double)
  }

  /// LUFS, and dBFS: what is softer counts as dead air where no rule says more.
  public static let silence = -70.0
  /// LU within the bound at which the loudness is back; less where both bounds are closer than twice that.
  private static let hysteresis = 1.0
  /// Seconds that a short-term loudness is of.
  private static let span = 3.0

  /// LUFS; nil for no bound.
  public let below: Double?
  public let above: Double?
  /// Seconds that the loudness has to stay out.
  public let hold: Double
  /// The bound that the loudness is out of, once that has lasted.
  public private(set) var bound: Bound?
  /// Where the loudness went out of a bound.
  private var out: (bound: Bound, since: Double)?
  /// Media time at which it went out of a bound, in seconds; nil within bounds.
  public var outSince: Double? { out?.since }
  /// Media time behind the last stretch.
  private var end: Double?
  /// Seconds of dead air in a row.
  private var silentSeconds = 0.0
  /// Media time before which part of the dead air is in the short-term loudness.
  private var settlesAt: Double?

  public init(below: Double?, above: Double?, for hold: Double) {
    (self.below, self.above, self.hold) = (below, above, hold)
  }

  /// Adds the loudness of a stretch.
  /// - Parameters:
  ///   - shortTerm: LUFS of the 3 s that end with it.
  ///   - media: Media time of the stretch's beginning, in seconds.
  ///   - seconds: Its length.
  ///   - isSilent: Whether it is part of dead air.
  public mutating func add(
    _ shortTerm: Double, at media: Double, for seconds: Double, isSilent: Bool
  ) -> Change? {
    // The missing audio in between may have been within bounds.
    if bound == nil, let end, abs(media - end) > Self.span { out = nil }
    end = media + seconds
    guard !isSilent, shortTerm >= Self.silence else {
      silentSeconds += seconds
      if silentSeconds >= Self.span, bound == nil { out = nil }
      return nil
    }
    if silentSeconds > 0 { settlesAt = media + min(silentSeconds, Self.span) }
    silentSeconds = 0
    if let settlesAt, media < settlesAt { return nil }
    settlesAt = nil
    return bound == nil ? leave(shortTerm, media, media + seconds) : comeBack(shortTerm, media)
  }

  private mutating func leave(_ shortTerm: Double, _ media: Double, _ end: Double) -> Change? {
    guard let found = self.bound(of: shortTerm) else {
      out = nil
      return nil
    }
    if out?.bound != found { out = (found, media) }
    // A tenth of a millisecond: lengths of packets do not add up to whole seconds.
    guard let since = out?.since, end - since >= hold - 0.0001 else { return nil }
    bound = found
    return .out(found, since: since, loudness: shortTerm)
  }

  private mutating func comeBack(_ shortTerm: Double, _ media: Double) -> Change? {
    let room = below.flatMap { low in above.map { ($0 - low) / 2 } } ?? .infinity
    let step = min(Self.hysteresis, room)
    let isBack =
      switch bound {
      case .below: shortTerm >= (below ?? -.infinity) + step
      case .above: shortTerm <= (above ?? .infinity) - step
      case nil: true
      }
    guard isBack else { return nil }
    let since = out?.since ?? media
    (bound, out) = (nil, nil)
    return .back(at: media, seconds: max(0, media - since))
  }

  private func bound(of loudness: Double) -> Bound? {
    if let below, loudness < below { return .below }
    if let above, loudness > above { return .above }
    return nil
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

  /// Adds interleaved samples.
  /// - Returns: For each channel, how many clipped samples were found in them; empty where none stands at full scale.
  public mutating func add(_ samples: UnsafeBufferPointer<Int16>) -> [Int] {
    let channels = clipped.count
    // Nearly all sound: nothing at full scale, and nothing that a run could go on from.
    if !samples.contains(where: Self.isFull) {
      for channel in runs.indices { runs[channel] = 0 }
      return []
    }
    let before = clipped
    for channel in 0..<channels {
      var (run, found) = (runs[channel], 0)
      for index in stride(from: channel, to: samples.count / channels * channels, by: channels) {
        guard Self.isFull(samples[index]) else {
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

  private static func isFull(_ sample: Int16) -> Bool { sample == .max || sample <= -.max }
}
