import Glibc

/// Decibels of full scale: 0 is the amplitude of the loudest sample there can be.
public enum Decibels {
  /// Reading of silence, and of anything softer.
  public static let floor = -120.0

  /// - Parameter amplitude: 1 is full scale.
  public static func of(_ amplitude: Double) -> Double {
    max(floor, 20 * log10(max(amplitude, 1e-6)))
  }

  /// - Parameter power: The mean of squares; 1 is full scale.
  public static func of(power: Double) -> Double {
    max(floor, 10 * log10(max(power, 1e-12)))
  }

  /// The power of a level.
  public static func power(_ decibels: Double) -> Double { pow(10, decibels / 10) }
}

/// How loud a channel was in a stretch of sound. A full-scale sine has an RMS of -3.01 dB and a peak of 0 dB.
public struct ChannelLevel: Hashable, Sendable {
  /// dBFS, -120 at least.
  public var rms: Double
  /// dBFS, -120 at least; of samples, not of what lies between them.
  public var peak: Double
  /// The RMS as the part of a bar that is lit: 0 is -60 dB and below, 1 is 0 dB.
  public var display: Double { min(1, max(0, rms / 60 + 1)) }

  public init(rms: Double, peak: Double) {
    (self.rms, self.peak) = (rms, peak)
  }
}

/// The levels of a stretch of sound.
public struct Levels: Hashable, Sendable {
  public var channels: [ChannelLevel]
  /// 1: both channels are the same; -1: each is the other upside down, so that mono is silent. Nil without two channels,
  /// and where one of them is silent.
  public var correlation: Double?

  public init(channels: [ChannelLevel], correlation: Double?) {
    (self.channels, self.correlation) = (channels, correlation)
  }
}

/// Sums up the levels of 16-bit samples. The sums are of integers, so they are exact.
public struct LevelMeter: Sendable {
  public let channels: Int
  /// Samples of each channel since the last `pop`.
  public private(set) var frames = 0

  private var squares: [Int64]
  private var peaks: [Int32]
  private var products: Int64 = 0

  /// - Parameter channels: 1 or more.
  public init(channels: Int) {
    self.channels = max(1, channels)
    squares = Array(repeating: 0, count: self.channels)
    peaks = Array(repeating: 0, count: self.channels)
  }

  /// Adds interleaved samples; an incomplete frame at the end is left out.
  public mutating func add(_ samples: UnsafeBufferPointer<Int16>) {
    let count = samples.count / channels
    frames += count
    if channels == 2 { return addStereo(samples, count) }
    for channel in 0..<channels {
      var (square, peak) = (Int64(0), peaks[channel])
      for index in 0..<count {
        let value = Int32(samples[index &* channels &+ channel])
        square &+= Int64(value &* value)
        peak = max(peak, abs(value))
      }
      squares[channel] &+= square
      peaks[channel] = peak
    }
  }

  /// The case of nearly all stations, in one pass.
  private mutating func addStereo(_ samples: UnsafeBufferPointer<Int16>, _ count: Int) {
    var (left, right, both) = (Int64(0), Int64(0), Int64(0))
    var (leftPeak, rightPeak) = (peaks[0], peaks[1])
    for index in 0..<count {
      let one = Int32(samples[index &* 2])
      let other = Int32(samples[index &* 2 &+ 1])
      left &+= Int64(one &* one)
      right &+= Int64(other &* other)
      both &+= Int64(one &* other)
      leftPeak = max(leftPeak, abs(one))
      rightPeak = max(rightPeak, abs(other))
    }
    squares[0] &+= left
    squares[1] &+= right
    products &+= both
    (peaks[0], peaks[1]) = (leftPeak, rightPeak)
  }

  /// Returns the levels since the last call, and begins anew.
  public mutating func pop() -> Levels {
    let levels = Levels(
      channels: (0..<channels).map { channel in
        let mean = Double(squares[channel]) / Double(max(1, frames))
        return ChannelLevel(
          rms: Decibels.of(mean.squareRoot() / 32768),
          peak: Decibels.of(Double(peaks[channel]) / 32768))
      },
      correlation: correlation)
    frames = 0
    products = 0
    for channel in 0..<channels { (squares[channel], peaks[channel]) = (0, 0) }
    return levels
  }

  private var correlation: Double? {
    guard channels == 2, squares[0] > 0, squares[1] > 0 else { return nil }
    let both = (Double(squares[0]) * Double(squares[1])).squareRoot()
    return min(1, max(-1, Double(products) / both))
  }
}
