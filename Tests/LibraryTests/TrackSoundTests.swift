import TestSupport
import Testing
import Wire

@testable import Library
@testable import Media

/// The sound of whole files, without what encoders added.
@Suite struct TrackSoundTests {
  private struct Heard {
    var samples: [Int16] = []
    var (rate, channels) = (0, 0)

    var frames: Int { samples.count / max(1, channels) }

    func amplitude(_ hertz: Double, channel: Int) -> Double {
      let one = stride(from: channel, to: samples.count, by: max(1, channels)).map { samples[$0] }
      return Signals.amplitude(hertz, in: one, rate: rate)
    }
  }

  private static func sound(_ bytes: [UInt8]) throws -> TrackSound {
    let folder = TemporaryDirectory()
    folder.write("file", bytes)
    return try TrackSound(MediaFolder.open("file", in: folder.path))
  }

  private static func decode(_ bytes: [UInt8]) throws -> Heard {
    var heard = Heard()
    try sound(bytes).decode { samples, rate, channels in
      heard.samples += samples
      (heard.rate, heard.channels) = (rate, channels)
      return true
    }
    return heard
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var file: ToneFile
    /// Samples by which the length may differ from what was encoded.
    var tolerance = 0
    var testDescription: String { file.options.joined(separator: " ") + " \(file.rate)" }
  }

  private static let flac24 = ["-c:a", "flac", "-sample_fmt", "s32"]
  static let cases: [Case] = [
    Case(file: ToneFile(["-c:a", "flac"], "flac", 44_100, 2)),
    Case(file: ToneFile(["-c:a", "flac"], "flac", 22_050, 1)),
    Case(file: ToneFile(flac24, "flac", 48_000, 2)),
    Case(file: ToneFile(flac24, "flac", 96_000, 2)),
    Case(file: ToneFile(["-c:a", "flac"], "ogg", 44_100, 2)),
    Case(file: ToneFile(["-c:a", "pcm_s16le"], "wav", 44_100, 2)),
    Case(file: ToneFile(["-c:a", "pcm_s24le"], "wav", 48_000, 2)),
    Case(file: ToneFile(["-c:a", "pcm_f32le"], "wav", 48_000, 1)),
    Case(file: ToneFile(["-c:a", "pcm_u8"], "wav", 32_000, 1)),
    Case(file: ToneFile(["-c:a", "pcm_s16le", "-rf64", "always"], "wav", 44_100, 2)),
    Case(file: ToneFile(["-c:a", "pcm_s16be"], "aiff", 44_100, 2)),
    Case(file: ToneFile(["-c:a", "pcm_s24be"], "aiff", 48_000, 1)),
    Case(file: ToneFile(["-c:a", "alac"], "ipod", 44_100, 2)),
    Case(file: ToneFile(["-c:a", "alac", "-sample_fmt", "s32p"], "ipod", 48_000, 1)),
    Case(file: ToneFile(["-c:a", "aac", "-b:a", "128k"], "ipod", 44_100, 2)),
    Case(
      file: ToneFile(["-c:a", "aac", "-b:a", "64k", "-movflags", "faststart"], "mp4", 22_050, 1)),
    Case(file: ToneFile(["-c:a", "aac", "-b:a", "128k"], "adts", 48_000, 2), tolerance: 3072),
    Case(file: ToneFile(["-c:a", "libopus", "-b:a", "96k"], "ogg", 48_000, 2)),
    Case(file: ToneFile(["-c:a", "libvorbis"], "ogg", 44_100, 2)),
    Case(file: ToneFile(["-c:a", "libmp3lame", "-b:a", "128k"], "mp3", 44_100, 2)),
    Case(file: ToneFile(["-c:a", "libmp3lame", "-q:a", "4"], "mp3", 48_000, 2)),
    // The encoder has put fewer samples behind the sound than a decoder is late.
    Case(file: ToneFile(["-c:a", "libmp3lame", "-b:a", "64k"], "mp3", 22_050, 1), tolerance: 2),
  ]

