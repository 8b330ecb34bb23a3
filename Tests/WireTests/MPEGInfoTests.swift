import TestSupport
import Testing

@testable import Wire

struct MPEGInfoTests {
  /// The first frame, whatever it is.
  static func first(_ file: [UInt8]) throws -> [UInt8] {
    let bytes = try #require(mpegHeader(file)?.frameBytes)
    return Array(file[..<bytes])
  }

  static func info(_ frame: [UInt8]) -> MPEGInfo? { MPEGInfo(in: frame.span) }

  @Test(arguments: [
    (["-b", "128"], 44_100, 2), (["-V", "2"], 48_000, 2), (["-b", "64", "-p"], 44_100, 1),
    (["-b", "64"], 22_050, 2),
  ])
  func `frames without delay and padding are the samples that were encoded`(
    options: [String], rate: Int, channels: Int
  ) throws {
    let file = try Fixtures.mp3(options, sampleRate: rate, channels: channels, seconds: 1.7)
    let info = try #require(Self.info(try Self.first(file)))
    let packets = Harness.scan(file).packets
    let header = try #require(mpegHeader(file))
    #expect(info.frames == packets.count)
    #expect(info.delay == 576)
    #expect(info.front == 1105)
    let front = try #require(info.front)
    let back = try #require(info.back)
    #expect(packets.count * header.samples - front - back == Int(1.7 * Double(rate)))
    #expect(Self.info(Array(file[packets[0]])) == nil, "sound is no table")
  }

  @Test func `ffmpeg's table says the same`() throws {
    let file = try Fixtures.ffmpeg(["-c:a", "libmp3lame"], format: "mp3")
    let table = Harness.scan(file).first {
      if case .skipped(_, .infoFrame) = $0 { true } else { false }
    }
    let range = try #require(table?.range)
    let info = try #require(Self.info(Array(file[range])))
    #expect(info.delay == 576)
    #expect(info.frames == Harness.scan(file).packets.count)
  }

  @Test func `a table by LAME for a low bit rate, which has no room, tells nothing`() throws {
    let file = try Fixtures.mp3(["-b", "8"], sampleRate: 22_050, channels: 1)
    #expect(Self.info(try Self.first(file)) == nil)
  }

  @Test func `a table by Fraunhofer tells its frames, and nothing of the ends`() {
    var frame: [UInt8] = [0xFF, 0xFB, 0x90, 0x04] + [UInt8](repeating: 0, count: 32)
    frame += "VBRI".utf8
    frame += [0, 1, 0x12, 0x34, 0, 75, 0, 1, 2, 3, 0, 0, 4, 0x56]
    frame += [UInt8](repeating: 0, count: 200)
    let info = Self.info(frame)
    #expect(info?.frames == 0x456)
    #expect(info?.delay == nil)
    #expect(info?.back == nil)
  }

  @Test(arguments: [["-b", "128"], ["-b", "128", "-p"]])
  func `a table that is cut anywhere tells what it still has`(options: [String]) throws {
    let frame = try Self.first(try Fixtures.mp3(options))
    let whole = try #require(Self.info(frame))
    var told = 0
    for length in 0...frame.count {
      guard let info = Self.info(Array(frame[..<length])) else { continue }
      #expect(info.delay == nil || info == whole)
      #expect(info.frames == nil || info.frames == whole.frames)
      told += 1
    }
    #expect(told > 100)
  }

  @Test func `other encoders' bytes are no delay`() throws {
    var frame = try Self.first(try Fixtures.mp3(["-b", "128"]))
    let place = (0..<frame.count - 4).first { frame[$0..<$0 + 4].elementsEqual("LAME".utf8) }
    let name = try #require(place)
    frame[name] = UInt8(ascii: "G")
    let info = try #require(Self.info(frame))
    #expect(info.delay == nil)
    #expect(info.frames != nil)
    #expect(info.front == nil)
  }

  @Test func `an encoder's table tells frames, bytes, delay and padding`() throws {
    let file = try Fixtures.mp3(["-b", "128"], seconds: 2)
    let read = MPEGHeader(in: file.span)
    let header = try #require(read)
    let length = try #require(header.frameBytes)
    func table(_ range: Range<Int>) -> MPEGInfo? {
      let bytes = Array(file[range])
      return MPEGInfo(in: bytes.span)
    }
    let info = try #require(table(0..<length))
    #expect(info.frames == 78 && info.bytes == file.count)
    #expect(info.gap?.delay == 576 && info.gap.map { 78 * 1152 - $0.delay - $0.padding } == 88_200)
    // The next frame is audio.
    #expect(table(length..<2 * length) == nil)
    for count in 0..<length { _ = table(0..<count) }
  }
}
