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
    let scratch = try Scratch()
    let file = try MediaFolder.open("", in: try scratch.write(bytes, as: "file"))
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
    let scratch = try Scratch()
    let path = try scratch.write(NumberedFrames.stream(0..<1000), as: "file")
    let file = try MediaFolder.open("", in: path)
    let index = try #require(try file.makeIndex())
    var blocks = MediaBlocks(file, index)
    #expect(try blocks.next() != nil)
    #expect(truncate(path, 1000) == 0)
    #expect(try blocks.next() == nil)
    #expect(try blocks.next() == nil)
  }
}
