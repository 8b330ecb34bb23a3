import Glibc
import TestSupport
import Testing
import Wire

@testable import Timeshift

/// Indexes of real files.
@Suite struct MediaIndexTests {
  private func file(_ bytes: [UInt8], _ scratch: Scratch) throws -> MediaFile {
    let path = try scratch.write(bytes, as: "file")
    return try MediaFolder.open("", in: path)
  }

  @Test func `tags last no time, and places and times are each other's`() throws {
    let scratch = try Scratch()
    let tag = ID3Tag(title: "T", album: "A", recordedAt: 0).bytes
    let frames = NumberedFrames.stream(0..<5000)
    let old = Array("TAG".utf8) + [UInt8](repeating: 0, count: 125)
    let file = try file(tag + frames + old, scratch)
    let index = try #require(try file.makeIndex())
    #expect(index.duration == MediaTime(samples: 5000 * 1152, rate: 44_100))
    #expect(index.end == UInt64(tag.count + frames.count))
    #expect(index.media(at: 0) == .zero && index.media(at: .max) == index.duration)
    #expect(index.offset(at: index.duration) == .max)
    for place in stride(from: UInt64(tag.count), to: index.end, by: 1009) {
      let exact = Double(place - UInt64(tag.count)) / 16_000
      let media = index.media(at: place)
      #expect(abs(media.seconds - exact) < 0.03)
      #expect(abs(Int64(index.offset(at: media)) - Int64(place)) <= 1)
    }
    let facts = try #require(try file.facts())
    #expect(facts.start == UInt64(tag.count) && abs(facts.bytesPerSecond - 16_000) < 20)
  }

  @Test(arguments: Fixtures.OggCodec.allCases, [0.05, 9.97])
  func `in Ogg a file lasts as long as what is heard of it`(
    codec: Fixtures.OggCodec, seconds: Double
  ) throws {
    let rate = codec == .speex ? 16_000 : 48_000
    let bytes = try Fixtures.ogg(
      codec, sampleRate: rate, channels: codec == .speex ? 1 : 2, seconds: seconds)
    let scratch = try Scratch()
    let index = try #require(try file(bytes, scratch).makeIndex())
    // Speex's headers do not say what it put in front: it is within a packet.
    let tolerance = codec == .speex ? 0.02 : 0.0001
    #expect(abs(index.duration.seconds - seconds) <= tolerance, "\(index.duration.seconds)")
    let path = try scratch.write(bytes, as: "probed.ogg")
    let probed = try Tool.must(
      ["ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", path],
      in: scratch)
    let text = String(decoding: probed.output, as: UTF8.self)
    let said = try #require(Double(text.split(separator: "\n").first ?? ""))
    // It counts what Opus says is to be left out.
    #expect(abs(said - index.duration.seconds) <= 0.02, "\(said)")
    // Twice is a chain of two links.
    let chained = try #require(try file(bytes + bytes, scratch).makeIndex())
    #expect(abs(chained.duration.seconds - 2 * index.duration.seconds) < 0.000_1)
  }

  @Test(arguments: [[], [UInt8](repeating: 0x5A, count: 200_000), Array("OggS".utf8)])
  func `what is no audio has no index`(bytes: [UInt8]) throws {
    let scratch = try Scratch()
    let file = try file(bytes, scratch)
    #expect(try file.facts() == nil)
    #expect(try file.makeIndex() == nil)
  }
}
