import Glibc
import TestSupport
import Testing
import Wire

@testable import Audio

/// Files by `lame`, joined and decoded by `mpg123` and `ffmpeg`.
struct SeamMakerTests {
  /// Joint stereo and mono, three sample rates, CBR and VBR, with and without a CRC.
  static let formats: [SeamFormat] = [
    .init(options: ["-b", "128"], bitrate: 128),
    .init(options: ["-b", "192", "-p"], bitrate: 192),
    .init(options: ["-b", "320"], bitrate: 320),
    .init(options: ["-V", "2"], bitrate: 192),
    .init(options: ["-b", "128", "-p"], channels: 1, bitrate: 128),
    .init(options: ["-V", "2"], rate: 48_000, channels: 1, bitrate: 128),
    .init(options: ["-b", "128"], rate: 48_000, bitrate: 128),
    .init(options: ["-b", "64"], rate: 22_050, bitrate: 64),
    .init(options: ["-b", "96", "-p"], rate: 22_050, channels: 1, bitrate: 96),
  ]

  /// What every join keeps: its frames, both decoders' peace, and B behind it.
  private func expectWhole(_ heard: SeamHeard) throws {
    let (seam, files) = (heard.seam, heard.files)
    let channels = files.format.channels
    let frames = seam.kept + seam.frames.count + files.pieces[1].frames.count - seam.resumed
    #expect(heard.joined.count == frames * heard.frameSamples * channels)
    #expect(heard.complaints == "")
    #expect(heard.disagreement <= 1)
    // Two frames behind the seam. Decoders round by where a frame stands in a stream, so one unit may differ.
    let alone = try heard.alone()
    let here = (heard.seamRange.upperBound + 2 * heard.frameSamples) * channels
    let there = (seam.resumed + 2) * heard.frameSamples * channels
    #expect(alone.count - there == heard.joined.count - here)
    let errors = zip(alone[there...], heard.joined[here...]).map { abs(Int($0) - Int($1)) }
    #expect(errors.max() ?? 9 <= 1)
  }

  /// The seam beside the rest of the files: what differs from the originals, and how loud it is.
  private func expectLikeTheRest(_ heard: SeamHeard, _ original: [Float], decibels: Float) throws {
    let blocks = heard.blocks(original)
    let length = heard.files.format.rate / 200
    let seam = (heard.seamRange.lowerBound / length - 1)...(heard.seamRange.upperBound / length + 1)
    // Without the files' own beginning and end, which are silent.
    let own = Array(blocks[20..<(seam.lowerBound - 2)])
    func mean(_ blocks: some Sequence<SeamHeard.Block>) -> Float {
      let (sum, count) = blocks.reduce((Float(0), Float(0))) { ($0.0 + $1.error, $0.1 + 1) }
      return sum / count
    }
    let more = powf(10, decibels / 10)
    #expect(mean(blocks[seam]) < mean(own) * more)
    let worst = try #require(own.map(\.error).max())
    let seamWorst = try #require(blocks[seam].map(\.error).max())
    #expect(seamWorst < worst * more * 1.6)
    let softest = try #require(blocks[seam].map { $0.heard / max($0.power, 1e-7) }.min())
    #expect(softest > 0.6, "no 5 ms are silent, or much softer")
  }

  @Test(arguments: Array(formats.enumerated()))
  func `an album's border is heard by nobody`(number: Int, format: SeamFormat) throws {
    // Each border is elsewhere on the grid.
    let files = try SeamFiles(
      of: format, seconds: (2.5 + Double(number) * 0.0137, 5), seed: UInt64(number + 1))
    let heard = try SeamHeard(files, .gapless)
    try expectWhole(heard)
    try expectLikeTheRest(heard, heard.original(), decibels: 3.5)
    // As long as both sounds: the shift is all that the grid takes or gives.
    let channels = format.channels
    let sounds = files.sounds.reduce(0) { $0 + $1.count / channels }
    let back = files.pieces[1].frames.count * heard.frameSamples - files.pieces[1].trim
    let end = heard.joined.count / channels - (back - files.sounds[1].count / channels)
    #expect(end - 1105 - sounds == heard.seam.shift)
    #expect(abs(heard.seam.shift) <= heard.frameSamples / 2)
  }

