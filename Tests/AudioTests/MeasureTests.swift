import Glibc
import TestSupport
import Testing

@testable import Audio

/// Signals whose measures are known by their making.
struct MeasureTests {
  /// Interleaved samples of a sine with its amplitude and phase, the same in each of the channels.
  static func sine(
    _ hertz: Double, amplitude: Double, degrees: Double = 0, seconds: Double, rate: Int = 48_000,
    channels: Int = 2
  ) -> [Int16] {
    var samples: [Int16] = []
    samples.reserveCapacity(Int(seconds * Double(rate)) * channels)
    for index in 0..<Int((seconds * Double(rate)).rounded()) {
      let angle = 2 * .pi * hertz * Double(index) / Double(rate) + degrees * .pi / 180
      let value = Int16(max(-32768, min(32767, (amplitude * sin(angle) * 32768).rounded())))
      for _ in 0..<channels { samples.append(value) }
    }
    return samples
  }

  static func amplitude(_ decibels: Double) -> Double { pow(10, decibels / 20) }

  private func levels(_ samples: [Int16], channels: Int) -> Levels {
    var meter = LevelMeter(channels: channels)
    samples.withUnsafeBufferPointer { meter.add($0) }
    return meter.pop()
  }

  @Test(arguments: [1, 2, 5])
  func `a sine of -20 dB reads -23.01 dB RMS and -20 dB peak`(channels: Int) {
    let samples = Self.sine(
      1000, amplitude: Self.amplitude(-20), seconds: 1, rate: 44_100, channels: channels)
    let levels = levels(samples, channels: channels)
    #expect(levels.channels.count == channels)
    for channel in levels.channels {
      #expect(abs(channel.rms + 23.01) < 0.01 && abs(channel.peak + 20) < 0.01, "\(channel)")
      #expect(abs(channel.display - 0.6165) < 0.0005, "\(channel)")
    }
  }

  @Test func `silence is -120 dB and full scale is 0 dB`() {
    let silence = levels(Array(repeating: 0, count: 2000), channels: 2)
    #expect(silence.channels.allSatisfy { $0.rms == -120 && $0.peak == -120 && $0.display == 0 })
    #expect(silence.correlation == nil)
    let full = levels(Array(repeating: .min, count: 2000), channels: 1)
    #expect(full.channels[0] == ChannelLevel(rms: 0, peak: 0) && full.channels[0].display == 1)
    #expect(LevelMeter(channels: 2).frames == 0)
  }

  @Test func `channels are told apart, and how alike they are`() {
    let sine = Self.sine(440, amplitude: 0.5, seconds: 0.5, channels: 1)
    let cosine = Self.sine(440, amplitude: 0.5, degrees: 90, seconds: 0.5, channels: 1)
    func both(_ left: [Int16], _ right: [Int16]) -> Levels {
      levels(zip(left, right).flatMap { [$0, $1] }, channels: 2)
    }
    #expect(abs(both(sine, sine).correlation! - 1) < 1e-9)
    #expect(abs(both(sine, sine.map { -$0 }).correlation! + 1) < 1e-9)
    #expect(abs(both(sine, cosine).correlation!) < 0.01)
    let half = both(sine, sine.map { $0 / 2 }).channels
    #expect(abs(half[0].rms - half[1].rms - 6.02) < 0.01)
  }

  @Test func `pieces of any length measure the same`() {
    let samples = Self.sine(997, amplitude: 0.7, seconds: 1)
    var random = SplitMix(seed: 11)
    var meter = LevelMeter(channels: 2)
    let loudness = try! LoudnessMeter(sampleRate: 48_000, channels: 2)
    let whole = try! LoudnessMeter(sampleRate: 48_000, channels: 2)
    samples.withUnsafeBufferPointer { samples in
      whole.add(samples)
      var at = 0
      while at < samples.count {
        let next = min(samples.count, at + 2 * Int.random(in: 0...700, using: &random))
        meter.add(UnsafeBufferPointer(rebasing: samples[at..<next]))
        loudness.add(UnsafeBufferPointer(rebasing: samples[at..<next]))
        at = next
      }
    }
    #expect(meter.frames == 48_000)
    #expect(meter.pop() == levels(samples, channels: 2))
    #expect(abs(loudness.loudness.truePeak! - whole.loudness.truePeak!) < 1e-4)
    #expect(abs(loudness.loudness.integrated! - whole.loudness.integrated!) < 1e-6)
  }

  // MARK: Loudness, by EBU Tech 3341 (2016)

  /// One stretch after another of a 1 kHz sine in stereo: its dBFS and seconds.
  typealias Stretches = [(decibels: Double, seconds: Double)]

  private func measure(
    _ stretches: Stretches, every hop: Double = 0.1, _ look: (Double, Loudness) -> Void
  ) throws {
    let meter = try LoudnessMeter(sampleRate: 48_000, channels: 2)
    var seconds = 0.0
    let samples = stretches.flatMap {
      Self.sine(
        1000, amplitude: $0.decibels < -150 ? 0 : Self.amplitude($0.decibels), seconds: $0.seconds)
    }
    samples.withUnsafeBufferPointer { samples in
      let step = Int(hop * 48_000) * 2
      for at in stride(from: 0, to: samples.count, by: step) {
        let end = min(samples.count, at + step)
        meter.add(UnsafeBufferPointer(rebasing: samples[at..<end]))
        seconds += Double(end - at) / 96_000
        look(seconds, meter.loudness)
      }
    }
  }

