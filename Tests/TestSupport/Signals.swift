import Glibc

/// Test signals, and measures of them.
public enum Signals {
  /// An interleaved sine; amplitude 0 ... 1.
  public static func sine(
    _ hertz: Double, rate: Int, channels: Int, seconds: Double, amplitude: Double
  )
    -> [Int16]
  {
    (0..<Int(seconds * Double(rate))).flatMap { index in
      let value = amplitude * sin(2 * .pi * hertz * Double(index) / Double(rate))
      return [Int16](repeating: Int16(value * 32767), count: channels)
    }
  }

  /// 0 ... 1.
  public static func rms(_ samples: some Collection<Int16>) -> Double {
    guard !samples.isEmpty else { return 0 }
    let sum = samples.reduce(0.0) { $0 + Double($1) * Double($1) }
    return (sum / Double(samples.count)).squareRoot() / 32768
  }

  public static func decibels(_ level: Double) -> Double { 20 * log10(max(level, 1e-9)) }

  /// -1 ... 1: how alike two stretches are, whatever their level.
  public static func correlation(_ a: ArraySlice<Int16>, _ b: ArraySlice<Int16>) -> Double {
    var (ab, aa, bb) = (0.0, 1e-9, 1e-9)
    for (x, y) in zip(a, b) {
      ab += Double(x) * Double(y)
      aa += Double(x) * Double(x)
      bb += Double(y) * Double(y)
    }
    return ab / (aa * bb).squareRoot()
  }

  /// One channel of two.
  public static func channel(_ number: Int, of samples: [Int16]) -> [Int16] {
    stride(from: number, to: samples.count, by: 2).map { samples[$0] }
  }
}