  @Test(arguments: [formats[0], formats[3], formats[4], formats[7]])
  func `a fade is A under B, which begins at once`(format: SeamFormat) throws {
    let files = try SeamFiles(
      format,
      [
        SeamFiles.sound(format, seconds: 4, seed: 5), SeamFiles.sound(format, seconds: 4, seed: 6),
      ])
    let heard = try SeamHeard(files, .fade(1.2))
    try expectWhole(heard)
    let fade = Int(1.2 * Double(format.rate))
    #expect(heard.seam.shift == 0)
    // The errors of both are heard at once, and that of the seam.
    try expectLikeTheRest(heard, heard.original(fade: fade), decibels: 6.5)
    let begin = heard.seamRange.lowerBound + heard.seam.start
    let end = 1105 + files.sounds[0].count / format.channels
    #expect(abs(end - begin - fade) <= heard.frameSamples / 2)
  }

  @Test func `an insert is laid over a song's end, which keeps its level`() throws {
    let format = Self.formats[1]
    let files = try SeamFiles(
      format,
      [
        SeamFiles.sound(format, seconds: 3.5, seed: 7),
        SeamFiles.sound(format, seconds: 3, seed: 8),
      ])
    let heard = try SeamHeard(files, .over(0.8))
    try expectWhole(heard)
    try expectLikeTheRest(heard, heard.original(), decibels: 6.5)
  }

  @Test func `files of other bit rates are joined`() throws {
    let files = try SeamFiles(
      of: Self.formats[0], then: Self.formats[3], seconds: (2.51, 5), seed: 9)
    let heard = try SeamHeard(files, .gapless)
    try expectWhole(heard)
    try expectLikeTheRest(heard, heard.original(), decibels: 3.5)
  }

  @Test func `a fade begins where A's end has become soft`() throws {
    let format = Self.formats[4]
    var a = SeamFiles.sound(format, seconds: 6, seed: 10)
    // Two seconds of −50 dB at the end.
    for index in (4 * 44_100)..<a.count { a[index] /= 300 }
    let files = try SeamFiles(format, [a, SeamFiles.sound(format, seconds: 4, seed: 11)])
    let heard = try SeamHeard(files, .fade(0.5))
    try expectWhole(heard)
    let begin = Double(heard.seamRange.lowerBound + heard.seam.start - 1105) / 44_100
    #expect((3.95...4.25).contains(begin), "\(begin) s")
  }

  @Test func `two loud pieces together do not clip, and the second keeps its level`() throws {
    let format = SeamFormat(options: ["-b", "192"], channels: 1, bitrate: 192)
    let loud = [300.0, 410].map {
      Signals.sine($0, rate: 44_100, channels: 1, seconds: 4, amplitude: 0.8)
    }
    let files = try SeamFiles(format, loud)
    let (a, b) = (files.pieces[0], files.pieces[1])
    let splice = try MPEGSplice(
      from: a, to: b, .before(44_100), until: 44_100, bitrate: 192)
    let sound = try SeamSound(a, b, splice, fade: nil)
    let mixed = sound.samples(0..<(splice.count * 1152)).map { Int($0) }
    let peak = mixed.map(abs).max() ?? 0
    #expect((32_000...32_768).contains(peak))
    // What is beside B is A at a lower level, not a flattened sum: B is all there at its own pitch.
    let middle = (splice.start + 4_410)..<(splice.start + 39_690)
    let level = amplitude(of: 410, in: mixed[middle].map { Double($0) / 32_768 })
    #expect(abs(20 * log10(level / 0.8)) < 0.3)
    #expect(amplitude(of: 300, in: mixed[middle].map { Double($0) / 32_768 }) > 0.15)
    // A is as it was before.
    let before = mixed[0..<(splice.start - 220)].map { Double($0) / 32_768 }
    #expect(abs(20 * log10((before.map { $0 * $0 }.max() ?? 0).squareRoot() / 0.8)) < 0.5)
  }

