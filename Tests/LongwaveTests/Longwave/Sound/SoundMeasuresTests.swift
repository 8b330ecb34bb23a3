import Audio
import Foundation
import Testing
import Wire

@testable import Longwave

/// Seconds of decoded sound that are measured as a whole.
@Suite struct SoundMeasuresTests {
  /// A tone in stereo, the right channel 6.02 dB softer, from a media time on.
  private func tone(_ amplitude: Double, seconds: Double, rate: Int) -> [Int16] {
    (0..<Int(seconds * Double(rate))).flatMap { frame -> [Int16] in
      let value = amplitude * 32767 * sin(2 * .pi * 997 * Double(frame) / Double(rate))
      return [Int16(value.rounded()), Int16((value / 2).rounded())]
    }
  }

  private func measure(
    _ samples: [Int16], at place: Int, in pieces: Int = 1152, _ measures: inout SoundMeasures
  ) {
    for first in stride(from: 0, to: samples.count / 2, by: pieces) {
      let end = min(first + pieces, samples.count / 2)
      samples[(first * 2)..<(end * 2)].withUnsafeBufferPointer {
        measures.add($0, at: place + first)
      }
    }
  }

  @Test(arguments: [8_000, 11_025, 22_050, 44_100, 48_000], [64, 1000, 1152, 100_000])
  func `a whole second reads the level of its tone, whatever it comes in`(rate: Int, piece: Int)
    throws
  {
    for wish in [SoundWish.rules, .levels, .sound, .spectrum, .always] {
      var measures = try SoundMeasures(sampleRate: rate, channels: 2, wish: wish)
      // Half a second too early for the first whole one.
      measure(
        tone(0.1, seconds: 3.75, rate: rate), at: 7 * rate + rate / 2, in: piece, &measures)
      let seconds = measures.pop().seconds
      #expect(seconds.map(\.number) == [8, 9, 10])
      for second in seconds {
        #expect(abs(second.loudest - -23.01) < 0.05, "\(second)")
        // Powers of both channels, one a quarter of the other's.
        #expect(abs(second.rms - (-23.01 + 10 * log10(1.25 / 2))) < 0.05, "\(second)")
      }
    }
  }

  @Test func `loudness begins anew with each watcher after a time without any`() throws {
    let rate = 44_100
    var measures = try SoundMeasures(sampleRate: rate, channels: 2, wish: .levels)
    measure(tone(0.9, seconds: 4, rate: rate), at: 0, &measures)
    let loud = try #require(measures.loudness.integrated)
    #expect(loud > -6 && measures.loudness.shortTerm != nil)
    measures.wish = .rules
    measure(tone(0.01, seconds: 2, rate: rate), at: 4 * rate, &measures)
    #expect(measures.loudness.integrated == loud)
    measures.wish = .levels
    #expect(measures.loudness == Loudness())
    measure(tone(0.01, seconds: 2, rate: rate), at: 6 * rate, &measures)
    #expect(measures.loudness.shortTerm == nil)
    #expect(try #require(measures.loudness.integrated) < -40)
    #expect(try #require(measures.loudness.truePeak) < -35)
  }

  @Test func `a second with a hole or from two places is none`() throws {
    let rate = 44_100
    var measures = try SoundMeasures(sampleRate: rate, channels: 2, wish: .always)
    measure(tone(0.5, seconds: 1.5, rate: rate), at: 0, &measures)
    // 26 ms are missing.
    measure(tone(0.5, seconds: 1.5, rate: rate), at: rate * 3 / 2 + 1152, &measures)
    // A jump back to a second that was begun before.
    measure(tone(0.5, seconds: 0.75, rate: rate), at: rate * 5 + rate / 2, &measures)
    measure(tone(0.5, seconds: 0.5, rate: rate), at: rate * 5, &measures)
    #expect(measures.pop().seconds.map(\.number) == [0, 2])
  }

