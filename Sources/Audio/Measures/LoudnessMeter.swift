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
  /// Frames heard since the beginning.
  private var frames = 0
  /// Mean squares of the newest tenths of a second, weighted by BS.1770-4, as a ring; 0 before there were any.
  ///
  /// Sums over three seconds of samples, as libebur128 makes them at each question, cost ten times as much.
  private var tenths = [Double](repeating: 0, count: LoudnessMeter.shortTermTenths)
  private var newestTenth = 0
  private var framesOfTenth = 0

  private static let shortTermTenths = 30
  private static let momentaryTenths = 4

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
    let count = samples.count / channels
    var from = 0
    while from < count {
      let piece = min(count - from, sampleRate / 10 - framesOfTenth)
      ebur128_add_frames_short(state, base + from * channels, piece)
      from += piece
      framesOfTenth += piece
      if framesOfTenth == sampleRate / 10 { finishTenth() }
    }
    frames += count
    for channel in 0..<channels { peaks[channel].add(samples, channel: channel, of: channels) }
  }

  private func finishTenth() {
    framesOfTenth = 0
    newestTenth = (newestTenth + 1) % tenths.count
    var loudness = 0.0
    let isKnown = ebur128_loudness_window(state, 100, &loudness) == EBUR128_SUCCESS.rawValue
    tenths[newestTenth] = isKnown ? Decibels.power(loudness - Self.offset) : 0
  }

  /// LUFS of a weighted mean square of 1 (BS.1770-4, equation 2).
  private static let offset = -0.691

  /// Loudness of what was heard so far. Momentary and short-term end at the newest whole tenth of a second.
  public var loudness: Loudness {
    Loudness(
      momentary: momentary, shortTerm: shortTerm,
      integrated: value(of: ebur128_loudness_global),
      range: frames < 3 * sampleRate ? nil : value(of: ebur128_loudness_range),
      truePeak: frames == 0 ? nil : Decibels.of(Double(peaks.map(\.peak).max() ?? 0)))
  }

  /// LUFS of the last 400 ms; nil before there are as many.
  var momentary: Double? { mean(of: Self.momentaryTenths) }

  /// LUFS of the last 3 s; nil before there are as many.
  public var shortTerm: Double? { mean(of: Self.shortTermTenths) }

  /// LUFS of the newest tenths of a second; nil before there are as many.
  private func mean(of count: Int) -> Double? {
    guard frames >= count * (sampleRate / 10) else { return nil }
    let sum = (0..<count).reduce(0.0) {
      $0 + tenths[(newestTenth + tenths.count - $1) % tenths.count]
    }
    return max(Decibels.floor, Decibels.of(power: sum / Double(count)) + Self.offset)
  }

  private func value(
    of measure: (UnsafeMutablePointer<ebur128_state>?, UnsafeMutablePointer<Double>?) -> Int32
  ) -> Double? {
    var value = 0.0
    guard measure(state, &value) == EBUR128_SUCCESS.rawValue, value.isFinite else { return nil }
    return value
  }
}
