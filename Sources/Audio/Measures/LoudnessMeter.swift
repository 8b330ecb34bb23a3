import CEbur128

/// Loudness by EBU R 128; each is nil as long as too little was heard to tell.
public struct Loudness: Hashable, Sendable {
  /// LUFS of the last 400 ms.
  public var momentary: Double?
  /// LUFS of the last 3 s.
  public var shortTerm: Double?
  /// LUFS of all that was heard, without what is silent or much softer than the rest.
  public var integrated: Double?
  /// LU between soft and loud passages (EBU Tech 3342).
  public var range: Double?
  /// dBTP, of all that was heard.
  public var truePeak: Double?

  public init(
    momentary: Double? = nil, shortTerm: Double? = nil, integrated: Double? = nil,
    range: Double? = nil, truePeak: Double? = nil
  ) {
    (self.momentary, self.shortTerm, self.integrated) = (momentary, shortTerm, integrated)
    (self.range, self.truePeak) = (range, truePeak)
  }
}

/// Measures loudness, by libebur128. Its memory does not grow. It is used on one thread at a time.
///
/// Only this file calls libebur128.
public final class LoudnessMeter {
  public let sampleRate: Int
  public let channels: Int

  private let state: UnsafeMutablePointer<ebur128_state>
  private var peaks: [TruePeak]
  private var frames = 0

  /// - Parameters:
  ///   - sampleRate: 8,000 to 192,000 a second.
  ///   - channels: 1 to 8, in the order left, right, centre, left and right surround.
  public init(sampleRate: Int, channels: Int) throws(AudioError) {
    let mode =
      EBUR128_MODE_I.rawValue | EBUR128_MODE_LRA.rawValue | EBUR128_MODE_HISTOGRAM.rawValue
    guard (8_000...192_000).contains(sampleRate), (1...8).contains(channels),
      let state = ebur128_init(UInt32(channels), UInt(sampleRate), Int32(mode))
    else {
      throw AudioError(
        call: "ebur128_init", code: -1,
        reason: "\(channels) channels at \(sampleRate) samples a second",
        advice: "Loudness is measured of 1 to 8 channels at 8,000 to 192,000 samples a second.")
    }
    self.state = state
    (self.sampleRate, self.channels) = (sampleRate, channels)
    peaks = Array(repeating: TruePeak(), count: channels)
  }

  deinit {
    var state: UnsafeMutablePointer<ebur128_state>? = state
    ebur128_destroy(&state)
  }

  /// Adds interleaved samples; an incomplete frame at the end is left out.
  public func add(_ samples: UnsafeBufferPointer<Int16>) {
    guard let base = samples.baseAddress, samples.count >= channels else { return }
    ebur128_add_frames_short(state, base, samples.count / channels)
    frames += samples.count / channels
    for channel in 0..<channels { peaks[channel].add(samples, channel: channel, of: channels) }
  }

  public var loudness: Loudness {
    let seconds = Double(frames) / Double(sampleRate)
    return Loudness(
      momentary: momentary,
      shortTerm: seconds < 3 ? nil : floored(value(of: ebur128_loudness_shortterm)),
      integrated: value(of: ebur128_loudness_global),
      range: seconds < 3 ? nil : value(of: ebur128_loudness_range),
      truePeak: frames == 0 ? nil : Decibels.of(Double(peaks.map(\.peak).max() ?? 0)))
  }

  /// LUFS of the last 400 ms; nil before there are as many.
  var momentary: Double? {
    Double(frames) < 0.4 * Double(sampleRate) ? nil : floored(value(of: ebur128_loudness_momentary))
  }

  /// Silence is minus infinity to the library.
  private func floored(_ value: Double?) -> Double { max(Decibels.floor, value ?? Decibels.floor) }

  private func value(
    of measure: (UnsafeMutablePointer<ebur128_state>?, UnsafeMutablePointer<Double>?) -> Int32
  ) -> Double? {
    var value = 0.0
    guard measure(state, &value) == EBUR128_SUCCESS.rawValue, value.isFinite else { return nil }
    return value
  }
}
