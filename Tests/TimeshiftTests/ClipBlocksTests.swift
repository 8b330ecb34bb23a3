import TestSupport
import Testing
import Wire

@testable import Timeshift

/// A clip in blocks from the last to the first.
@Suite struct ClipBlocksTests {
  private func clip(_ log: PacketLog, turn: () -> Void = {}) throws -> Clip {
    let reader = LogReader(log)
    for _ in 0..<1000 {
      reader.refresh()
      switch reader.clip(from: reader.oldest, to: reader.edge) {
      case .clip(let clip): return clip
      case .loading: turn()
      case .nothing: throw TimeIsUp(description: "there is no clip")
      }
    }
    throw TimeIsUp(description: "the clip does not come")
  }

  private func runs(_ blocks: ClipBlocks, turn: () -> Void = {}) -> [PacketRun] {
    var runs: [PacketRun] = []
    for _ in 0..<10_000 {
      switch blocks.read() {
      case .block(let run): runs.append(run)
      case .loading: turn()
      case .over: return runs
      }
    }
    return runs
  }

  private func body(_ run: PacketRun) -> [UInt8] {
    run.packets[run.leadIn...].flatMap { run.bytes[$0.range] }
  }

  private func leadIn(_ run: PacketRun) -> [UInt8] {
    run.packets[..<run.leadIn].flatMap { run.bytes[$0.range] }
  }

  /// Whether the blocks are the clip's packets, each once, with what is in front of them as lead-in.
  private func check(_ runs: [PacketRun], are bytes: [UInt8]) {
    #expect(runs.reversed().flatMap(body) == bytes)
    var end = bytes.count
    for run in runs {
      #expect(run.length <= ReverseBlocks.length + TestPacket.duration)
      end -= body(run).count
      let lead = leadIn(run)
      #expect(bytes[..<end].suffix(lead.count).elementsEqual(lead))
      let seconds = Double(lead.count / TestPacket.bytes) * TestPacket.duration.seconds
      #expect(end == 0 ? lead.isEmpty : seconds > 0.49 && seconds < 0.56, "\(seconds)")
    }
  }

  @Test func `blocks are the packets of the clip, each once, with a lead-in`() throws {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: .now())
    log.feed(500, at: .now())
    let clip = try clip(log)
    let runs = runs(ClipBlocks(log, clip, delay: .zero))
    #expect(runs.count == 7)
    let whole = try #require(LogReader(log).collect(clip.start.position..<clip.end.position))
    check(runs, are: whole)
    // It is over for good.
    let blocks = ClipBlocks(log, clip, delay: .zero)
    #expect(self.runs(blocks).count == 7 && self.runs(blocks).isEmpty)
  }

  @Test func `blocks read from disk equal the bytes of the clip`() throws {
    var window = LogConfiguration(retention: MediaTime(seconds: 86_400))
    window.windowBytes = 256 << 10
    let disk = try LogOnDisk(window)
    disk.feed(seconds: 120)
    let clip = try clip(disk.log, turn: disk.turn)
    #expect(clip.seconds > 119)
    let runs = runs(ClipBlocks(disk.log, clip, delay: .zero), turn: disk.turn)
    check(runs, are: try #require(disk.collect(clip.start.position..<clip.end.position)))
  }

  @Test func `a lead-in never reaches into another format`() throws {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: .now())
    log.appendKnown(format: AudioFormat(codec: .mp3, sampleRate: 44_100, channels: 1))
    for _ in 0..<60 { log.appendKnown() }
    log.publish(at: .now())
    let reader = LogReader(log)
    let start = LogPoint(
      position: reader.oldest.position + UInt64(TestPacket.bytes),
      media: reader.oldest.media + TestPacket.duration)
    guard case .clip(let clip) = reader.clip(from: start, to: reader.edge) else {
      Issue.record("there is no clip")
      return
    }
    let runs = runs(ClipBlocks(log, clip, delay: .zero))
    #expect(runs.count == 1 && runs.first?.leadIn == 0 && runs.first?.packets.count == 60)
  }

  @Test func `a clip that the window has moved past is cut short`() throws {
    var window = LogConfiguration()
    window.windowBytes = 1 << 20
    let log = PacketLog(memoryOnly: window, at: .now())
    log.feed(2000, at: .now())
    let clip = try clip(log)
    let blocks = ClipBlocks(log, clip, delay: .zero)
    guard case .block(let last) = blocks.read() else {
      Issue.record("there is no block")
      return
    }
    #expect(last.length > MediaTime(seconds: 1.9))
    for _ in 0..<50 { log.feed(400, at: .now()) }
    #expect(LogReader(log).oldest.position > clip.end.position)
    #expect(!blocks.isCutShort)
    #expect(runs(blocks).count == 0)
    #expect(blocks.isCutShort)
  }
}
