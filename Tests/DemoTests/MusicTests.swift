import TestSupport
import Testing
import Wire

@testable import Demo

struct MusicTests {
  // Two elevenths of the full rate: debug builds are slow.
  private static let rate = 8000

  /// Three tracks of one programme, rendered once for all tests.
  private struct Programme {
    var samples: [Int16] = []
    var titles: [Title] = []
    /// Where each track begins, in samples per channel, and where the last one ends.
    var borders = [0]

    init(seed: UInt64) {
      var music = Music(seed: seed, sampleRate: rate)
      for _ in 0..<3 {
        titles.append(music.title)
        samples += music.render(frames: music.framesUntilNextTrack)
        borders.append(samples.count / 2)
      }
      titles.append(music.title)
    }

    func stretch(_ range: Range<Int>) -> ArraySlice<Int16> {
      samples[2 * range.lowerBound..<2 * range.upperBound]
    }
  }

  private static let programme = Programme(seed: 5)

  @Test func `another title comes every half minute`() {
    let programme = Self.programme
    for (begin, end) in zip(programme.borders, programme.borders.dropFirst()) {
      #expect((25...40).contains(Double(end - begin) / Double(Self.rate)))
    }
    #expect(Set(programme.titles).count == 4)
    #expect(programme.titles.allSatisfy { $0.text.contains(" – ") })
  }

  @Test func `tracks are even in level, no sample is clipped, and no second is silent`() {
    let programme = Self.programme
    for (begin, end) in zip(programme.borders, programme.borders.dropFirst()) {
      let level = Signals.decibels(Signals.rms(programme.stretch(begin..<end)))
      #expect((-21 ... -14).contains(level))
    }
    // -3 dBFS.
    #expect(programme.samples.allSatisfy { abs(Int($0)) <= 23_198 })
    for second in 0..<programme.samples.count / (2 * Self.rate) {
      let stretch = programme.stretch(Self.rate * second..<Self.rate * (second + 1))
      #expect(Signals.decibels(Signals.rms(stretch)) > -45, "second \(second)")
    }
  }

  @Test func `the left channel differs from the right, and neither has an offset`() {
    let left = Signals.channel(0, of: Self.programme.samples)
    let right = Signals.channel(1, of: Self.programme.samples)
    #expect(Signals.correlation(left[...], right[...]) < 0.98)
    for channel in [left, right] {
      let mean = channel.reduce(0.0) { $0 + Double($1) } / Double(channel.count)
      // -60 dBFS.
      #expect(abs(mean) < 33)
    }
  }

  @Test func `a fade from one track into the next does not click`() {
    let left = Signals.channel(0, of: Self.programme.samples)
    func steepest(_ range: Range<Int>) -> Int {
      zip(left[range], left[range].dropFirst()).map { abs(Int($0) - Int($1)) }.max() ?? 0
    }
    for border in Self.programme.borders[1...2] {
      // The last note of the one rings on, the first of the other comes up slowly: 5 ms of the
      // border are no steeper than the seconds beside it.
      let beside = max(
        steepest(border - Self.rate..<border - 40), steepest(border + 40..<border + Self.rate / 2))
      #expect(steepest(border - 40..<border + 40) <= beside)
      #expect(beside > 100)
    }
  }

  @Test func `a seed gives the same programme again, another seed another`() {
    var (one, again, other) = (
      Music(seed: 9, sampleRate: Self.rate), Music(seed: 9, sampleRate: Self.rate),
      Music(seed: 10, sampleRate: Self.rate)
    )
    let samples = one.render(frames: 3 * Self.rate)
    // However it is cut.
    var pieces: [Int16] = []
    for _ in 0..<30 { pieces += again.render(frames: Self.rate / 10) }
    #expect(pieces == samples)
    #expect(again.title == one.title)
    #expect(other.render(frames: 3 * Self.rate) != samples)
    #expect(other.title != one.title)
  }
}
