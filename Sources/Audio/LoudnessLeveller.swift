import Glibc
import Wire

/// Brings sound to a loudness, and holds its true peak below a ceiling.
///
/// The gain follows the mean loudness of the last minute, so it rides on programmes and not on notes. A limiter that
/// looks ahead lowers the peaks that the leveller makes too loud. It is used on one thread at a time, and takes 0.6 %
/// of a core for stereo.
public final class LoudnessLeveller {
  /// Samples of a channel by which what comes out is later.
  public var delay: Int { limiter.delay }

  private let target: Double
  private let channels: Int
  /// Samples of a channel between two looks at the loudness.
  private let step: Int
  private let meter: LoudnessMeter
  private var limiter: PeakLimiter
  private var mean = LoudnessMean()
  /// Amplification now, and at the end of the step.
  private var gain: Float = 1
  private var gainNext: Float = 1
  /// Interleaved samples that are less than a step.
  private var waiting: [Int16] = []

  /// Seconds of a step.
  static let stepSeconds = 0.1
  /// Most decibels that the gain changes by in a second.
  private static let slewPerSecond = 3.0
  /// Decibels; quiet passages are not made noise.
  static let gains = -30.0...20.0

  /// - Parameters:
  ///   - target: LUFS.
  ///   - sampleRate: 8,000 to 192,000 a second.
  ///   - channels: 1 or 2.
  public init(to target: Double, sampleRate: Int, channels: Int) throws(AudioError) {
    meter = try LoudnessMeter(sampleRate: sampleRate, channels: channels)
    (self.target, self.channels) = (target, channels)
    step = Int(bounded: Double(sampleRate) * Self.stepSeconds)
    limiter = PeakLimiter(sampleRate: sampleRate, channels: channels)
  }

  /// Returns the samples that are ready: as many as came, less the delay.
  public func level(_ interleaved: [Int16]) -> [Int16] {
    waiting += interleaved
    var made: [Int16] = []
    made.reserveCapacity(interleaved.count)
    let bytes = step * channels
    var from = 0
    while waiting.count - from >= bytes {
      add(waiting[from..<(from + bytes)], &made)
      from += bytes
    }
    waiting.removeFirst(from)
    return made
  }

  /// Returns what is still held, at the end of a stream. Another may follow, at the gain of now.
  public func rest() -> [Int16] {
    var made: [Int16] = []
    let silence = [Int16](repeating: 0, count: limiter.delay * channels)
    add((waiting + silence)[...], &made)
    waiting = []
    limiter = PeakLimiter(sampleRate: meter.sampleRate, channels: channels)
    return made
  }

  /// Learns how loud interleaved samples are, and gives none.
  public func hear(_ samples: UnsafeBufferPointer<Int16>) {
    waiting += samples
    let bytes = step * channels
    var from = 0
    while waiting.count - from >= bytes {
      waiting[from..<(from + bytes)].withUnsafeBufferPointer { meter.add($0) }
      if let momentary = meter.momentary { mean.add(momentary) }
      from += bytes
    }
    waiting.removeFirst(from)
    if let wanted { gain = Float(pow(10, wanted / 20)) }
    gainNext = gain
  }

  /// Forgets samples that were heard and are less than a step: they do not come out.
  public func beginStream() { waiting = [] }

  /// Adopts what another has learned, of a stream in other channels or at another rate.
  func goOn(from other: LoudnessLeveller) {
    (mean, gain, gainNext) = (other.mean, other.gainNext, other.gainNext)
  }

  private func add(_ samples: ArraySlice<Int16>, _ made: inout [Int16]) {
    samples.withUnsafeBufferPointer { meter.add($0) }
    if let momentary = meter.momentary { mean.add(momentary) }
    follow()
    let frames = samples.count / channels
    var amplified: [Float] = []
    amplified.reserveCapacity(samples.count)
    let rise = (gainNext - gain) / Float(max(1, frames))
    for (index, sample) in samples.enumerated() {
      amplified.append(Float(sample) / 32_768 * (gain + rise * Float(index / channels)))
    }
    gain = gainNext
    limiter.limit(amplified, into: &made)
  }

  /// Decibels by which the sound is to be amplified; nil before there is sound.
  private var wanted: Double? {
    mean.value.map { min(Self.gains.upperBound, max(Self.gains.lowerBound, target - $0)) }
  }

  private func follow() {
    guard let wanted else { return }
    let now = 20 * log10(Double(gain))
    // The first sound is not left too loud or soft for long.
    let slew = Self.slewPerSecond * Self.stepSeconds * (mean.isYoung ? 10 : 1)
    gainNext = Float(pow(10, (now + min(slew, max(-slew, wanted - now))) / 20))
  }
}

/// Mean of momentary loudness over the last minute of sound; what is silent or much softer does not count (BS.1770).
///
/// A programme that becomes softer or louder for good is followed at once: after 15 s of softer sound, after 3 s of
/// louder.
struct LoudnessMean {
  /// LUFS; nil before there is sound.
  var value: Double? { all.power > 0 ? 10 * log10(all.power) : nil }
  var isYoung: Bool { all.count < Self.young }

  private struct Mean {
    var power = 0.0
    var count = 0

    mutating func add(_ loudness: Double) {
      count = min(LoudnessMean.most, count + 1)
      power += (pow(10, loudness / 10) - power) / Double(count)
    }
  }

  private var all = Mean()
  /// Mean of the last steps, while all of them are much softer or much louder than the rest.
  private var run = (mean: Mean(), isSoft: false)

  /// Steps in the mean: a minute.
  fileprivate static let most = 600
  /// Steps of the first sound: three seconds.
  private static let young = 30
  /// LUFS below which there is no sound.
  private static let silence = -70.0
  /// LU below the mean that a passage is soft, and above it that one is loud.
  private static let (soft, loud) = (10.0, 6.0)
  /// Steps after which a soft or loud passage is the programme.
  private static let (softSteps, loudSteps) = (150, 30)

  mutating func add(_ loudness: Double) {
    guard loudness > Self.silence else { return }
    guard let value, loudness < value - Self.soft || loudness > value + Self.loud else {
      run.mean = Mean()
      return all.add(loudness)
    }
    let isSoft = loudness < value
    if run.isSoft != isSoft { run = (Mean(), isSoft) }
    run.mean.add(loudness)
    if !isSoft { all.add(loudness) }
    guard run.mean.count >= (isSoft ? Self.softSteps : Self.loudSteps) else { return }
    all = run.mean
    run.mean = Mean()
  }
}
