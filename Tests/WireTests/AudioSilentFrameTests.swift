import TestSupport
import Testing
import Wire

@Suite struct SilentFrameTests {
  private func silence(like packet: [UInt8]) -> [UInt8]? {
    let span = packet.span
    return SilentFrame.like(span)
  }

  private func packets(of file: [UInt8]) -> [[UInt8]] {
    var scanner = PacketScanner()
    var packets: [[UInt8]] = []
    var from = 0
    while from < file.count, let finding = scanner.next(in: file.span, from: from, atEnd: true) {
      switch finding {
      case .packet(let packet):
        packets.append(Array(file[packet.range]))
        from = packet.range.upperBound
      case .skipped(let range, _): from = range.upperBound
      }
    }
    return packets
  }

  /// Encoder, options, muxer, sample rate, channels.
  private static let formats: [([String], String, Int, Int)] = [
    (["-c:a", "libmp3lame", "-b:a", "128k"], "mp3", 44_100, 2),
    (["-c:a", "libmp3lame", "-b:a", "128k", "-joint_stereo", "0"], "mp3", 44_100, 2),
    (["-c:a", "libmp3lame", "-b:a", "64k"], "mp3", 48_000, 1),
    (["-c:a", "libmp3lame", "-b:a", "32k"], "mp3", 22_050, 2),
    (["-c:a", "libmp3lame", "-b:a", "16k"], "mp3", 11_025, 1),
    (["-c:a", "mp2", "-b:a", "192k"], "mp2", 48_000, 2),
    (["-c:a", "aac", "-b:a", "96k"], "adts", 44_100, 2),
    (["-c:a", "aac", "-b:a", "64k"], "adts", 48_000, 1),
  ]

  @Test(arguments: formats)
  func `silence between the packets of a stream decodes to silence, and the stream goes on`(
    format: (options: [String], muxer: String, rate: Int, channels: Int)
  ) throws {
    let file = try Fixtures.ffmpeg(
      format.options, format: format.muxer, sampleRate: format.rate, channels: format.channels)
    let packets = packets(of: file)
    try #require(packets.count > 40)
    let middle = packets.count / 2
    let silent = try #require(silence(like: packets[middle]))
    // Whole by itself, and found by whoever looks for packets.
    let made = [[UInt8]](repeating: silent, count: 40)
    let stream = Array((packets[..<middle] + made + packets[middle...]).joined())
    #expect(self.packets(of: stream).count == packets.count + made.count)

    let decoder = format.muxer == "adts" ? "aac" : "mp3"
    let heard = try Fixtures.ffmpegDecode(stream, format: decoder).samples
    let whole = try Fixtures.ffmpegDecode(Array(packets.joined()), format: decoder).samples
    let added = (heard.count - whole.count) / format.channels
    try #require([576, 1024, 1152].contains(added / made.count), "\(added) samples more")
    // Decoders look ahead and fade: the middle of it is what must be silent.
    let start = whole.count / 2 + added * format.channels / 4
    let quiet = heard[start..<(start + added * format.channels / 2)]
    #expect(quiet.allSatisfy { abs(Int($0)) < 2 })
    #expect(whole.contains { abs(Int($0)) > 1000 })
  }

  /// Players whose buffers count bytes rely on it.
  @Test(arguments: formats)
  func `silence takes about as many bytes as the packet in whose place it comes`(
    format: (options: [String], muxer: String, rate: Int, channels: Int)
  ) throws {
    let file = try Fixtures.ffmpeg(
      format.options, format: format.muxer, sampleRate: format.rate, channels: format.channels)
    for packet in packets(of: file).dropFirst(4).prefix(40) where packet.count > 20 {
      let silent = try #require(silence(like: packet))
      #expect((packet.count - 4...packet.count).contains(silent.count))
    }
  }

  @Test func `silence for a packet of any length is whole, and never longer than may be`() throws {
    let file = try Fixtures.ffmpeg(
      ["-c:a", "aac", "-b:a", "96k"], format: "adts", sampleRate: 44_100, channels: 2)
    let packet = packets(of: file)[8]
    for length in Array(packet.count..<packet.count + 400) + [3000, 8191] {
      let longer = packet + [UInt8](repeating: 0, count: length - packet.count)
      let silent = try #require(silence(like: longer))
      #expect(
        packets(of: silent + silent + silent).map(\.count)
          == [Int](repeating: silent.count, count: 3))
      #expect(silent.count <= 7 + 1536)
    }
  }

  @Test func `no silence is made where it is not certain to play`() throws {
    for (rate, channels) in [(22_050, 2), (24_000, 1), (44_100, 6)] {
      let file = try Fixtures.ffmpeg(
        ["-c:a", "aac", "-b:a", "128k", "-ac", String(channels)], format: "adts",
        sampleRate: rate, channels: min(channels, 2))
      #expect(silence(like: packets(of: file)[4]) == nil)
    }
    #expect(silence(like: Array("OggS".utf8) + [UInt8](repeating: 0, count: 60)) == nil)
    #expect(silence(like: []) == nil)
  }
}
