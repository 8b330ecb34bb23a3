import Audio
import Glibc
import TestSupport
import Testing
import Wire

@testable import Library
@testable import Media
@testable import Timeshift

/// Whole files of MP3 that are made of tracks of any kind.
@Suite struct TrackConverterTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var file: ToneFile
    var rate = 44_100
    var channels = 2
    var testDescription: String {
      file.options.joined(separator: " ") + " \(file.rate) to \(rate), \(channels)"
    }
  }

  private static func convert(
    _ bytes: [UInt8], _ rate: Int, _ channels: Int, goesOn: @escaping () -> Bool = { true }
  ) throws -> (bytes: [UInt8], seconds: Double?) {
    let folder = TemporaryDirectory()
    folder.write("file", bytes)
    let format = try #require(
      MadeFormat(for: AudioFormat(codec: .mp3, sampleRate: rate, channels: channels)))
    var made: [UInt8] = []
    let seconds = try TrackConverter(to: format).convert(
      try MediaFolder.open("file", in: folder.path), goesOn: goesOn
    ) { piece, place throws(StorageError) in
      let place = Int(place)
      made += Array(repeating: 0, count: max(0, place + piece.count - made.count))
      made.replaceSubrange(place..<place + piece.count, with: piece)
    }
    return (made, seconds)
  }

  private static let all: [Case] = [
    Case(file: ToneFile(["-c:a", "flac"], "flac", 44_100, 2)),
    Case(file: ToneFile(["-c:a", "flac"], "flac", 96_000, 2)),
    Case(file: ToneFile(["-c:a", "pcm_s16le"], "wav", 22_050, 1)),
    Case(file: ToneFile(["-c:a", "pcm_s16be"], "aiff", 48_000, 2), rate: 48_000),
    Case(file: ToneFile(["-c:a", "aac"], "ipod", 44_100, 2)),
    Case(file: ToneFile(["-c:a", "alac"], "ipod", 44_100, 2), rate: 22_050, channels: 1),
    Case(file: ToneFile(["-c:a", "libopus"], "ogg", 48_000, 2)),
    Case(file: ToneFile(["-c:a", "libvorbis"], "ogg", 44_100, 2)),
    Case(file: ToneFile(["-c:a", "libmp3lame"], "mp3", 48_000, 2)),
  ]

  @Test(arguments: all)
  func `what is made has the track's sound, and nothing in front of it or behind it`(
    _ one: Case
  ) throws {
    let seconds = 2.5
    let made = try Self.convert(one.file.bytes(seconds: seconds), one.rate, one.channels)
    // Opus and AAC may end a frame late.
    let length = try #require(made.seconds)
    #expect(abs(length - seconds) < 0.03)
    let folder = TemporaryDirectory()
    folder.write("made.mp3", made.bytes)
    let file = try MediaFolder.open("made.mp3", in: folder.path)
    let layout = try #require(try file.layout())
    let summary = try #require(try file.summary(layout))
    #expect(summary.codec == .mp3 && summary.sampleRate == one.rate)
    #expect(summary.channels == one.channels && summary.gap != nil && summary.isExact)
    var samples: [Int16] = []
    try TrackSound(file).decode { piece, rate, channels in
      #expect(rate == one.rate && channels == one.channels)
      samples += piece
      return true
    }
    // To the sample what was encoded.
    #expect(samples.count / one.channels == Int((length * Double(one.rate)).rounded()))
    let left = stride(from: 0, to: samples.count, by: one.channels).map { samples[$0] }
    let (hertz, amplitude) = ToneFile.tones[0]
    let wanted = one.channels == 1 && one.file.channels == 2 ? amplitude / 2 : amplitude
    let heard = Signals.amplitude(hertz, in: left, rate: one.rate)
    #expect(abs(heard - wanted) < 0.1 * wanted)
  }

  @Test(arguments: [(48_000, 44_100), (96_000, 44_100), (22_050, 48_000), (44_100, 48_000)])
  func `a track of another rate has its sound at its place, from the first sample to the last`(
    from: Int, to: Int
  ) throws {
    let seconds = 1.5
    let made = try Self.convert(
      ToneFile(["-c:a", "pcm_s16le"], "wav", from, 1).bytes(seconds: seconds), to, 1)
    let folder = TemporaryDirectory()
    folder.write("made.mp3", made.bytes)
    var samples: [Int16] = []
    try TrackSound(MediaFolder.open("made.mp3", in: folder.path)).decode { piece, _, _ in
      samples += piece
      return true
    }
    #expect(samples.count == Int((seconds * Double(to)).rounded()))
    let (hertz, amplitude) = ToneFile.tones[0]
    let wanted = (0..<samples.count).map {
      amplitude * 32_767 * sin(2 * .pi * hertz * Double($0) / Double(to))
    }
    // Half a sample off is 700 at 1 kHz and 44.1 kHz; the encoder itself is off by some 200 at the ends.
    for range in [
      0..<400, samples.count / 2..<samples.count / 2 + 400, samples.count - 400..<samples.count,
    ] {
      let off = range.map { abs(Double(samples[$0]) - wanted[$0]) }.max() ?? 0
      #expect(off < 650, "\(range): \(off)")
    }
  }

  @Test func `one that is not wanted any more ends at once, and a file without sound is refused`()
    throws
  {
    let file = try ToneFile(["-c:a", "flac"], "flac", 44_100, 2).bytes(seconds: 3)
    var pieces = 0
    let made = try Self.convert(file, 44_100, 2) {
      pieces += 1
      return pieces < 3
    }
    #expect(made.seconds == nil && pieces == 3)
    #expect(throws: TrackSoundError.self) { try Self.convert(Array("fLaC".utf8), 44_100, 2) }
  }

  @Test func `a file that goes on in another number of channels is heard to its end`() throws {
    let parts = try [1, 2].flatMap { channels in
      try ToneFile(["-c:a", "libmp3lame"], "mp3", 44_100, channels).bytes(seconds: 2)
    }
    for channels in [1, 2] {
      let made = try Self.convert(parts, 44_100, channels)
      // The second part's info frame and padding are heard, too.
      #expect(abs((made.seconds ?? 0) - 4) < 0.15)
    }
  }

  @Test func `a file that was not loaded whole ends where its sound ends`() throws {
    let sound = try ToneFile(["-c:a", "flac"], "flac", 44_100, 2).bytes(seconds: 2)
    for kept in [sound.count, 60] {
      let folder = TemporaryDirectory()
      folder.write("file.flac", Array(sound.prefix(kept)))
      // No byte of it is on the disk.
      #expect(truncate(folder.file("file.flac"), 4 << 30) == 0)
      let format = try #require(
        MadeFormat(for: AudioFormat(codec: .mp3, sampleRate: 44_100, channels: 2)))
      var seconds: Double?
      var refusal: String?
      do {
        seconds = try TrackConverter(to: format).convert(
          try MediaFolder.open("file.flac", in: folder.path), goesOn: { true }
        ) { _, _ throws(StorageError) in }
      } catch { refusal = "\(error)" }
      if kept == sound.count {
        #expect(abs((seconds ?? 0) - 2) < 0.2, "\(refusal ?? "")")
      } else {
        #expect(refusal != nil && seconds == nil)
      }
    }
  }

  @Test func `a file that does not say how long it is has a length that is guessed`() throws {
    let bytes = try ToneFile(["-c:a", "flac"], "flac", 44_100, 2).bytes(seconds: 5)
    // The number of samples: 36 bits of STREAMINFO (RFC 9639 section 8.2).
    var unknown = bytes
    unknown[21] &= 0xF0
    for place in 22..<26 { unknown[place] = 0 }
    let folder = TemporaryDirectory()
    folder.write("file.flac", unknown)
    let file = try MediaFolder.open("file.flac", in: folder.path)
    let layout = try #require(try file.layout())
    let summary = try #require(try file.summary(layout))
    #expect(!summary.isExact && summary.duration.seconds > 0.5)
  }

  @Test func `a format is one that MP3 has`() {
    func made(_ rate: Int, _ channels: Int, _ bitrate: Int? = nil, codec: Codec = .mp3) -> Int? {
      MadeFormat(
        for: AudioFormat(codec: codec, sampleRate: rate, channels: channels), bitrate: bitrate)?
        .bitrate
    }
    #expect(made(44_100, 2) == 192 && made(48_000, 1) == 96 && made(22_050, 2) == 96)
    #expect(made(8000, 1) == 64 && made(22_050, 2, 192) == 160 && made(44_100, 2, 100) == 112)
    #expect(made(44_100, 2, codec: .aac) == nil && made(44_100, 6) == nil && made(96_000, 2) == nil)
    #expect(MadeFormat(sampleRate: 44_100, channels: 2, bitrate: 100) == nil)
  }
}
