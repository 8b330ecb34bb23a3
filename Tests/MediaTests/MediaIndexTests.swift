import Glibc
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Media

/// Indexes of real files.
@Suite struct MediaIndexTests {
  private func file(_ bytes: [UInt8], _ scratch: TemporaryDirectory) throws -> MediaFile {
    let path = scratch.write("file", bytes)
    return try MediaFolder.open("", in: path)
  }

  @Test func `a file's tags last no time, and its places and times agree`() throws {
    let scratch = TemporaryDirectory()
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
  func `an Ogg file lasts as long as what is heard of it`(
    codec: Fixtures.OggCodec, seconds: Double
  ) throws {
    let rate = codec == .speex ? 16_000 : 48_000
    let bytes = try Fixtures.ogg(
      codec, sampleRate: rate, channels: codec == .speex ? 1 : 2, seconds: seconds)
    let scratch = TemporaryDirectory()
    let index = try #require(try file(bytes, scratch).makeIndex())
    // Speex's headers do not say what it put in front: it is within a packet.
    let tolerance = codec == .speex ? 0.02 : 0.0001
    #expect(abs(index.duration.seconds - seconds) <= tolerance, "\(index.duration.seconds)")
    let path = scratch.write("probed.ogg", bytes)
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
  func `a file without audio has no index`(bytes: [UInt8]) throws {
    let scratch = TemporaryDirectory()
    let file = try file(bytes, scratch)
    #expect(try file.facts() == nil)
    #expect(try file.makeIndex() == nil)
  }

  @Test func `gigabytes of nothing behind the audio are not read`() throws {
    let scratch = TemporaryDirectory()
    let path = scratch.write("long.mp3", NumberedFrames.stream(0..<200))
    // A hole, which takes no disk.
    try #require(truncate(path, 4 << 30) == 0)
    let file = try MediaFolder.open("", in: path)
    var pieces = 0
    let index = try file.makeIndex {
      pieces += 1
      return true
    }
    #expect(index?.duration == MediaTime(samples: 200 * 1152, rate: 44_100))
    // 128 KiB each.
    #expect(pieces < 200)
  }

  @Test func `tags in front of the audio are not read for ever`() throws {
    let scratch = TemporaryDirectory()
    // A tag that says it has 256 MB.
    let path = scratch.write("tag.mp3", Array("ID3".utf8) + [4, 0, 0, 0x7F, 0x7F, 0x7F, 0x7F])
    try #require(truncate(path, 200 << 20) == 0)
    let audio = NumberedFrames.stream(0..<200)
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    defer { close(descriptor) }
    try #require(pwrite(descriptor, audio, audio.count, 100 << 20) == audio.count)
    #expect(try MediaFolder.open("", in: path).facts() == nil)
  }

  @Test func `a pass ends when nobody waits for it any more`() throws {
    let scratch = TemporaryDirectory()
    let file = try file(NumberedFrames.stream(0..<5000), scratch)
    var asked = 0
    let index = try file.makeIndex {
      asked += 1
      return asked < 3
    }
    #expect(index == nil && asked == 3)
  }

  @Test func `an index has a bound, however long the file`() throws {
    var builder = MediaIndexBuilder(marksMax: 64)
    let frame = NumberedFrames.stream(0..<1)
    var scanner = PacketScanner()
    let bytes = NumberedFrames.stream(0..<3)
    guard case .packet(let packet)? = scanner.next(in: bytes.span, from: 0, atEnd: true)
    else { return }
    let length = UInt64(frame.count)
    for number in 0..<UInt64(100_000) {
      builder.add(packet, at: number * length..<(number + 1) * length)
    }
    let index = try #require(builder.index)
    #expect(index.marks.count <= 64 && index.marks.count >= 32)
    #expect(index.duration == MediaTime(samples: 100_000 * 1152, rate: 44_100))
    for place in stride(from: UInt64(0), to: index.end, by: 1_000_003) {
      let exact = Double(place) / Double(length) * 1152 / 44_100
      #expect(abs(index.media(at: place).seconds - exact) < 0.1)
    }
  }
}
