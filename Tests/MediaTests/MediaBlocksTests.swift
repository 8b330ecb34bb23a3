import Glibc
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Media

/// A file in blocks from the last to the first.
@Suite struct MediaBlocksTests {
  private static let tag = ID3Tag(title: "T", album: "A", recordedAt: 0).bytes
  private static let packet = MediaTime(samples: 1152, rate: 44_100)

  private func runs(
    _ bytes: [UInt8], from: MediaTime = .zero, to: MediaTime? = nil
  ) throws -> [PacketRun] {
    let scratch = TemporaryDirectory()
    let file = try MediaFolder.open("", in: scratch.write("file", bytes))
    let index = try #require(try file.makeIndex())
    var blocks = MediaBlocks(file, index, from: from, to: to)
    var runs: [PacketRun] = []
    while let run = try blocks.next() { runs.append(run) }
    #expect(try blocks.next() == nil)
    return runs
  }

  private func numbers(_ run: PacketRun, leadIn: Bool = false) throws -> [UInt64] {
    let packets = leadIn ? run.packets[..<run.leadIn] : run.packets[run.leadIn...]
    return try NumberedFrames.numbers(in: packets.flatMap { run.bytes[$0.range] })
  }

  @Test func `blocks are the packets of the file, each once, with a lead-in`() throws {
    let old = Array("TAG".utf8) + [UInt8](repeating: 0, count: 125)
    let runs = try runs(Self.tag + NumberedFrames.stream(0..<1000) + old)
    #expect(try runs.reversed().flatMap { try numbers($0) } == Array(0..<1000))
    #expect(runs.count == 14)
    for run in runs {
      let first = try #require(try numbers(run).first)
      #expect(run.length <= ReverseBlocks.length + Self.packet)
      if first == 0 { continue }
      let lead = try numbers(run, leadIn: true)
      #expect(lead == Array(first - UInt64(lead.count)..<first))
      #expect((19...20).contains(lead.count) || lead.count == Int(first))
    }
    #expect(runs.last?.leadIn == 0)
  }

  @Test(arguments: [(3.0, 10.0), (0, 0.01), (5.5, 5.53), (25, nil), (1, 1000)])
  func `a part is the packets that begin in it`(from: Double, to: Double?) throws {
    let runs = try runs(
      NumberedFrames.stream(0..<1000), from: MediaTime(seconds: from),
      to: to.map { MediaTime(seconds: $0) })
    func packet(_ seconds: Double) -> UInt64 { UInt64((seconds * 44_100 / 1152).rounded(.up)) }
    let end = min(1000, to.map(packet) ?? 1000)
    #expect(try runs.reversed().flatMap { try numbers($0) } == Array(packet(from)..<end))
  }

  @Test func `a part in which no packet begins has no blocks`() throws {
    let frames = NumberedFrames.stream(0..<100)
    #expect(
      try runs(frames, from: MediaTime(seconds: 1.05), to: MediaTime(seconds: 1.06)).isEmpty)
    #expect(try runs(frames, from: MediaTime(seconds: 100)).isEmpty)
  }

  @Test func `a file that has lost its end begins nowhere`() throws {
    let scratch = TemporaryDirectory()
    let path = scratch.write("file", NumberedFrames.stream(0..<1000))
    let file = try MediaFolder.open("", in: path)
    let index = try #require(try file.makeIndex())
    var blocks = MediaBlocks(file, index)
    #expect(try blocks.next() != nil)
    #expect(truncate(path, 1000) == 0)
    #expect(try blocks.next() == nil)
    #expect(try blocks.next() == nil)
  }

  // MARK: Ogg

  private func packets(_ run: PacketRun) -> [[UInt8]] {
    // Each page's own number and place in time is not the packet's.
    run.packets[run.leadIn...].map { Array(run.bytes[$0.range].dropFirst(27)) }
  }

  @Test(arguments: Fixtures.OggCodec.allCases)
  func `blocks of Ogg are all packets of the file, and last as long as what is heard`(
    codec: Fixtures.OggCodec
  ) throws {
    let rate = codec == .speex ? 16_000 : 48_000
    let file = try Fixtures.ogg(
      codec, sampleRate: rate, channels: codec == .speex ? 1 : 2, seconds: 9.97)
    let runs = try runs(file)
    let demuxed = DemuxedOgg(file)
    #expect(runs.count >= 5)
    #expect(runs.reversed().flatMap(packets) == demuxed.pages.map { Array($0.bytes[27...]) })
    for run in runs { #expect(run.headers == demuxed.headers[0].pages(serial: 0)) }
    let length = runs.reduce(MediaTime.zero) { $0 + $1.length }
    #expect(abs(length.seconds - 9.97) < (codec == .speex ? 0.02 : 0.0001))
    let cut = runs.reduce(MediaTime.zero) { $0 + $1.packets.reduce(.zero) { $0 + $1.cut } }
    // What an encoder puts at the end of the last block, and is not heard.
    #expect(cut < MediaTime(seconds: 0.1))
    for run in runs.dropLast() where codec != .flac {
      let lead = run.packets[..<run.leadIn].reduce(MediaTime.zero) { $0 + $1.length }
      #expect(lead > MediaTime(seconds: 0.25) && lead < MediaTime(seconds: 2.3), "\(lead.seconds)")
    }
  }

  @Test func `a link without audible samples is passed over, wherever it is`() throws {
    let one = try Fixtures.ogg(.opus, seconds: 2.3)
    let demuxed = DemuxedOgg(one)
    var page = demuxed.pages[0].bytes
    page[5] |= OggPage.Flags.last.rawValue
    var span = page.mutableSpan
    OggPage.stamp(&span, serial: 9, sequence: 2, granule: 0)
    let empty = demuxed.headers[0].pages(serial: 9) + page
    let other = try Fixtures.ogg(.opus, seconds: 1.2, seed: 2)
    for chain in [empty + one + other, one + empty + other, one + other + empty] {
      let length = try runs(chain).reduce(MediaTime.zero) { $0 + $1.length }
      #expect(abs(length.seconds - 3.5) < 0.001)
    }
  }

  @Test func `a block of a chain is of one link, and has its headers`() throws {
    let one = try Fixtures.ogg(.opus, seconds: 3.3, comments: ["TITLE=One"])
    let other = try Fixtures.ogg(.opus, channels: 1, seconds: 1.2, comments: ["TITLE=Two"], seed: 2)
    let third = try Fixtures.ogg(.vorbis, sampleRate: 44_100, seconds: 2.5, seed: 3)
    let chain = one + other + third
    let runs = try runs(chain)
    let demuxed = DemuxedOgg(chain)
    #expect(demuxed.headers.count == 3)
    #expect(runs.reversed().flatMap(packets) == demuxed.pages.map { Array($0.bytes[27...]) })
    let headers = runs.reversed().map(\.headers)
    #expect(Set(headers).count == 3)
    #expect(headers.first == demuxed.headers[0].pages(serial: 0))
    #expect(headers.last == demuxed.headers[2].pages(serial: 0))
    let length = runs.reduce(MediaTime.zero) { $0 + $1.length }
    #expect(abs(length.seconds - 7) < 0.001)
    let part = try self.runs(
      chain, from: MediaTime(seconds: 3), to: MediaTime(seconds: 5))
    #expect(part.count == 3)
    #expect(abs(part.reduce(0) { $0 + $1.length.seconds } - 2) < 0.41)
  }
}