  @Test(arguments: [0, 1] as [UInt8])
  func `an MP4 file that counts more packets than it can have is refused`(_ size: UInt8) throws {
    var bytes = try ToneFile(["-c:a", "aac"], "mp4", 44_100, 2).bytes(seconds: 2)
    let name = Array("stsz".utf8)
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: name) })
    // Behind version and flags: the size of all, and how many there are.
    bytes[place + 11] = size
    for index in place + 12..<place + 16 { bytes[index] = 0xFF }
    let folder = TemporaryDirectory()
    folder.write("file", bytes)
    let file = try MediaFolder.open("file", in: folder.path)
    let layout = try #require(try file.layout())
    let summary = try #require(try file.summary(layout))
    let words = "is an MP4 file that counts 4294967295 packets, more than it can have"
    let refusal = try TrackSound.refusal(of: file, layout, summary)
    #expect(refusal?.description == words && refusal?.isOfFile == true)
    #expect(throws: TrackSoundError(words)) { try Self.decode(bytes) }
  }

  @Test func `FLAC whose frames of silence are a dozen bytes loses none of them`() throws {
    let folder = TemporaryDirectory()
    try Tool.must(
      [
        "ffmpeg", "-v", "error", "-f", "lavfi", "-i",
        "aevalsrc=0.1*sin(2*PI*997*t)*between(mod(t\\,300)\\,100\\,101):s=48000:d=900",
        folder.file("a.flac"),
      ], in: folder)
    var (frames, last) = (0, 0)
    try TrackSound(MediaFolder.open("a.flac", in: folder.path)).decode { samples, _, _ in
      if let place = samples.lastIndex(where: { $0.magnitude > 33 }) { last = frames + place }
      frames += samples.count
      return true
    }
    #expect(frames == 900 * 48_000)
    #expect(abs(Double(last) / 48_000 - 701) < 0.01)
  }

  @Test(arguments: cases)
  func `every kind of file is decoded from its first sample to its last`(_ one: Case) throws {
    let seconds = 1.7
    let heard = try Self.decode(one.file.bytes(seconds: seconds))
    let frames = Int((seconds * Double(one.file.rate)).rounded())
    #expect(heard.rate == one.file.rate && heard.channels == one.file.channels)
    #expect(abs(heard.frames - frames) <= one.tolerance, "\(heard.frames) of \(frames)")
    for (channel, tone) in ToneFile.tones.prefix(one.file.channels).enumerated() {
      let found = heard.amplitude(tone.hertz, channel: channel)
      #expect(abs(found - tone.amplitude) < 0.15 * tone.amplitude, "\(channel): \(found)")
    }
  }

  @Test func `surround sound is mixed to two channels`() throws {
    let heard = try Self.decode(ToneFile(["-c:a", "flac"], "flac", 48_000, 6).bytes(seconds: 1))
    #expect(heard.channels == 2 && heard.frames == 48_000)
    #expect(heard.amplitude(1000, channel: 0) > 0.05 && heard.amplitude(1000, channel: 1) < 0.01)
  }

  @Test func `a file that was cut, or is damaged, gives what is whole of it`() throws {
    for one in Self.cases {
      let whole = try one.file.bytes(seconds: 1)
      let half = try? Self.decode(Array(whole.prefix(whole.count * 2 / 3)))
      // The head of an M4A that was not moved to the front is at its end; a page of Ogg is whole or not there.
      if !["ipod", "ogg"].contains(one.file.muxer) {
        let frames = try #require(half, "\(one)").frames
        #expect((one.file.rate / 3...one.file.rate + one.tolerance).contains(frames), "\(one)")
      }
      var damaged = whole
      for index in damaged.count / 2..<min(damaged.count / 2 + 600, damaged.count) {
        damaged[index] = UInt8(truncatingIfNeeded: index &* 37)
      }
      guard one.file.muxer != "ogg", let heard = try? Self.decode(damaged) else { continue }
      #expect(heard.frames > one.file.rate / 4, "\(one)")
    }
  }

  @Test func `no bytes of a file can end the process`() throws {
    var random = SystemRandomNumberGenerator()
    let seed = UInt64.random(in: 0...UInt64.max, using: &random)
    print("seed \(seed)")
    var state = seed
    func next(_ max: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % max
    }
    for one in Self.cases where one.file.rate < 96_000 {
      let whole = try one.file.bytes(seconds: 0.3)
      for _ in 0..<12 {
        var bytes = whole
        // Heads are where lengths are.
        for _ in 0..<8 {
          let place = next(2) == 0 ? next(min(bytes.count, 700)) : next(bytes.count)
          bytes[place] = UInt8(next(256))
        }
        if next(4) == 0 { bytes = Array(bytes.prefix(next(bytes.count))) }
        var frames = 0
        try? Self.sound(bytes).decode { samples, _, channels in
          frames += samples.count / channels
          return frames < 20_000_000
        }
        #expect(frames < 20_000_000)
      }
    }
  }

  @Test func `what no decoder reads is refused with words that follow its name`() throws {
    let folder = TemporaryDirectory()
    func refusal(_ bytes: [UInt8]) throws -> String? {
      folder.write("file", bytes)
      let file = try MediaFolder.open("file", in: folder.path)
      let layout = try #require(try file.layout())
      let summary = try #require(try file.summary(layout))
      return try TrackSound.refusal(of: file, layout, summary)?.description
    }
    let doubles = ToneFile(["-c:a", "pcm_f64le"], "wav", 44_100, 2)
    let float64 = try refusal(doubles.bytes(seconds: 0.2))
    #expect(float64?.contains("64 bits of the WAV format 3") == true)
    let mp3 = try refusal(ToneFile(["-c:a", "libmp3lame"], "mp4", 44_100, 2).bytes(seconds: 0.2))
    #expect(mp3 == "is an MP4 file without the setup of its codec")
    let fragments = ["-c:a", "aac", "-movflags", "frag_keyframe+empty_moov"]
    let parts = try refusal(ToneFile(fragments, "mp4", 44_100, 2).bytes(seconds: 0.5))
    #expect(parts == "is an MP4 file whose packets are not listed, which cannot be decoded")
    for one in Self.cases { #expect(try refusal(one.file.bytes(seconds: 0.2)) == nil, "\(one)") }
  }
}
