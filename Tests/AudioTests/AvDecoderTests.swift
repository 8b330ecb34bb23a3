import TestSupport
import Testing
import Wire

@testable import Audio

/// What libavcodec makes of a log's packets, where it is installed.
@Suite(.enabled(if: AvDecoder.libraryVersion != nil)) struct AvDecoderTests {
  struct Sound: Sendable, CustomTestStringConvertible {
    var name: String
    var file: ToneFile
    /// As it is heard.
    var rate: Int
    /// What is left of a tone's level in dB.
    var gain = 0.0
    /// Frames of AAC-LC are dressed up as those of HE-AAC.
    var hasSBR = false

    var testDescription: String { name }

    func packets(seconds: Double = 3) throws -> LogPackets {
      let packets = try file.packets(seconds: seconds)
      return hasSBR ? packets.withSBR() : packets
    }
  }

  private static let aac = ["-c:a", "aac", "-b:a", "128k"]
  private static let opus = ["-c:a", "libopus", "-b:a", "96k"]
  private static let vorbis = ["-c:a", "libvorbis", "-q:a", "4"]
  private static let flac = ["-c:a", "flac", "-sample_fmt", "s16"]

  static let sounds = [
    Sound(name: "AAC", file: ToneFile(aac, "adts", 44_100, 2), rate: 44_100),
    Sound(name: "AAC, mono", file: ToneFile(aac, "adts", 48_000, 1), rate: 48_000),
    Sound(name: "HE-AAC", file: ToneFile(aac, "adts", 24_000, 2), rate: 48_000, hasSBR: true),
    // Both in front, the centre and a side each: 1 + 2 · 0.7071 parts.
    Sound(name: "AAC, 5.1", file: ToneFile(aac, "adts", 48_000, 6), rate: 48_000, gain: -7.66),
    Sound(name: "Opus", file: ToneFile(opus, "ogg", 48_000, 2), rate: 48_000),
    Sound(name: "Opus, mono", file: ToneFile(opus, "ogg", 48_000, 1), rate: 48_000),
    Sound(
      name: "Opus, speech",
      file: ToneFile(
        ["-c:a", "libopus", "-b:a", "16k", "-application", "voip"], "ogg", 16_000, 1),
      rate: 48_000),
    Sound(
      name: "Opus, 5.1",
      file: ToneFile(
        ["-c:a", "libopus", "-mapping_family", "1", "-b:a", "256k"], "ogg", 48_000, 6),
      rate: 48_000, gain: -7.66),
    Sound(name: "Vorbis", file: ToneFile(vorbis, "ogg", 44_100, 2), rate: 44_100),
    Sound(name: "Vorbis, mono", file: ToneFile(vorbis, "ogg", 22_050, 1), rate: 22_050),
    Sound(name: "FLAC", file: ToneFile(flac, "ogg", 44_100, 2), rate: 44_100),
    Sound(
      name: "FLAC, 24 bits",
      file: ToneFile(["-c:a", "flac", "-sample_fmt", "s32"], "ogg", 96_000, 2), rate: 96_000),
    Sound(name: "Speex", file: ToneFile(["-c:a", "libspeex"], "ogg", 16_000, 1), rate: 16_000),
    Sound(
      name: "Speex, stereo", file: ToneFile(["-c:a", "libspeex"], "ogg", 32_000, 2), rate: 32_000),
  ]

  /// The samples of each packet.
  private func decode(
    _ log: LogPackets, from first: Int = 0, by decoder: AvDecoder? = nil
  ) throws -> [[Int16]] {
    let decoder = try decoder ?? AvDecoder(log.format.codec, headers: log.headers)
    return try log.packets[first...].map { packet in
      var heard: [Int16] = []
      try packet.bytes.withUnsafeBytes { bytes in
        try decoder.decode(bytes) { samples in
          #expect(heard.isEmpty, "all of a packet comes at once")
          heard = Array(samples)
        }
      }
      return heard
    }
  }

  @Test(arguments: sounds)
  func `tones come out as they went in, and each packet has its samples`(sound: Sound) throws {
    let log = try sound.packets()
    let decoder = try AvDecoder(log.format.codec, headers: log.headers)
    #expect(decoder.format == nil)
    let heard = try decode(log, by: decoder)
    let channels = min(2, sound.file.channels)
    #expect(
      decoder.format
        == AudioFormat(codec: log.format.codec, sampleRate: sound.rate, channels: channels))
    let factor = sound.rate / log.format.sampleRate * channels
    let counts = zip(heard, log.packets).map { ($0.count, $1.samples * factor) }
    // The first block of Vorbis has no sound of its own.
    let whole = log.format.codec == .vorbis ? counts.dropFirst() : counts[...]
    #expect(whole.allSatisfy { $0 == $1 }, "\(counts)")
    #expect(counts[0].0 > 0 && counts[0].0 <= counts[0].1, "\(counts[0])")
    expectTones(Array(heard.joined()), sound)
  }

  private func expectTones(_ samples: [Int16], _ sound: Sound) {
    let channels = min(2, sound.file.channels)
    let second = sound.rate * channels
    #expect(abs(samples.count - 3 * second) < second / 4, "\(samples.count)")
    // A second in the middle: an encoder needs some time.
    let middle = Array(samples[second..<2 * second])
    // Speex in stereo is one voice and its direction.
    if sound.name == "Speex, stereo" {
      let level = Signals.decibels(Signals.rms(middle))
      #expect(level > -24 && level < -12, "\(level) dB")
      return
    }
    for channel in 0..<channels {
      let own = channels == 1 ? middle : Signals.channel(channel, of: middle)
      let (tone, other) = (ToneFile.tones[channel], ToneFile.tones[1 - channel])
      let level = Signals.amplitude(tone.hertz, in: own, rate: sound.rate)
      let decibels = Signals.decibels(level / tone.amplitude) - sound.gain
      // Speech codecs keep a voice, not a level.
      let isSpeech = sound.name.contains("Speex") || sound.name.contains("speech")
      #expect(abs(decibels) < (isSpeech ? 3 : 0.5), "channel \(channel): \(decibels) dB")
      let rest = Signals.rms(own) - level / 2.0.squareRoot()
      #expect(abs(rest) < 0.1 * level, "channel \(channel): \(rest) beside the tone")
      if channels == 2, !isSpeech {
        let stray = Signals.amplitude(other.hertz, in: own, rate: sound.rate)
        #expect(stray < 0.03 * other.amplitude, "channel \(channel): \(stray)")
      }
    }
  }

  @Test(arguments: sounds)
  func `a decoder that begins in the middle soon hears the same`(sound: Sound) throws {
    let log = try sound.packets()
    let whole = try decode(log)
    let first = log.packets.count / 3
    let late = try decode(log, from: first)
    // Half a second is led in to, wherever packets are decoded.
    let settled = log.packets[first...].indices.first { index in
      log.packets[first..<index].reduce(0) { $0 + $1.samples } >= log.format.sampleRate / 2
    }
    let from = try #require(settled)
    let (one, other) = (
      Array(whole[from...].joined()), Array(late[(from - first)...].joined())
    )
    #expect(one.count == other.count && one.count > sound.rate / 2)
    // Speex predicts from what it has not heard, so its tone has another phase and level.
    let change = Signals.decibels(Signals.rms(one)) - Signals.decibels(Signals.rms(other))
    #expect(abs(change) < (log.format.codec == .speex ? 9 : 0.1), "\(change) dB")
    let alike = Signals.correlation(one[...], other[...])
    #expect(alike > 0.999 || log.format.codec == .speex, "\(alike)")
  }

  @Test func `FLAC comes out to the bit`() throws {
    let file = ToneFile(Self.flac, "ogg", 44_100, 2)
    let log = try file.packets(seconds: 1)
    let original = try Fixtures.ffmpegDecode(file.bytes(seconds: 1), format: "ogg").samples
    #expect(Array(try decode(log).joined()) == original)
  }

  @Test(arguments: [("adts", aac), ("ogg", opus), ("ogg", vorbis)])
  func `samples are those of the ffmpeg program`(muxer: String, options: [String]) throws {
    let file = ToneFile(options, muxer, 48_000, 2)
    let bytes = try file.bytes(seconds: 2)
    let log = try #require(muxer == "ogg" ? LogPackets(ogg: bytes) : LogPackets(frames: bytes))
    let theirs = try Fixtures.ffmpegDecode(bytes, format: muxer == "ogg" ? "ogg" : "aac").samples
    let ours = Array(try decode(log).joined())
    // Theirs are without what an Opus encoder puts in front, and cut at the end.
    let front = log.format.codec == .opus ? 312 * 2 : 0
    let worst = zip(ours.dropFirst(front), theirs).map { abs(Int($0) - Int($1)) }.max() ?? .max
    #expect(theirs.count > 90_000 * 2 && ours.count >= theirs.count + front)
    #expect(worst <= 1, "they differ by \(worst)")
  }
}
