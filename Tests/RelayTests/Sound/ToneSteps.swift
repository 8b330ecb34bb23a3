import Foundation

/// A programme whose tone tells the time: each second has a frequency of its own.
enum ToneSteps {
  static let rate = LameFrames.rate
  static let frameBytes = LameFrames.bytes

  /// Hz of the tone at a media second; whole, so that no second begins with a jump.
  static func frequency(_ second: Int) -> Double { 400 + 50 * Double(second) }

  /// MP3 leaves out what is higher than its tone in second 300.
  static let programme = LameProgramme { index in
    let angle = 2 * Double.pi * frequency(index / rate) * Double(index % rate) / Double(rate)
    let value = Int16((0.25 * sin(angle) * 32767).rounded())
    return (value, value)
  }

  /// Hz of samples, by the zero crossings from below.
  static func frequency(of samples: ArraySlice<Float>, rate: Int) -> Double {
    let rises = zip(samples.indices, samples.indices.dropFirst()).filter {
      samples[$0] < 0 && samples[$1] >= 0
    }.map { index, next -> Double in
      Double(index) - Double(samples[index]) / Double(samples[next] - samples[index])
    }
    guard let first = rises.first, let last = rises.last, rises.count > 1 else { return 0 }
    return Double(rises.count - 1) * Double(rate) / (last - first)
  }
}
