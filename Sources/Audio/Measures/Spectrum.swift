import CKissFFT
import Glibc
import Wire

/// How loud each band of frequencies is: a Hann window over the newest samples, then a Fourier transform, by kissfft.
///
/// Bands are as wide as the ear's (Traunmüller's Bark scale), from 20 Hz to 16 kHz or half the sample rate. A sine reads
/// its RMS in the band that it falls into. Only this file calls kissfft; it is used on one thread at a time.
public final class SpectrumMeter {
  /// Bands, unless said otherwise: one for each Bark.
  public static let bandsDefault = 24

  public let sampleRate: Int
  /// The middle of each band, in Hz.
  public let frequencies: [Double]
  /// Samples of the window: 43 ms or a little more.
  public let size: Int

  private let plan: kiss_fftr_cfg
  private let window: [Float]
  /// For each band the bins that it covers; those at its ends in part.
  private let bands: [[(bin: Int, share: Float)]]
  /// From the square of a bin to the mean square of the sound.
  private let scale: Float
  private var samples: [Float]
  private var newest = 0
  private var windowed: [Float]
  private var bins: [kiss_fft_cpx]

  /// - Parameters:
  ///   - sampleRate: 8,000 to 192,000 a second.
  ///   - bands: 1 to 96.
  public init(sampleRate: Int, bands: Int = bandsDefault) throws(AudioError) {
    let count = min(96, max(1, bands))
    var size = 512
    while size * 1000 < sampleRate * 43 { size *= 2 }
    guard (8_000...192_000).contains(sampleRate),
      let plan = kiss_fftr_alloc(Int32(size), 0, nil, nil)
    else {
      throw AudioError(
        call: "kiss_fftr_alloc", code: -1, reason: "\(sampleRate) samples a second",
        advice: "A spectrum is made of 8,000 to 192,000 samples a second.")
    }
    self.plan = plan
    (self.sampleRate, self.size) = (sampleRate, size)
    window = (0..<size).map { index in
      Float(0.5 - 0.5 * cos(2 * .pi * Double(index) / Double(size)))
    }
    // Parseval: half of the squares of all bins are the mean square times the window's energy times its length.
    scale = 2 / (Float(size) * window.reduce(0) { $0 + $1 * $1 })
    let edges = Self.edges(count, upTo: min(16_000, Double(sampleRate) / 2))
    frequencies = (0..<count).map {
      Self.hertz(bark: (Self.bark(edges[$0]) + Self.bark(edges[$0 + 1])) / 2)
    }
    let width = Double(sampleRate) / Double(size)
    self.bands = (0..<count).map { band in
      let (low, high) = (edges[band] / width, edges[band + 1] / width)
      return (Int(bounded: low.rounded())...min(size / 2, Int(bounded: high.rounded()))).compactMap
      { bin in
        let share = min(high, Double(bin) + 0.5) - max(low, Double(bin) - 0.5)
        return share > 0 ? (bin, Float(share)) : nil
      }
    }
    samples = Array(repeating: 0, count: size)
    windowed = Array(repeating: 0, count: size)
    bins = Array(repeating: kiss_fft_cpx(), count: size / 2 + 1)
  }

  deinit { free(UnsafeMutableRawPointer(plan)) }

  /// Adds interleaved samples; what is measured is the mean of their channels.
  public func add(_ interleaved: UnsafeBufferPointer<Int16>, channels: Int) {
    let count = interleaved.count / max(1, channels)
    let scale = 1 / (32768 * Float(max(1, channels)))
    for frame in max(0, count - size)..<max(count, 0) {
      var sum: Int32 = 0
      for channel in 0..<channels { sum &+= Int32(interleaved[frame &* channels &+ channel]) }
      samples[newest] = Float(sum) * scale
      newest = newest &+ 1 == size ? 0 : newest &+ 1
    }
  }

  /// Writes the level of each band, in dBFS, -120 at least.
  public func read(into levels: inout [Double]) {
    for index in 0..<size {
      let at = newest &+ index
      windowed[index] = samples[at >= size ? at &- size : at] * window[index]
    }
    kiss_fftr(plan, windowed, &bins)
    levels.removeAll(keepingCapacity: true)
    for band in bands {
      var power: Float = 0
      for (bin, share) in band {
        let value = bins[bin]
        power += (value.r * value.r + value.i * value.i) * share
      }
      levels.append(Decibels.of(Double(power * scale).squareRoot()))
    }
  }

  /// Edges of bands from 20 Hz on, in Hz: one more than there are bands.
  private static func edges(_ count: Int, upTo highest: Double) -> [Double] {
    let (low, high) = (bark(20), bark(highest))
    return (0...count).map { hertz(bark: low + (high - low) * Double($0) / Double(count)) }
  }

  /// H. Traunmüller, Analytical expressions for the tonotopic sensory scale (1990).
  private static func bark(_ hertz: Double) -> Double { 26.81 * hertz / (1960 + hertz) - 0.53 }
  private static func hertz(bark: Double) -> Double { 1960 * (bark + 0.53) / (26.28 - bark) }
}

/// Lets bands rise at once and fall slowly, as eyes can follow.
public struct SpectrumFall: Sendable {
  /// Seconds after which most of a rise is shown.
  public var attack = 0.03
  /// dB a second.
  public var decay = 30.0
  /// dBFS of each band.
  public private(set) var levels: [Double] = []

  public init() {}

  /// - Parameter seconds: Since the last call.
  public mutating func follow(_ measured: [Double], after seconds: Double) {
    guard levels.count == measured.count else { return levels = measured }
    let rise = 1 - exp(-max(0, seconds) / attack)
    for band in measured.indices {
      let now = levels[band]
      levels[band] =
        measured[band] > now
        ? now + (measured[band] - now) * rise : max(measured[band], now - decay * max(0, seconds))
    }
  }
}
