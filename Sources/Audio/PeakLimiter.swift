import Glibc
import Wire

/// Holds the peaks of sound, also those between the samples, below a ceiling. The limiter looks ahead, so its gain
/// falls before a peak and not at the peak.
struct PeakLimiter {
  /// Samples of a channel by which what comes out is later.
  var delay: Int { look + TruePeak.reach }

  /// Amplitude: −1.5 dBFS, so that an encoder's own overshoot rarely clips.
  static let ceiling: Float = 0.841
  /// Seconds that it looks ahead, over which its gain falls.
  private static let lookSeconds = 0.005
  /// Seconds in which two thirds of the gain come back.
  private static let releaseSeconds = 0.1

  private let channels: Int
  private let look: Int
  private let release: Float
  private var peaks: [TruePeak.Samples]
  /// Interleaved samples that are not out yet.
  private var held: [Float]
  /// Gains that samples need: a window of `look`, as a queue in which each is less than those behind it.
  private var needed = SlidingMinimum()
  /// Gains of the last `look` samples, whose mean is used.
  private var gains: [Float]
  private var place = 0
  private var sum: Double
  private var last: Float = 1

  init(sampleRate: Int, channels: Int) {
    self.channels = channels
    look = max(8, Int(bounded: Double(sampleRate) * Self.lookSeconds))
    release = 1 - expf(-1 / Float(Double(sampleRate) * Self.releaseSeconds))
    peaks = Array(repeating: TruePeak.Samples(), count: channels)
    held = Array(repeating: 0, count: (look + TruePeak.reach) * channels)
    gains = Array(repeating: 1, count: look)
    sum = Double(look)
  }

  /// Limits interleaved samples of amplitude 1 and appends as many as came, those of `delay` ago.
  mutating func limit(_ samples: [Float], into made: inout [Int16]) {
    held += samples
    let frames = samples.count / channels
    for frame in 0..<frames {
      var peak: Float = 0
      for channel in 0..<channels {
        peak = max(peak, peaks[channel].add(samples[frame * channels + channel]))
      }
      let gain = next(peak)
      for channel in 0..<channels {
        let value = held[frame * channels + channel] * gain * 32_768
        made.append(Int16(min(32_767, max(-32_768, value.rounded()))))  // bounded: clamped
      }
    }
    held.removeFirst(frames * channels)
  }

  /// Returns the gain of the sample of `delay` ago, by the peak of the newest.
  private mutating func next(_ peak: Float) -> Float {
    let least = needed.add(peak > Self.ceiling ? Self.ceiling / peak : 1, of: look + 1)
    last = least < last ? least : last + (least - last) * release
    sum += Double(last) - Double(gains[place])
    gains[place] = last
    place = (place + 1) % look
    return Float(sum / Double(look))
  }
}

/// The least of the newest values.
struct SlidingMinimum {
  private var queue: [(value: Float, index: Int)] = []
  private var first = 0
  private var count = 0

  /// - Parameter window: how many of the newest values count.
  mutating func add(_ value: Float, of window: Int) -> Float {
    while queue.count > first, queue[queue.count - 1].value >= value { queue.removeLast() }
    queue.append((value, count))
    while queue[first].index <= count - window { first += 1 }
    count += 1
    if first > 1024 {
      queue.removeFirst(first)
      first = 0
    }
    return queue[first].value
  }
}