  static let integrated: [(Stretches, Double)] = [
    ([(-23, 20)], -23), ([(-33, 20)], -33),
    ([(-36, 10), (-23, 60), (-36, 10)], -23),
    ([(-72, 10), (-36, 10), (-23, 60), (-36, 10), (-72, 10)], -23),
    ([(-26, 20), (-20, 20.1), (-26, 20)], -23),
  ]

  @Test(arguments: 1...5) func `integrated loudness of test signals is right`(signal: Int) throws {
    let (stretches, wanted) = Self.integrated[signal - 1]
    var last = Loudness()
    try measure(stretches) { last = $1 }
    #expect(abs(try #require(last.integrated) - wanted) <= 0.1, "\(last)")
    guard signal <= 2 else { return }
    #expect(abs(try #require(last.momentary) - wanted) <= 0.1, "\(last)")
    #expect(abs(try #require(last.shortTerm) - wanted) <= 0.1, "\(last)")
  }

  @Test func `surround channels count more towards loudness`() throws {
    // Signal 6: left and right -28, centre -24, both surrounds -30 dBFS.
    let meter = try LoudnessMeter(sampleRate: 48_000, channels: 5)
    let parts = [-28.0, -28, -24, -30, -30].map {
      Self.sine(1000, amplitude: Self.amplitude($0), seconds: 20, channels: 1)
    }
    let samples = parts[0].indices.flatMap { index in parts.map { $0[index] } }
    samples.withUnsafeBufferPointer { meter.add($0) }
    #expect(abs(try #require(meter.loudness.integrated) + 23) <= 0.1)
  }

  @Test func `short-term and momentary loudness are right`() throws {
    // Signal 9.
    let nine: Stretches = (0..<5).flatMap { _ in [(-20, 1.34), (-30, 1.66)] }
    try measure(nine) { seconds, loudness in
      guard seconds > 3 else { return }
      #expect(abs((loudness.shortTerm ?? 0) + 23) <= 0.1, "\(seconds)")
    }
    // Signal 12.
    let twelve: Stretches = (0..<25).flatMap { _ in [(-20, 0.18), (-30, 0.22)] }
    try measure(twelve, every: 0.01) { seconds, loudness in
      guard seconds > 1 else { return }
      #expect(abs((loudness.momentary ?? 0) + 23) <= 0.1, "\(seconds)")
    }
  }

  @Test(arguments: [0, 7, 19]) func `a tone of 3 s reaches its short-term loudness`(shift: Int)
    throws
  {
    // Signal 10, of which these are three of the twenty.
    var most = -120.0
    try measure([(-200, Double(shift) * 0.15), (-23, 3), (-200, 1)], every: 0.05) {
      most = max(most, $1.shortTerm ?? -120)
    }
    #expect(abs(most + 23) <= 0.1, "\(most)")
  }

