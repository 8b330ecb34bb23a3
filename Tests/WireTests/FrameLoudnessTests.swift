import TestSupport
import Testing
import Wire

@Suite struct FrameLoudnessTests {
  private struct Frame {
    var bytes: [UInt8]
    var codec: Codec
    var loudness: UInt8? { FrameLoudness.estimate(bytes.span, codec: codec) }
  }

  private func frames(of file: [UInt8]) -> [Frame] {
    var scanner = PacketScanner()
    var frames: [Frame] = []
    var from = 0
    while from < file.count, let finding = scanner.next(in: file.span, from: from, atEnd: true) {
      switch finding {
      case .packet(let packet):
        frames.append(Frame(bytes: Array(file[packet.range]), codec: packet.format.codec))
        from = packet.range.upperBound
      case .skipped(let range, _): from = range.upperBound
      }
    }
    return frames
  }

  /// Half a second each of noise, silence, and noise 24 dB below the first.
  private static func encoded(
    _ options: [String], _ muxer: String, _ rate: Int, _ channels: Int
  ) throws -> [UInt8] {
    let scratch = TemporaryDirectory()
    let out = scratch.file("out")
    let source =
      "anoisesrc=d=3:c=pink:r=\(rate):a=0.5:seed=7,"
      + "volume=volume='if(lt(t,1),1,if(lt(t,2),0,0.063))':eval=frame"
    try Tool.must(
      ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", source, "-ac", "\(channels)"] + options
        + ["-f", muxer, out], in: scratch)
    return try readFile(out)
  }

  /// Options, muxer, sample rate, channels.
  private static let formats: [([String], String, Int, Int)] = [
    (["-c:a", "libmp3lame", "-b:a", "128k"], "mp3", 44_100, 2),
    (["-c:a", "libmp3lame", "-b:a", "192k", "-joint_stereo", "0"], "mp3", 48_000, 2),
    (["-c:a", "libmp3lame", "-b:a", "64k"], "mp3", 44_100, 1),
    (["-c:a", "libmp3lame", "-q:a", "2"], "mp3", 44_100, 2),
    (["-c:a", "libmp3lame", "-b:a", "48k"], "mp3", 22_050, 2),
    (["-c:a", "libmp3lame", "-b:a", "16k"], "mp3", 11_025, 1),
    (["-c:a", "aac", "-b:a", "128k"], "adts", 44_100, 2),
    (["-c:a", "aac", "-b:a", "64k"], "adts", 48_000, 1),
    (["-c:a", "aac", "-b:a", "48k"], "adts", 24_000, 2),
  ]

  @Test(arguments: formats)
  func `a louder frame says more, and a silent one says 0`(
    format: (options: [String], muxer: String, rate: Int, channels: Int)
  ) throws {
    let file = try Self.encoded(format.options, format.muxer, format.rate, format.channels)
    let said = frames(of: file).map(\.loudness)
    let perSecond = Double(said.count) / 3
    func middle(_ second: Double) throws -> Int {
      let part = said[Int((second + 0.3) * perSecond)..<Int((second + 0.8) * perSecond)]
      return Int(try #require(part.compactMap(\.self).sorted()[safe: part.count / 2]))
    }
    let (loud, silent, soft) = (try middle(0), try middle(1), try middle(2))
    #expect(silent == 0)
    // 24 dB are 64 steps. The estimate is rough, and encoders treat noise differently.
    #expect((25...100).contains(loud - soft), "\(loud) \(soft)")
    #expect((100...245).contains(loud), "\(loud)")
  }

  @Test func `a CRC moves the fields, not what they say`() throws {
    let plain = try Fixtures.mp3(["-b", "128"], seconds: 1)
    let guarded = try Fixtures.mp3(["-b", "128", "-p"], seconds: 1)
    let (some, others) = (frames(of: plain), frames(of: guarded))
    let mean = { (frames: [Frame]) in
      frames.compactMap(\.loudness).reduce(0) { $0 + Int($1) } / max(1, frames.count)
    }
    #expect(abs(mean(some) - mean(others)) < 12)
    // The same frame with two bytes between header and side info.
    let frame = try #require(some[safe: 10])
    var bytes = Array(frame.bytes[..<4]) + [0xAA, 0xBB] + frame.bytes[4...]
    bytes[1] &= 0xFE
    #expect(Frame(bytes: bytes, codec: .mp3).loudness == frame.loudness)
  }

  @Test func `frames of other codecs and AAC elements give no loudness`() throws {
    let mp2 = try Fixtures.ffmpeg(["-c:a", "mp2", "-b:a", "128k"], format: "mp2", seconds: 1)
    #expect(frames(of: mp2).allSatisfy { $0.loudness == nil })
    let aac = try Fixtures.ffmpeg(["-c:a", "aac", "-b:a", "96k"], format: "adts", seconds: 1)
    var frame = try #require(frames(of: aac)[safe: 5])
    #expect(frame.loudness != nil)
    // Element 6 is filling.
    frame.bytes[7] = frame.bytes[7] & 0x1F | 0xC0
    #expect(frame.loudness == nil)
    frame.codec = .opus
    #expect(frame.loudness == nil)
  }

  @Test func `a frame of silence made here is silent`() throws {
    let mp3 = try Fixtures.mp3(["-b", "128"], seconds: 1)
    let aac = try Fixtures.ffmpeg(["-c:a", "aac", "-b:a", "96k"], format: "adts", seconds: 1)
    for frame in [frames(of: mp3)[9], frames(of: aac)[9]] {
      let made = SilentFrame.like(frame.bytes.span)
      let silent = try #require(made)
      #expect(Frame(bytes: silent, codec: frame.codec).loudness == 0)
    }
  }

  @Test(arguments: formats)
  func `a frame cut anywhere says the same or nothing`(
    format: (options: [String], muxer: String, rate: Int, channels: Int)
  ) throws {
    let file = try Self.encoded(format.options, format.muxer, format.rate, format.channels)
    for frame in frames(of: file).prefix(40) {
      let whole = frame.loudness
      for count in 0...frame.bytes.count {
        let cut = Frame(bytes: Array(frame.bytes.prefix(count)), codec: frame.codec).loudness
        #expect(cut == nil || cut == whole)
      }
    }
  }

  @Test func `random bytes and mutated frames trap nothing`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix(seed: seed)
    let aac = try Fixtures.ffmpeg(["-c:a", "aac", "-b:a", "96k"], format: "adts", seconds: 1)
    let mp3 = try Fixtures.mp3(["-b", "128"], seconds: 1)
    let real = frames(of: aac) + frames(of: mp3)
    for round in 0..<20_000 {
      var bytes =
        round % 2 == 0
        ? random.bytes(Int.random(in: 0...64, using: &random))
        : random.mutated(real[round % real.count].bytes)
      // Half of the noise gets a header.
      if round % 4 == 0, bytes.count > 7 {
        bytes[..<4] = round % 8 == 0 ? [255, 251, 144, 100] : [255, 241, 80, 128]
      }
      for codec in Codec.allCases { _ = FrameLoudness.estimate(bytes.span, codec: codec) }
    }
    print("FrameLoudness seed \(seed)")
  }
}

extension Array {
  fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
