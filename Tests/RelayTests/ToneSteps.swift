import Audio
import Foundation

/// A programme whose tone tells the time: each second has a frequency of its own.
enum ToneSteps {
  static let rate = 48_000
  /// More than a test takes on a machine that is busy.
  static let seconds = 180
  static let frameBytes = 384

  /// Hz of the tone at a media second.
  static func frequency(_ second: Int) -> Double { 400 + 50 * Double(second) }

  /// 128 kbit/s in stereo.
  static let frames: [[UInt8]] = {
    let encoder = try! LameEncoder(sampleRate: rate, channels: 2, bitrate: 128)
    var phase = 0.0
    var bytes: [UInt8] = []
    for second in 0..<seconds {
      let step = 2 * Double.pi * frequency(second) / Double(rate)
      let samples = (0..<rate).flatMap { _ -> [Int16] in
        phase += step
        let value = Int16((0.25 * sin(phase) * 32767).rounded())
        return [value, value]
      }
      bytes += try! encoder.encode(samples)
    }
    bytes += encoder.finish()
    return stride(from: 0, to: bytes.count - frameBytes + 1, by: frameBytes).map {
      Array(bytes[$0..<$0 + frameBytes])
    }
  }()

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
