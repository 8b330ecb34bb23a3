import Timeshift
import Wire

/// The newest figures of a station or of the relay: an hour by tens of seconds, and a day by minutes.
///
/// It takes 28,800 bytes: 1,800 samples of four floats.
struct FigureHistory {
  private var tens = FigureRing(count: FigureSeries.Step.tenSeconds.count)
  private var minutes = FigureRing(count: FigureSeries.Step.minute.count)

  static let tensInMinute: Int64 = 6

  /// Keeps the figures of a step of ten seconds, and those of its minute so far.
  mutating func keep(_ sample: FigureSample, at step: Int64) {
    tens.keep(sample, at: step)
    let minute = step / Self.tensInMinute
    let first = minute * Self.tensInMinute
    minutes.keep(.minute(of: (first..<first + Self.tensInMinute).map { tens[$0] }), at: minute)
  }

  func ring(_ step: FigureSeries.Step) -> FigureRing {
    switch step {
    case .tenSeconds: tens
    case .minute: minutes
    }
  }
}

extension FigureSample {
  /// Returns the mean bit rates, and the most listeners and the greatest lag, as far as they are known.
  static func minute(of samples: [FigureSample]) -> FigureSample {
    func known(_ figure: KeyPath<FigureSample, Float>) -> [Float] {
      samples.map { $0[keyPath: figure] }.filter { !$0.isNaN }
    }
    func mean(_ values: [Float]) -> Float { values.reduce(0, +) / Float(values.count) }
    return FigureSample(
      listeners: known(\.listeners).max() ?? .nan, kbitIn: mean(known(\.kbitIn)),
      kbitOut: mean(known(\.kbitOut)), lagMax: known(\.lagMax).max() ?? .nan)
  }

  /// Adds a station's figures to those of the relay.
  mutating func add(_ other: FigureSample) {
    func sum(_ a: Float, _ b: Float) -> Float { a.isNaN ? b : b.isNaN ? a : a + b }
    listeners = sum(listeners, other.listeners)
    kbitIn = sum(kbitIn, other.kbitIn)
    kbitOut = sum(kbitOut, other.kbitOut)
    // A number counts for more than what is none.
    lagMax = Float.maximum(lagMax, other.lagMax)
  }
}

/// As many of the newest samples as there is room for, by the number of their step.
struct FigureRing {
  private var samples: [FigureSample]
  private(set) var newest: Int64?

  init(count: Int) { samples = Array(repeating: FigureSample(), count: count) }

  /// Steps between the last one and this one stay without figures. A step that comes late is left out.
  mutating func keep(_ sample: FigureSample, at step: Int64) {
    if let newest {
      if step < newest { return }
      // However far the clock went on, each place is emptied once.
      let oldest = step.saturatingSubtract(Int64(samples.count) - 1)
      for missed in stride(from: max(newest.saturatingAdd(1), oldest), to: step, by: 1) {
        samples[place(of: missed)] = FigureSample()
      }
    }
    newest = step
    samples[place(of: step)] = sample
  }

  subscript(step: Int64) -> FigureSample {
    guard let newest, step <= newest,
      step >= newest.saturatingSubtract(Int64(samples.count) - 1)
    else { return FigureSample() }
    return samples[place(of: step)]
  }

  /// Returns all samples, up to that of the step `last`.
  func samples(upTo last: Int64) -> [FigureSample] {
    let first = last.saturatingSubtract(Int64(samples.count) - 1)
    return (0..<Int64(samples.count)).map { self[first.saturatingAdd($0)] }
  }

  private func place(of step: Int64) -> Int {
    let count = Int64(samples.count)
    return Int((step % count + count) % count)
  }
}