  /// The amplitude of a sine in samples at 44.1 kHz.
  private func amplitude(of hertz: Double, in samples: [Double]) -> Double {
    var (real, imaginary) = (0.0, 0.0)
    for (index, sample) in samples.enumerated() {
      let phase = 2 * Double.pi * hertz * Double(index) / 44_100
      real += sample * cos(phase)
      imaginary += sample * sin(phase)
    }
    return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(samples.count)
  }

  @Test func `at the bit rate of seams the second encoding is hardly more than the first`() throws {
    let format = Self.formats[7]
    let files = try SeamFiles(of: format, seconds: (2.6, 5), seed: 13)
    let bitrate = SeamMaker.bitrate(beside: format.bitrate, sampleRate: format.rate)
    let heard = try SeamHeard(files, .gapless, bitrate: bitrate)
    try expectWhole(heard)
    try expectLikeTheRest(heard, heard.original(), decibels: 1)
  }

  @Test(arguments: [
    (128, 44_100, 192), (320, 44_100, 320), (97, 44_100, 160), (64, 22_050, 96), (160, 22_050, 160),
    (64, 8_000, 64), (0, 44_100, 32), (.max, 44_100, 320), (128, 1, 128),
  ])
  func `a seam has half as much again in bit rate, if there is as much`(
    beside: Int, rate: Int, wanted: Int
  ) {
    #expect(SeamMaker.bitrate(beside: beside, sampleRate: rate) == wanted)
  }

  @Test func `what cannot be joined is refused by name`() throws {
    let format = Self.formats[4]
    let files = try SeamFiles(of: format, seconds: (2.6, 2.6), seed: 12)
    let (a, b) = (files.pieces[0], files.pieces[1])
    func refusal(
      _ a: MPEGSplice.Piece, _ b: MPEGSplice.Piece, bitrate: Int = 128,
      _ join: SeamMaker.Join = .gapless
    ) -> String? {
      do throws(SeamMaker.Failure) {
        _ = try SeamMaker(bitrate: bitrate).seam(from: a, to: b, join)
        return nil
      } catch {
        return error.description
      }
    }
    #expect(refusal(a, b) == nil)
    let none = MPEGSplice.Piece(frames: [], trim: 0)
    #expect(refusal(none, b) == MPEGSplice.Refusal.notOneFormat.description)
    #expect(refusal(a, none) == MPEGSplice.Refusal.tooShort(.behind).description)
    let few = MPEGSplice.Piece(frames: a.frames.suffix(70), trim: a.trim)
    #expect(refusal(few, b) == MPEGSplice.Refusal.tooShort(.before).description)
    #expect(refusal(a, b, .fade(30)) == MPEGSplice.Refusal.tooShort(.before).description)
    #expect(refusal(a, b, bitrate: 129)?.contains("has no bit rate of 129") == true)
    // Numbers beyond all bounds are held to them.
    #expect(refusal(a, b, .fade(.nan)) == nil)
    #expect(refusal(a, b, .over(-1)) == nil)
    #expect(refusal(a, b, .over(.infinity)) == MPEGSplice.Refusal.tooShort(.before).description)
  }

  @Test(arguments: [-0.0035, -0.0001, 0.0, 0.0035])
  func `sound that is stretched is the same sound at another pitch`(share: Double) {
    let sine = (0..<4_000).map { Float(sin(Double($0) * 2)) }
    let stretch = SeamStretch(sine, channels: 1)
    let errors = (100..<3_800).map { index in
      let place = Double(index) * (1 + share)
      return abs(stretch.value(of: 0, at: place) - Float(sin(place * 2)))
    }
    #expect(errors.max() ?? 9 < 0.001)
    for place in [-100.0, -16, 4_016, 1e300, -1e300] {
      #expect(stretch.value(of: 0, at: place) == 0)
    }
    for place in [-15.999, -0.5, 0, 3_999, 4_015.999] {
      #expect(abs(stretch.value(of: 0, at: place)) < 1.2)
    }
    // The channels of what is interleaved.
    let both = SeamStretch(sine.flatMap { [$0, 2 * $0] }, channels: 2)
    #expect(abs(both.value(of: 1, at: 99.5) - 2 * stretch.value(of: 0, at: 99.5)) < 0.001)
  }
}