  @Test func `a second of silence is measured too`() throws {
    let rate = 48_000
    var measures = try SoundMeasures(sampleRate: rate, channels: 2, wish: .always)
    measure(tone(0, seconds: 1, rate: rate), at: 0, &measures)
    let second = try #require(measures.pop().seconds.first)
    #expect(second.rms == -120 && SoundChunk.byte(second.rms) == 0)
  }

  @Test func `loudness out of bounds is told of sound, and not of dead air`() throws {
    let rate = 48_000
    func crossings(_ parts: [(amplitude: Double, seconds: Double)]) throws -> [String] {
      var measures = try SoundMeasures(
        sampleRate: rate, channels: 2, wish: .rules,
        silence: SilenceWatch(below: -60, for: 30),
        bounds: LoudnessWatch(below: -30, above: -9, for: 4))
      var place = 0
      for part in parts {
        let samples = tone(part.amplitude, seconds: part.seconds, rate: rate)
        measure(samples, at: place, &measures)
        place += samples.count / 2
      }
      return measures.pop().crossings.map {
        switch $0 {
        case .out(let bound, _, _): bound.rawValue
        case .back: "back"
        }
      }
    }
    #expect(try crossings([(0.1, 10), (0.01, 12), (0.1, 8)]) == ["below", "back"])
    #expect(try crossings([(0.1, 10), (0.9, 12), (0.1, 8)]) == ["above", "back"])
    #expect(try crossings([(0.1, 10), (0.0001, 60), (0.1, 8)]) == [])
    #expect(try crossings([(0.01, 10), (0, 12), (0.01, 8), (0.1, 4)]) == ["below", "back"])
  }

  @Test(arguments: [false, true])
  func `silence and loudness are found where the rate changes with every frame`(isSilent: Bool)
    throws
  {
    var steady = SteadyFormat()
    var measures: SoundMeasures?
    var (made, reading) = (0, SoundReading())
    let rates = [44_100, 48_000]
    var frame = 0
    // Frames of 40 ms, one rate after the other.
    for step in 0..<250 {
      let rate = rates[step % 2]
      let samples = tone(isSilent ? 0 : 0.25, seconds: 0.04, rate: rate)
      let place = Int((Double(frame) * 0.04 * Double(rate)).rounded())
      frame += 1
      let format = AudioFormat(codec: .flac, sampleRate: rate, channels: 2)
      try samples.withUnsafeBufferPointer { samples in
        var failure: (any Error)?
        steady.convert(samples, format, at: place) { samples, format, place in
          if measures?.sampleRate != format.sampleRate {
            made += 1
            do {
              measures = try SoundMeasures(
                sampleRate: format.sampleRate, channels: 2, wish: .always,
                silence: measures?.silence ?? SilenceWatch(below: -50, for: 3))
            } catch { failure = error }
          }
          measures?.add(samples, at: place)
        }
        if let failure { throw failure }
      }
      if let new = measures?.pop() {
        reading.changes += new.changes
        reading.seconds += new.seconds
      }
    }
    #expect(made <= 3)
    #expect(reading.seconds.count >= 7)
    #expect(reading.changes.isEmpty == !isSilent)
    let loudness = try #require(measures).loudness
    if isSilent {
      #expect(reading.seconds.allSatisfy { $0.rms < -90 })
    } else {
      #expect(reading.seconds.allSatisfy { abs($0.loudest - -15) < 1 }, "\(reading.seconds)")
      #expect(abs(try #require(loudness.shortTerm) - -14) < 1.5, "\(loudness)")
    }
  }

  @Test func `a format that stays counts from its first sample on`() {
    var steady = SteadyFormat()
    var heard: [Int] = []
    let samples = [Int16](repeating: 1, count: 2000)
    for (media, rate) in [(0, 24_000), (0.05, 48_000), (1, 48_000), (9, 32_000), (10, 32_000)] {
      samples.withUnsafeBufferPointer {
        steady.convert(
          $0, AudioFormat(codec: .aac, sampleRate: rate, channels: 2),
          at: Int(media * Double(rate))
        ) { _, format, _ in heard.append(format.sampleRate) }
      }
    }
    #expect(heard == [24_000, 48_000, 48_000, 32_000, 32_000])
  }
}
