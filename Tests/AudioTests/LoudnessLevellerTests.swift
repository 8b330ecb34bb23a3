import Glibc
import TestSupport
import Testing
import Wire

@testable import Audio

/// Sound that is brought to a loudness.
struct LoudnessLevellerTests {
  private func loudness(_ samples: some Collection<Int16>, channels: Int) throws -> Loudness {
    let meter = try LoudnessMeter(sampleRate: 48_000, channels: channels)
    Array(samples).withUnsafeBufferPointer { meter.add($0) }
    return meter.loudness
  }

  private func level(_ samples: [Int16], to target: Double, channels: Int) throws -> [Int16] {
    let leveller = try LoudnessLeveller(to: target, sampleRate: 48_000, channels: channels)
    var made: [Int16] = []
    for at in stride(from: 0, to: samples.count, by: 1152 * channels) {
      made += leveller.level(Array(samples[at..<min(samples.count, at + 1152 * channels)]))
    }
    made += leveller.rest()
    #expect(made.count == samples.count + leveller.delay * channels)
    return made
  }

  @Test(arguments: [(0.04, -16.0), (0.5, -23.0), (0.9, -30.0), (0.1, -14.0)])
  func `a programme comes to the loudness that is asked for`(
    amplitude: Double, target: Double
  ) throws {
    for channels in 1...2 {
      let tone = Signals.sine(
        997, rate: 48_000, channels: channels, seconds: 20, amplitude: amplitude)
      let made = try level(tone, to: target, channels: channels)
      let end = try loudness(made.suffix(5 * 48_000 * channels), channels: channels)
      let heard = try #require(end.integrated)
      #expect(abs(heard - target) < 0.5, "\(channels): \(heard) LUFS for \(target)")
    }
  }

  @Test func `a levelled peak is never above the ceiling`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix(seed: seed)
    // Soft, so that the gain is high, then bursts at full scale, whose peaks are between the samples.
    var samples = Signals.sine(440, rate: 48_000, channels: 2, seconds: 8, amplitude: 0.02)
    for _ in 0..<40 {
      let hertz = Double.random(in: 100...20_000, using: &random)
      let amplitude = Double.random(in: 0.3...1, using: &random)
      samples += Signals.sine(hertz, rate: 48_000, channels: 2, seconds: 0.05, amplitude: amplitude)
      samples += (0..<2_000).map { _ in Int16.random(in: -32_768...32_767, using: &random) }
      samples += Signals.sine(440, rate: 48_000, channels: 2, seconds: 0.2, amplitude: 0.02)
    }
    let made = try level(samples, to: -14, channels: 2)
    let peak = try #require(try loudness(made, channels: 2).truePeak)
    #expect(peak < -1, "\(peak) dBTP, seed \(seed)")
    #expect(peak > -6, "\(peak) dBTP, seed \(seed)")
  }

  @Test func `sound below the ceiling and as loud as asked for stays what it is`() throws {
    let tone = Signals.sine(997, rate: 48_000, channels: 1, seconds: 10, amplitude: 0.1)
    let own = try #require(try loudness(tone, channels: 1).integrated)
    let leveller = try LoudnessLeveller(to: own, sampleRate: 48_000, channels: 1)
    let made = leveller.level(tone)
    let late = made[(leveller.delay + 96_000)...]
    for (before, after) in zip(tone[96_000...], late) {
      #expect(abs(Int(before) - Int(after)) <= 40)
      if abs(Int(before) - Int(after)) > 40 { return }
    }
    #expect(late.count > 48_000)
  }

  @Test func `silence stays silent, and what comes behind it is not too loud`() throws {
    let silence = [Int16](repeating: 0, count: 48_000 * 20)
    let tone = Signals.sine(997, rate: 48_000, channels: 1, seconds: 10, amplitude: 0.5)
    let made = try level(silence + tone, to: -20, channels: 1)
    #expect(made.prefix(48_000 * 19).allSatisfy { $0 == 0 })
    let momentary = try #require(
      try loudness(made[(48_000 * 20)..<(48_000 * 21)], channels: 1).momentary)
    // A tone at half of full scale, as it came.
    #expect(momentary < -5, "\(momentary)")
  }

  @Test func `the sound after a stream's end is as loud as the sound before it`() throws {
    var wish = PCMEncoding()
    (wish.bitrate, wish.loudness) = (128, -30)
    let tone = Signals.sine(997, rate: 48_000, channels: 2, seconds: 10, amplitude: 0.5)
    /// Loudness of the second second of MP3.
    func heard(_ bytes: [UInt8]) throws -> Double {
      let samples = try Mpg123Decoder().decode(bytes)
      return try #require(
        try loudness(samples[(2 * 48_000)..<(4 * 48_000)], channels: 2).momentary)
    }
    func encode(_ encoder: SampleEncoder) throws -> [UInt8] {
      try tone.withUnsafeBufferPointer { try encoder.encode($0, rate: 48_000, channels: 2) }
        + encoder.finish()
    }
    let encoder = SampleEncoder(wish)
    _ = try encode(encoder)
    #expect(abs(try heard(try encode(encoder)) + 30) < 1)
    // Where the beginning was heard before it is encoded, it is right from its beginning.
    let prepared = SampleEncoder(wish)
    for at in stride(from: 0, to: tone.count - 2304, by: 2304) {
      try tone[at..<(at + 2304)].withUnsafeBufferPointer {
        try prepared.hear($0, rate: 48_000, channels: 2)
      }
    }
    #expect(abs(try heard(try encode(prepared)) + 30) < 1)
  }

  @Test func `a programme that becomes softer or louder for good is followed`() throws {
    let soft = Signals.sine(997, rate: 48_000, channels: 1, seconds: 40, amplitude: 0.05)
    let loud = Signals.sine(997, rate: 48_000, channels: 1, seconds: 40, amplitude: 0.5)
    for programme in [soft + loud, loud + soft] {
      let made = try level(programme, to: -20, channels: 1)
      let end = try #require(
        try loudness(made.suffix(10 * 48_000), channels: 1).integrated)
      #expect(abs(end + 20) < 1.5, "\(end)")
    }
  }

  @Test func `the mean follows a programme, and not its pauses`() {
    var mean = LoudnessMean()
    #expect(mean.value == nil)
    for _ in 0..<600 { mean.add(-20) }
    for _ in 0..<100 { mean.add(-60) }
    for _ in 0..<600 { mean.add(-120) }
    #expect(abs((mean.value ?? 0) + 20) < 0.5)
    for _ in 0..<1800 { mean.add(-12) }
    #expect(abs((mean.value ?? 0) + 12) < 0.5)
  }
}
