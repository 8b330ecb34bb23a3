import TestSupport
import Testing
import Wire

/// The scanner against the real encoders, `ffprobe` and `mpg123`.
struct PacketScannerToolTests {
  struct Encoding: Sendable, CustomTestStringConvertible {
    var options: [String]
    var sampleRate = 44_100
    var channels = 2
    var testDescription: String { "\(options.joined(separator: " ")) \(sampleRate) \(channels)" }
  }

  static let mp3s: [Encoding] = [
    Encoding(options: ["-b", "128"]), Encoding(options: ["-b", "320", "-m", "s"]),
    Encoding(options: ["--abr", "112"]), Encoding(options: ["-V", "2"]),
    Encoding(options: ["-V", "9", "-m", "j", "--resample", "44.1"]),
    Encoding(options: ["-b", "64"], channels: 1),
    Encoding(options: ["-b", "128", "-p"]), Encoding(options: ["-V", "4", "-p"]),
    Encoding(options: ["-b", "128", "-t"]),
    Encoding(options: ["-b", "16", "--resample", "8"], sampleRate: 8_000, channels: 1),
    Encoding(options: ["-b", "32", "--resample", "16"], sampleRate: 16_000),
    Encoding(options: ["-b", "48", "--resample", "22.05"], sampleRate: 22_050),
    Encoding(options: ["-V", "6", "--resample", "24"], sampleRate: 24_000),
    Encoding(options: ["-b", "96", "--resample", "32"], sampleRate: 32_000),
    Encoding(options: ["-b", "192", "--resample", "48"], sampleRate: 48_000),
    Encoding(options: ["-b", "128", "--id3v2-only", "--tt", "A title", "--pad-id3v2"]),
    Encoding(options: ["-b", "128", "--id3v1-only", "--tt", "A title"]),
  ]

  @Test(arguments: mp3s)
  func `every frame ffprobe sees in a LAME file is seen at the same place`(
    encoding: Encoding
  ) throws {
    let file = try Fixtures.mp3(
      encoding.options, sampleRate: encoding.sampleRate, channels: encoding.channels, seconds: 1)
    try compare(file, with: Fixtures.probe(file, format: "mp3"))
    let formats = Harness.scan(file).compactMap {
      if case .packet(_, _, let format, _) = $0 { format } else { nil }
    }
    let format = AudioFormat(
      codec: .mp3, sampleRate: encoding.sampleRate, channels: encoding.channels)
    #expect(Set(formats) == [format])
  }

  @Test(arguments: [44_100, 48_000, 32_000, 24_000])
  func `every frame ffprobe sees in an mp2 file is seen at the same place`(rate: Int) throws {
    let file = try Fixtures.ffmpeg(
      ["-c:a", "mp2", "-b:a", "128k"], format: "mp2", sampleRate: rate)
    try compare(file, with: Fixtures.probe(file, format: "mp3"))
  }

  @Test(arguments: [(44_100, 2), (48_000, 1), (22_050, 2), (8_000, 1), (48_000, 6)])
  func `every frame ffprobe sees in an ADTS file is seen at the same place`(
    rate: Int, channels: Int
  ) throws {
    let file = try Fixtures.ffmpeg(
      ["-c:a", "aac", "-b:a", "96k", "-ac", "\(channels)"], format: "adts", sampleRate: rate,
      channels: min(channels, 2))
    try compare(file, with: Fixtures.probe(file, format: "aac"))
  }

  private func compare(_ file: [UInt8], with probed: [Fixtures.ProbedPacket]) throws {
    let pieces = Harness.scan(file)
    try #require(probed.count > 10)
    #expect(!pieces.kinds.contains(.garbage))
    #expect(pieces.packets.map(\.lowerBound) == probed.map(\.position))
    #expect(pieces.packets.map(\.count) == probed.map(\.bytes))
    for (piece, probe) in zip(pieces.filter(\.isPacket), probed) {
      guard case .packet(_, let samples, let format, _) = piece else { continue }
      // ffprobe prints microseconds.
      #expect(abs(Double(samples) / Double(format.sampleRate) - probe.seconds) < 2e-6)
    }
  }

  @Test(
    arguments: mp3s + [
      Encoding(options: ["--freeformat", "-b", "200"]),
      Encoding(options: ["--freeformat", "-b", "400"]),
      Encoding(options: ["--freeformat", "-b", "144", "-m", "m"], channels: 1),
    ])
  func `mpg123 decodes as many samples as the scanner counts`(encoding: Encoding) throws {
    let file = try Fixtures.mp3(
      encoding.options, sampleRate: encoding.sampleRate, channels: encoding.channels, seconds: 1)
    let pieces = Harness.scan(file)
    let samples = pieces.reduce(0) {
      if case .packet(_, let samples, _, _) = $1 { $0 + samples } else { $0 }
    }
    let decoded = try Fixtures.mpg123(file)
    #expect(decoded.samples.count / encoding.channels == samples)
    #expect(!pieces.kinds.contains(.garbage), "\(pieces.kinds)")
  }

  @Test func `files one after another are frames, tags and info frames`() throws {
    let one = try Fixtures.mp3(["-b", "128", "--id3v2-only", "--tt", "A title", "--pad-id3v2"])
    let two = try Fixtures.mp3(["-V", "2"])
    let pieces = Harness.scan(one + two + one, inReadsOf: 1400)
    #expect(pieces.kinds == [.id3v2, .infoFrame, .infoFrame, .id3v2, .infoFrame])
    let frames = Harness.scan(one).packets.count * 2 + Harness.scan(two).packets.count
    #expect(pieces.packets.count == frames)
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func `joining a stream anywhere loses less than one frame`(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let file = try Fixtures.mp3(["-V", "2", "-t"])
    let frames = Harness.scan(file).packets
    for _ in 0..<30 {
      let at = Int(random.next() % UInt64(file.count - 4000))
      let found = Harness.scan(Array(file[at...])).packets
      let expected = frames.filter { $0.lowerBound >= at }.map(\.count)
      #expect(found.map(\.count) == expected, "seed \(seed), joined at \(at)")
    }
  }
}
