import TestSupport
import Testing
import Wire

@testable import Library
@testable import Media

/// How loud whole files are, and where their sound begins and ends.
@Suite struct TrackMeasureTests {
  /// A sine between silences, as a file of some kind.
  private static func file(
    _ name: String, decibels: Double = -20, silence: Double = 2, _ options: [String]
  ) throws -> MediaFile {
    let folder = TemporaryDirectory()
    let amplitude = "pow(10\\,\(decibels)/20)"
    let isOn = "between(t\\,\(silence)\\,\(silence + 6))"
    let sine = "\(amplitude)*sin(2*PI*997*t)*\(isOn)"
    try Tool.must(
      [
        "ffmpeg", "-v", "error", "-f", "lavfi", "-i",
        "aevalsrc=\(sine)|\(sine):s=48000:d=\(2 * silence + 6):c=stereo",
      ] + options + [folder.file(name)], in: folder)
    return try MediaFolder.open(name, in: folder.path)
  }

  struct Kind: Sendable, CustomTestStringConvertible {
    var name: String
    var options: [String]
    /// Seconds by which an edge of the sound may move.
    var smear: Double
    var testDescription: String { name }
  }

  static let kinds = [
    Kind(name: "a.flac", options: [], smear: 0.001),
    Kind(name: "a.wav", options: [], smear: 0.001),
    Kind(name: "a.mp3", options: ["-b:a", "192k"], smear: 0.05),
    Kind(name: "a.ogg", options: ["-c:a", "libvorbis"], smear: 0.05),
    Kind(name: "a.m4a", options: ["-c:a", "aac"], smear: 0.05),
  ]

  @Test(arguments: kinds)
  func `a sine at -20 dBFS has -20 LUFS, its peak, and its place between silences`(
    _ kind: Kind
  ) throws {
    let measure = try #require(
      try TrackMeasure.of(try Self.file(kind.name, kind.options)) { true })
    // EBU Tech 3341, 1: a stereo sine at -23 dBFS reads -23 LUFS; here of 997 Hz.
    let loudness = try #require(measure.loudness)
    // Half of a block's power at each edge, and what LAME takes off.
    #expect(abs(loudness + 20) < 0.7, "\(loudness)")
    let peak = try #require(measure.truePeak)
    #expect(abs(peak + 20) < 1, "\(peak)")
    let (cueIn, cueOut) = (try #require(measure.cueIn), try #require(measure.cueOut))
    #expect(abs(cueIn - 2) < kind.smear && abs(cueOut - 8) < kind.smear, "\(cueIn) \(cueOut)")
  }

  @Test func `a part is measured as if it were all`() throws {
    let file = try Self.file("a.flac", [])
    let measure = try #require(
      try TrackMeasure.of(file, part: TrackCue(from: 3, to: 7)) { true })
    let (cueIn, cueOut) = (try #require(measure.cueIn), try #require(measure.cueOut))
    #expect(abs(cueIn - 3) < 0.001 && abs(cueOut - 7) < 0.001)
    let loudness = try #require(measure.loudness)
    #expect(abs(loudness + 20) < 0.2)
    let before = try #require(
      try TrackMeasure.of(file, part: TrackCue(from: nil, to: 1.9)) { true })
    #expect(before.loudness == nil && before.cueIn == nil)
  }

  @Test func `many parts are measured by decoding the file once, up to the last of them`() throws {
    let file = try Self.file("a.flac", [])
    func measures(_ parts: [TrackCue?]) throws -> (measures: [TrackMeasure], pieces: Int) {
      var pieces = 0
      let found = try TrackMeasure.of(file, parts: parts) {
        pieces += 1
        return true
      }
      return (try #require(found), pieces)
    }
    let bounds: [(Double?, Double?)] = [(nil, 1), (1, 4), (2, 6.5), (4, 6)]
    let parts = bounds.map { TrackCue(from: $0, to: $1) }
    let together = try measures(parts)
    for (part, measure) in zip(parts, together.measures) {
      #expect(try TrackMeasure.of(file, part: part) { true } == measure)
    }
    let last = try measures([parts[2]]), whole = try measures([nil])
    #expect(together.pieces == last.pieces && last.pieces < whole.pieces)
    // What a file has not has no sound.
    #expect(try measures([TrackCue(from: 60, to: 70), nil]).measures[0] == TrackMeasure())
  }

  @Test func `silence has no loudness, and no place where its sound begins`() throws {
    let file = try Self.file("a.flac", decibels: -90, [])
    let measure = try #require(try TrackMeasure.of(file) { true })
    #expect(measure.loudness == nil && measure.cueIn == nil && measure.cueOut == nil)
  }

  @Test func `a measure that nobody wants any more ends, and says nothing`() throws {
    let file = try Self.file("a.mp3", [])
    var pieces = 0
    let measure = try TrackMeasure.of(file) {
      pieces += 1
      return pieces < 3
    }
    #expect(measure == nil && pieces == 3)
  }
}