  @Test func `tones of rising level are each measured`() throws {
    // Signal 11, of which these are five of the twenty.
    var stretches: Stretches = []
    for step in 0..<5 {
      stretches += [
        (-200, Double(step) * 0.15), (Double(step) - 38, 3), (-200, 3.1 - Double(step) * 0.15),
      ]
    }
    var most = Array(repeating: -120.0, count: 5)
    try measure(stretches, every: 0.05) { seconds, loudness in
      let step = min(4, Int(seconds / 6.1))
      most[step] = max(most[step], loudness.shortTerm ?? -120)
    }
    for step in 0..<5 { #expect(abs(most[step] - (Double(step) - 38)) <= 0.1, "\(most)") }
  }

  // Signals 15 to 19: parts of the sample rate, amplitude, degrees; the reading, +0.2 and -0.4 dB.
  @Test(arguments: [
    (4.0, 0.5, 0.0, -6.0), (4, 0.5, 45, -6), (6, 0.5, 60, -6), (8, 0.5, 67.5, -6), (4, 1.41, 45, 3),
  ])
  func `the peak between the samples is found`(
    part: Double, amplitude: Double, degrees: Double, wanted: Double
  ) throws {
    for rate in [44_100, 48_000] {
      let meter = try LoudnessMeter(sampleRate: rate, channels: 2)
      let samples = Self.sine(
        Double(rate) / part, amplitude: amplitude, degrees: degrees, seconds: 1, rate: rate)
      // It begins softly: what springs up has a peak of its own.
      let faded = samples.enumerated().map { index, value in
        Int16(
          Double(value)
            * min(1, Double(index / 2) / 2000, Double((samples.count - index) / 2) / 2000))
      }
      faded.withUnsafeBufferPointer { meter.add($0) }
      let peak = try #require(meter.loudness.truePeak)
      #expect((wanted - 0.4...wanted + 0.2).contains(peak), "\(peak)")
    }
  }

  @Test func `loudness is not told before enough was heard`() throws {
    let meter = try LoudnessMeter(sampleRate: 48_000, channels: 1)
    #expect(meter.loudness == Loudness())
    Self.sine(1000, amplitude: 0.1, seconds: 0.5, channels: 1).withUnsafeBufferPointer {
      meter.add($0)
    }
    #expect(meter.loudness.momentary != nil && meter.loudness.shortTerm == nil)
    let silent = try LoudnessMeter(sampleRate: 48_000, channels: 1)
    [Int16](repeating: 0, count: 48_000 * 4).withUnsafeBufferPointer { silent.add($0) }
    #expect(silent.loudness.momentary == -120 && silent.loudness.integrated == nil)
    #expect(silent.loudness.truePeak == -120)
    #expect(throws: AudioError.self) { try LoudnessMeter(sampleRate: 0, channels: 2) }
    #expect(throws: AudioError.self) { try LoudnessMeter(sampleRate: 48_000, channels: 0) }
  }

  // MARK: Spectrum

  @Test(arguments: [
    (50.0, 44_100), (440, 44_100), (1000, 44_100), (1000, 22_050), (1000, 48_000), (8000, 48_000),
    (15_000, 44_100),
  ])
  func `a sine stands in its band with its RMS`(hertz: Double, rate: Int) throws {
    let meter = try SpectrumMeter(sampleRate: rate)
    let samples = Self.sine(hertz, amplitude: Self.amplitude(-20), seconds: 0.2, rate: rate)
    samples.withUnsafeBufferPointer { meter.add($0, channels: 2) }
    var levels: [Double] = []
    meter.read(into: &levels)
    #expect(levels.count == 24 && meter.frequencies.count == 24)
    let loudest = try #require(levels.indices.max { levels[$0] < levels[$1] })
    let nearest = meter.frequencies.indices.min {
      abs(meter.frequencies[$0] - hertz) < abs(meter.frequencies[$1] - hertz)
    }!
    #expect(loudest == nearest, "\(meter.frequencies[loudest]) \(levels)")
    // What spills into the bands beside it belongs to it.
    let around = levels[max(0, loudest - 1)...min(23, loudest + 1)].reduce(0) {
      $0 + pow(10, $1 / 10)
    }
    #expect(abs(10 * log10(around) + 23.01) < 0.5, "\(levels)")
    for band in levels.indices where abs(band - loudest) > 2 {
      #expect(levels[band] < -60, "\(band): \(levels)")
    }
  }

  @Test func `bands rise with the frequency and silence is in none of them`() throws {
    for rate in [8_000, 11_025, 32_000, 44_100, 96_000] {
      for bands in [1, 8, 24, 48, 96] {
        let meter = try SpectrumMeter(sampleRate: rate, bands: bands)
        #expect(meter.frequencies.count == bands && meter.frequencies == meter.frequencies.sorted())
        #expect(meter.frequencies.allSatisfy { (20...min(16_000, Double(rate) / 2)).contains($0) })
        var levels: [Double] = []
        meter.read(into: &levels)
        #expect(levels == Array(repeating: -120, count: bands))
      }
    }
    #expect(throws: AudioError.self) { try SpectrumMeter(sampleRate: 0) }
  }

  @Test func `bands rise at once and fall slowly`() {
    var fall = SpectrumFall()
    fall.follow([-60], after: 0)
    fall.follow([-20], after: 0.1)
    #expect(fall.levels[0] > -22)
    fall.follow([-90], after: 0.5)
    #expect(abs(fall.levels[0] + 36) < 2)
    fall.follow([-90], after: 100)
    #expect(fall.levels[0] == -90)
  }

  // MARK: Rules

  @Test func `silence counts once it has lasted, and ends with the first sound`() {
    var watch = SilenceWatch(below: -50, for: 10)
    var changes: [SilenceWatch.Change] = []
    for tenth in 0..<300 {
      // 5 s of music, 9 s of silence, a click, 12 s of silence, music.
      let isQuiet = (50..<140).contains(tenth) || (141..<261).contains(tenth)
      let change = watch.add(rms: isQuiet ? -60 : -20, at: Double(tenth) / 10, for: 0.1)
      if let change { changes.append(change) }
    }
    #expect(
      changes
        == [.started(since: 14.1, until: 24 + 0.1), .stopped(at: 26.1, seconds: 26.1 - 14.1)])
  }

  @Test func `samples in a row at full scale are clipping`() {
    var watch = ClippingWatch(least: 3, channels: 2)
    func take(_ frames: [(Int16, Int16)]) -> [Int] {
      frames.flatMap { [$0, $1] }.withUnsafeBufferPointer { watch.add($0) }
    }
    #expect(take([(.max, 0), (.max, .min), (5, .min), (.max, 0)]) == [0, 0])
    // Across two pieces.
    #expect(take([(.max, 0), (.max, 0), (.max, 0), (0, 0)]) == [4, 0])
    #expect(take([(0, -32767), (0, .min), (0, -32767)]) == [0, 3])
    #expect(watch.clipped == [4, 3])
    #expect(take([(5, 5)]).isEmpty && take([]).isEmpty)
  }
}
