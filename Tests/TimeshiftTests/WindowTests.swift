import TestSupport
import Testing
import Wire

@testable import Timeshift

@Suite struct WindowTests {
  let clock = ManualClock()

  @Test func `appended packets are read back byte for byte once they are published`() {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: clock.now)
    let reader = LogReader(log)
    #expect(log.isEmpty)
    log.appendKnown()
    reader.refresh()
    #expect(reader.edge == .zero, "nothing is readable before it is published")
    log.publish(at: clock.now)
    log.feed(399, at: clock.now)
    reader.refresh()
    #expect(reader.edge.position == 400 * 417)
    #expect(reader.edge.media == MediaTime(samples: 400 * 1152, rate: 44100))
    let bytes = reader.collect(0..<400 * 417)
    #expect(bytes.map { areKnown($0, from: 0) } == true)
    #expect(log.edge == reader.edge)
    #expect(!log.isEmpty)
  }

  @Test func `an empty log is at its live edge`() {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: clock.now)
    let reader = LogReader(log)
    #expect(reader.answer(0) == "liveEdge")
    #expect(reader.titlePosition(at: 0) == .max)
    #expect(reader.gapPosition(after: 0) == .max)
    #expect(reader.point(atOrBefore: MediaTime(seconds: 5)) == .zero)
    #expect(reader.point(at: clock.now.wall) == .zero)
    #expect(reader.format == nil)
  }

  @Test func `a read ends at the end it is given, its limit and whole packets`() {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: clock.now)
    log.feed(500, at: clock.now)
    let reader = LogReader(log)
    #expect(reader.answer(417, upTo: 1000, limit: 5000) == "bytes 583")
    #expect(reader.answer(417, upTo: 10000, limit: 50) == "bytes 50")
    // 157 packets of 417 bytes are a block of 64 KiB.
    #expect(reader.answer(156 * 417, upTo: .max, limit: 5000) == "bytes 417")
    #expect(reader.answer(500 * 417) == "liveEdge")
    #expect(reader.answer(500 * 417 + 5) == "liveEdge")
  }

  @Test func `the window drops whole blocks and says overrun for what is gone`() {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: clock.now)
    let reader = LogReader(log)
    for _ in 0..<100 { log.feed(40, at: clock.now) }
    // 4,000 packets are 26 blocks, 8 of which fit.
    reader.refresh()
    #expect(reader.oldest.position % (157 * 417) == 0)
    #expect(reader.edge.position - reader.oldest.position <= 8 * 65536)
    #expect(reader.edge.position - reader.oldest.position > 7 * 157 * 417)
    #expect(reader.memoryOldest == reader.oldest.position)
    #expect(reader.answer(0) == "overrun \(reader.oldest.position)")
    #expect(log.oldest == reader.oldest)
    let all = reader.collect(reader.oldest.position..<reader.edge.position)
    #expect(all.map { areKnown($0, from: reader.oldest.position) } == true)
    #expect(log.snapshot().bytesInMemory <= 8 * (65536 + 4096 * 24))
  }

  @Test func `bytes given to a reader stay until its next refresh, however far the log moves on`() {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: clock.now)
    log.feed(100, at: clock.now)
    let reader = LogReader(log)
    withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { scratch in
      guard case .bytes(let view) = reader.read(at: 0, upTo: .max, limit: 40000, scratch: scratch)
      else {
        Issue.record("the first packets are in memory")
        return
      }
      for _ in 0..<100 { log.feed(40, at: clock.now) }
      #expect(areKnown(Array(view), from: 0))
    }
    reader.refresh()
    #expect(reader.oldest.position > 0)
  }

  @Test func `a batch larger than the window is readable from where a reader stood`() {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: clock.now)
    log.feed(10, at: clock.now)
    let reader = LogReader(log)
    log.feed(3000, at: clock.now)
    reader.refresh()
    let bytes = reader.collect(4170..<reader.edge.position)
    #expect(bytes.map { areKnown($0, from: 4170) } == true)
    log.feed(1, at: clock.now)
    reader.refresh()
    #expect(reader.edge.position - reader.oldest.position <= 8 * 65536)
  }

  @Test func `many tiny packets fill a block's table before its bytes and none is lost`() {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: clock.now)
    let format = AudioFormat(codec: .aac, sampleRate: 48000, channels: 2)
    log.append([UInt8](repeating: 7, count: 2000).span, samples: 1024, format: format)
    for number in 0..<500 {
      log.append([UInt8(number % 251), 1, 2].span, samples: 1024, format: format)
    }
    log.publish(at: clock.now)
    let reader = LogReader(log)
    #expect(reader.edge.position == 2000 + 1500)
    for number in 0..<500 {
      let position = UInt64(2000 + 3 * number)
      #expect(reader.packetEnd(after: position) == position)
      #expect(reader.packetEnd(after: position + 1) == position + 3)
      #expect(
        reader.media(at: position + 2) == MediaTime(samples: 1024 * (number + 1), rate: 48000))
    }
  }

  @Test func `readers beside the writer see whole known packets, and the edge never goes back`() {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: clock.now)
    let isDone = Flag()
    let faults = sumInThreads(3, { _ in chase(log, until: { isDone.isSet }) }) {
      for batch in 0..<300 {
        if batch % 10 == 0 { log.markTitle(Title(text: "\(batch)")) }
        log.feed(10, at: clock.now)
      }
      isDone.set()
    }
    #expect(faults == 0)
  }
}

/// Reads along at the edge; returns how much was wrong.
private func chase(_ log: PacketLog, until isDone: () -> Bool) -> Int {
  let reader = LogReader(log)
  var position: UInt64 = 0
  var faults = 0
  var edge = LogPoint.zero
  withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { scratch in
    while true {
      let isLast = isDone()
      reader.refresh()
      if reader.edge.media < edge.media || reader.edge.position < edge.position { faults += 1 }
      edge = reader.edge
      if edge.position % 417 != 0 { faults += 1 }
      switch reader.read(at: position, upTo: .max, limit: 4170, scratch: scratch) {
      case .bytes(let bytes):
        if !areKnown(Array(bytes), from: position) { faults += 1 }
        let title = reader.titlePosition(at: position)
        if title > position || title % 41700 != 0 { faults += 1 }
        position += UInt64(bytes.count)
      case .liveEdge: if isLast { return }
      case .overrun(let oldest): position = oldest.position
      case .loading, .hole: faults += 1
      }
    }
  }
  return faults
}

extension LogReader {
  /// An answer as text, to compare.
  func answer(_ position: UInt64, upTo end: UInt64 = .max, limit: Int = 4096) -> String {
    withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 16) { scratch in
      switch read(at: position, upTo: end, limit: limit, scratch: scratch) {
      case .bytes(let bytes): "bytes \(bytes.count)"
      case .liveEdge: "liveEdge"
      case .loading: "loading"
      case .hole(let next): "hole \(next.position)"
      case .overrun(let oldest): "overrun \(oldest.position)"
      }
    }
  }
}
