import TestSupport
import Testing

@testable import Wire

struct MPEGGainTests {
  static func change(_ frame: inout [UInt8], by steps: Int) {
    var span = frame.mutableSpan
    MPEGGain.change(&span, by: steps)
  }

  static func changed(_ file: [UInt8], by steps: Int) -> [[UInt8]] {
    Harness.scan(file).packets.map {
      var frame = Array(file[$0])
      change(&frame, by: steps)
      return frame
    }
  }

  /// Stereo, joint stereo, mono, VBR, low rates; with and without a CRC.
  static let files: [(options: [String], rate: Int, channels: Int)] = [
    (["-b", "128", "-m", "s"], 44_100, 2), (["-b", "192", "-p"], 48_000, 2),
    (["-V", "2"], 44_100, 2), (["-b", "64", "-p"], 44_100, 1), (["-b", "48"], 22_050, 2),
    (["-b", "32", "-p"], 11_025, 1),
  ]

  @Test(arguments: files)
  func `four steps down are half the amplitude, to one unit of 16 bits`(
    options: [String], rate: Int, channels: Int
  ) throws {
    let file = try Fixtures.mp3(options, sampleRate: rate, channels: channels)
    let whole = try Fixtures.mpg123(Self.changed(file, by: 0).flatMap { $0 }).samples
    let halved = try Fixtures.mpg123(Self.changed(file, by: -4).flatMap { $0 })
    #expect(halved.log == "")
    #expect(halved.samples.count == whole.count)
    let errors = zip(whole, halved.samples).map { abs(Double($0) / 2 - Double($1)) }
    #expect(errors.max() ?? 9 <= 1)
    #expect(Signals.rms(whole) > 0.01)
  }

  @Test func `a checksum is right again, and there and back is the same file`() throws {
    let file = try Fixtures.mp3(["-b", "128", "-p"])
    let frames = Harness.scan(file).packets.map { Array(file[$0]) }
    #expect(try complaints(of: frames) == "")
    var quieter = Self.changed(file, by: -7)
    #expect(try complaints(of: quieter) == "")
    #expect(quieter != frames)
    for index in quieter.indices { Self.change(&quieter[index], by: 7) }
    // Also shows that no gain of this file met a bound.
    #expect(quieter == frames)
    // Or the decoder would not look.
    var spoilt = frames
    spoilt[9][5] ^= 1
    #expect(try complaints(of: spoilt) != "")
  }

  private func complaints(of frames: [[UInt8]]) throws -> String {
    let scratch = TemporaryDirectory()
    let path = scratch.write("in.mp3", frames.flatMap { $0 })
    let log = try Tool.must(
      [
        "ffmpeg", "-v", "warning", "-err_detect", "crccheck", "-i", path, "-f", "null", "-",
      ], in: scratch
    ).log
    // It guesses how long a file without a table is, and says so.
    return log.split(separator: "\n").filter { !$0.contains("Estimating duration") }
      .joined(separator: "\n")
  }

  @Test func `gains end at 0 and 255, and granules without sound stay as they are`() throws {
    let head: [UInt8] = [0xFF, 0xFB, 0x90, 0x04]
    let frame = try MPEGSideInfoTests.frame(
      head, begin: 0,
      [(9, 250), (9, 3), (0, 0), (9, 100)].map { .init(length: $0, gain: $1, block: nil) })
    func gains(_ steps: Int) -> [Int]? {
      var frame = frame
      Self.change(&frame, by: steps)
      return MPEGSideInfoTests.info(frame)?.granules.map(\.gain)
    }
    #expect(gains(6) == [255, 9, 0, 106])
    #expect(gains(-4) == [246, 0, 0, 96])
    #expect(gains(.max) == [255, 255, 0, 255])
    #expect(gains(.min) == [0, 0, 0, 0])
    // Nothing but the gains has changed.
    var changed = frame
    Self.change(&changed, by: 5)
    Self.change(&changed, by: -5)
    #expect(changed == frame)
    var info = head + [UInt8](repeating: 0, count: 32) + "Info".utf8
    info += [UInt8](repeating: 0, count: 200)
    var same = info
    Self.change(&same, by: 9)
    #expect(same == info, "a table is no sound")
  }

  @Test(arguments: [
    // From a loudness to another, with a peak: steps.
    (-10.0, -16.0, Optional(0.0), -4), (-20, -16, -12, 3), (-20, -16, -1, 0), (-20, -16, -2.6, 1),
    (-20, -16, nil, 0), (-10, -16, nil, -4), (-10, -16, 3, -4), (-16.7, -16, -9, 0),
    (-16.8, -16, -9, 1), (-1000, 1000, -1000, 127), (1000, -1000, nil, -127),
    (.nan, -16, 0, 0), (-20, .infinity, -.infinity, 127), (-20, -16, .nan, 0),
  ])
  func `nothing is made louder than its peak allows`(
    loudness: Double, target: Double, peak: Double?, steps: Int
  ) {
    #expect(MPEGGain.steps(from: loudness, to: target, truePeak: peak) == steps)
  }
}
