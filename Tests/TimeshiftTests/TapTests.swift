import TestSupport
import Testing
import Wire

@testable import Timeshift

/// What a tap yields, and what it says it did not get.
@Suite struct TapTests {
  let clock = ManualClock()
  private let packet = UInt64(TestPacket.bytes)

  private func memoryLog(windowBytes: Int = 4 << 20) -> PacketLog {
    var configuration = LogConfiguration()
    configuration.windowBytes = windowBytes
    return PacketLog(memoryOnly: configuration, at: clock.now)
  }

  @Test func `marks stand in front of the exact packet, and packets are whole and in order`() {
    let log = memoryLog()
    let other = AudioFormat(codec: .mp3, sampleRate: 44_100, channels: 1)
    log.markTitle(Title(text: "A"))
    log.feed(100, at: clock.now)
    log.markGap(seconds: 3, cause: .upstreamAway)
    log.markTitle(Title(text: "B"))
    log.feed(50, at: clock.now)
    log.markHeaders([1, 2, 3])
    log.appendKnown(format: other)
    log.publish(at: clock.now)
    let heard = heard(by: Tap(log, from: .oldest))
    #expect(
      heard.marks == [
        "0 format 2 0", "0 title A", "100 gap 3.0", "100 title B", "150 format 1 3",
      ])
    #expect(heard.packets == Array(0..<151) && heard.isKnown)
    #expect(heard.last == log.edge)
  }

  @Test func `a tap that begins in the middle is told what is in force there`() {
    let log = memoryLog()
    log.markTitle(Title(text: "A"))
    log.feed(100, at: clock.now)
    let tap = Tap(log, from: .liveEdge)
    #expect(answer(tap) == "liveEdge")
    log.feed(2, at: clock.now)
    let heard = heard(by: tap)
    #expect(heard.marks == ["0 format 2 0", "0 title A"] && heard.packets == [100, 101])
  }

  @Test func `a title that becomes known late is told with its own place`() {
    let log = memoryLog()
    log.feed(10, at: clock.now)
    let tap = Tap(log, from: .oldest)
    _ = heard(by: tap)
    log.markTitle(Title(text: "late"), at: LogPoint(position: 4 * packet, media: .zero))
    log.feed(1, at: clock.now)
    #expect(heard(by: tap).marks == ["4 title late"])
    #expect(heard(by: tap).marks.isEmpty)
  }

  @Test func `audio that left the window before a tap read it is counted once`() {
    let log = memoryLog(windowBytes: 512 << 10)
    log.feed(10, at: clock.now)
    let tap = Tap(log, from: .oldest)
    _ = heard(by: tap)
    for number in 0..<100 {
      log.markTitle(Title(text: "\(number)"))
      log.feed(40, at: clock.now)
    }
    let heard = heard(by: tap)
    let oldest = log.oldest
    let missed = oldest.media - TestPacket.duration.scaled(by: 10)
    #expect(tap.losses.overruns == missed && tap.losses.all == missed && missed > .zero)
    #expect(heard.packets == Array(Int(oldest.position / packet)..<4010) && heard.isKnown)
    #expect(heard.losses.count == 1 && heard.losses[0].cause == .overrun)
    #expect(heard.marks.count == 4010 / 40 - Int(oldest.position / packet) / 40)
  }

  @Test func `a range by position or time yields the packets that begin in it, and is over`() {
    let log = memoryLog()
    log.feed(400, at: clock.now)
    let reader = LogReader(log)
    let points = [100, 300].map { number in
      LogPoint(position: number * packet, media: TestPacket.duration.scaled(by: Double(number)))
    }
    let byPoint = Tap(log, from: .point(points[0]), to: .point(points[1]))
    #expect(heard(by: byPoint).packets == Array(100..<300) && answer(byPoint) == "over")
    let byTime = Tap(
      log, from: .air(reader.air(at: points[0].media)), to: .air(reader.air(at: points[1].media)))
    #expect(heard(by: byTime).packets == Array(100..<300) && answer(byTime) == "over")
    let later = reader.air(at: reader.edge.media).adding(seconds: 1)
    let ahead = Tap(log, from: .air(later))
    #expect(answer(ahead) == "liveEdge")
    clock.advance(seconds: 10)
    log.feed(382, at: clock.now)
    // A second are 38.28 packets.
    #expect(heard(by: ahead).packets.first == 400 + 39)
  }

  @Test func `a range that was shortened while it was read ends there`() {
    let log = memoryLog()
    log.feed(100, at: clock.now)
    let tap = Tap(log, from: .oldest)
    for _ in 0..<10 { _ = tap.read() }
    let end = LogPoint(position: 20 * packet, media: TestPacket.duration.scaled(by: 20))
    tap.end(at: end)
    #expect(heard(by: tap).packets.last == 19 && tap.place == end)
  }

  @Test func `a tap that was told to end or to wait yields nothing`() {
    let log = memoryLog()
    log.feed(100, at: clock.now)
    let tap = Tap(log, from: .oldest)
    #expect(answer(tap) == "format")
    tap.control.suspend()
    #expect(answer(tap) == "suspended")
    tap.control.resume()
    #expect(answer(tap) == "packet")
    tap.control.end()
    tap.control.resume()
    #expect(answer(tap) == "over" && tap.next() == nil)
  }

  @Test func `a delayed tap yields what is due`() {
    let log = memoryLog()
    let tap = Tap(log, from: .oldest, delay: MediaTime(seconds: 60), at: clock.now)
    log.feed(seconds: 90, by: clock)
    var newest = LogPoint.zero
    while case .item(let item) = tap.read(at: clock.now) {
      if case .packet(let packet) = item { newest = packet.end }
    }
    #expect(abs(newest.media.seconds - 30) < 0.6)
  }

  // MARK: The disk

  /// 200 s in segments of a minute, of which the newest 32 s are in memory.
  private func past() throws -> LogOnDisk {
    let disk = try LogOnDisk(LogConfiguration(retention: MediaTime(seconds: 3600)))
    disk.feed(seconds: 200)
    return disk
  }

  @Test func `packets on disk come as they were after they are fetched`() throws {
    let disk = try past()
    let tap = Tap(disk.log, from: .oldest)
    #expect(answer(tap) == "loading")
    let heard = heard(by: tap) { disk.turn() }
    #expect(heard.packets == Array(0..<Int(disk.log.edgePosition / packet)) && heard.isKnown)
    #expect(tap.losses == TapLosses() && heard.last == disk.log.edge)
  }

  @Test func `a hole is stepped over, and told with its length`() throws {
    let disk = try past()
    let names = disk.directory.names.filter { $0.hasSuffix(".mp3") }
    var bytes = disk.directory.read(names[1])
    bytes[320_000] ^= 0x10
    disk.directory.write(names[1], bytes)
    let tap = Tap(disk.log, from: .oldest)
    let heard = heard(by: tap) { disk.turn() }
    let all = Set(0..<Int(disk.log.edgePosition / packet))
    let lost = all.subtracting(heard.packets).count
    #expect(heard.isKnown && (1...40).contains(lost))
    #expect(heard.losses.map(\.cause) == [.hole])
    #expect(tap.losses.holes == TestPacket.duration.scaled(by: Double(lost)))
    #expect(heard.last == disk.log.edge)
  }

  // MARK: Threads

  @Test func `a thread that waits at the edge gets every packet, until it is told to end`() {
    let log = memoryLog()
    let control = TapControl()
    let faults = sumInThreads(2, { _ in follow(log, control) }) {
      for batch in 0..<300 {
        if batch % 10 == 0 { log.markTitle(Title(text: "\(batch)")) }
        log.feed(10, at: clock.now)
        if batch % 50 == 7 { control.suspend() }
        if batch % 50 == 11 { control.resume() }
      }
      log.markTitle(Title(text: "the end"))
      log.feed(1, at: clock.now)
    }
    #expect(faults == 0)
  }

  @Test func `a tap that waits in vain returns when it is told to end`() {
    let log = memoryLog()
    let control = TapControl()
    let reached = Flag()
    let items = sumInThreads(
      1,
      { _ in
        let tap = Tap(log, from: .liveEdge, control: control)
        reached.set()
        return tap.next() == nil ? 1 : 0
      }
    ) {
      while !reached.isSet {}
      control.end()
    }
    #expect(items == 1)
  }

  @Test func `a thread that reads the past waits for what is fetched`() throws {
    let disk = try past()
    let (log, isDone) = (disk.log, Flag())
    let packets = sumInThreads(
      1,
      { _ in
        let tap = Tap(log, from: .oldest, to: .point(log.edge))
        var packets = 0
        while let item = tap.next() {
          if case .packet = item { packets += 1 }
        }
        isDone.set()
        return packets
      }
    ) {
      while !isDone.isSet { disk.turn() }
    }
    #expect(UInt64(packets) == disk.log.edgePosition / packet)
  }

  @Test func `a question is asked until the disk has answered it`() throws {
    let disk = try past()
    let (log, isDone) = (disk.log, Flag())
    let found = sumInThreads(
      1,
      { _ in
        let tap = Tap(log, from: .liveEdge)
        let point = tap.answer(within: 60) { $0.point(holding: 4171) }
        isDone.set()
        return Int(point?.position ?? 0)
      }
    ) {
      while !isDone.isSet { disk.turn() }
    }
    #expect(found == 4170)
    let never = Tap(log, from: .liveEdge)
    #expect(never.answer(within: 0) { _ in Int?.none } == nil)
  }

  // MARK: Restarts

  private func go(_ number: UInt64) -> LogPoint {
    LogPoint(
      position: number * packet, media: TestPacket.duration.scaled(by: Double(number)))
  }

  @Test func `a tap goes on at its bookmark`() {
    let log = memoryLog()
    log.feed(100, at: clock.now)
    let tap = Tap(log, from: .oldest)
    for _ in 0..<41 { _ = tap.read() }
    let bookmark = tap.bookmark(at: tap.place ?? .zero)
    #expect(bookmark.position == 40 * packet)
    let after = Tap(log, from: .bookmark(bookmark), origin: .init(edge: log.edge))
    #expect(heard(by: after).packets == Array(40..<100) && after.losses == TapLosses())
  }

  @Test(arguments: [false, true])
  func `a tap goes on behind what a crash took from its log`(
    isStitched: Bool
  ) {
    let before = memoryLog()
    before.feed(100, at: clock.now)
    let tap = Tap(before, from: .oldest)
    _ = heard(by: tap)
    let bookmark = tap.bookmark(at: tap.place ?? .zero)
    let log = memoryLog()
    log.feed(80, at: clock.now)
    let after = Tap(log, from: .bookmark(bookmark), origin: .init(edge: log.edge))
    #expect(answer(after) == "liveEdge")
    if !isStitched { log.markGap(seconds: 30, cause: .restart) }
    log.feed(50, at: clock.now)
    #expect(heard(by: after).packets == Array((isStitched ? 100 : 80)..<130))
  }

  @Test func `a tap whose bookmark is of another log goes on with what is on air later`() {
    let before = memoryLog()
    before.feed(seconds: 10, by: clock)
    let tap = Tap(before, from: .oldest)
    _ = heard(by: tap)
    let bookmark = tap.bookmark(at: tap.place ?? .zero)
    let log = memoryLog()
    let origin = Tap.Origin(edge: log.edge, isAnotherLog: true)
    let after = Tap(log, from: .bookmark(bookmark), origin: origin)
    #expect(answer(after) == "liveEdge")
    log.feed(seconds: 5, by: clock)
    #expect(heard(by: after).packets.first == 0)
  }
}

/// What a tap has yielded, as numbers and texts to compare.
private struct Heard {
  var packets: [Int] = []
  /// The packet's number, and the mark.
  var marks: [String] = []
  var losses: [TapLoss] = []
  var last: LogPoint?
  var isKnown = true

  mutating func add(_ item: TapItem) {
    func mark(_ position: UInt64, _ text: String) {
      marks.append("\(position / UInt64(TestPacket.bytes)) \(text)")
    }
    switch item {
    case .packet(let packet):
      isKnown =
        isKnown && areKnown(Array(packet.bytes), from: packet.start.position)
        && packet.bytes.count == TestPacket.bytes && packet.length == TestPacket.duration
      packets.append(Int(packet.start.position) / TestPacket.bytes)
      last = packet.end
    case .title(let title): mark(title.position, "title \(title.title.text)")
    case .gap(let gap): mark(gap.position, "gap \(gap.seconds)")
    case .format(let format):
      mark(format.position, "format \(format.format.channels) \(format.headers.count)")
    case .missed(let loss): losses.append(loss)
    }
  }
}

private func heard(by tap: Tap, wait: () -> Void = {}) -> Heard {
  var (heard, waits) = (Heard(), 0)
  while waits < 1000 {
    switch tap.read() {
    case .item(let item):
      heard.add(item)
      waits = 0
    case .loading:
      wait()
      waits += 1
    case .liveEdge, .suspended, .over: return heard
    }
  }
  return heard
}

/// The next answer in a word.
private func answer(_ tap: Tap) -> String {
  switch tap.read() {
  case .item(.packet): "packet"
  case .item(.title): "title"
  case .item(.gap): "gap"
  case .item(.format): "format"
  case .item(.missed): "missed"
  case .liveEdge: "liveEdge"
  case .loading: "loading"
  case .suspended: "suspended"
  case .over: "over"
  }
}

/// Reads along until the last title; returns how much was wrong.
private func follow(_ log: PacketLog, _ control: TapControl) -> Int {
  let tap = Tap(log, from: .oldest, control: control)
  var (heard, isOver) = (Heard(), false)
  while let item = tap.next() {
    heard.add(item)
    if case .title(let mark) = item, mark.title.text == "the end" { isOver = true }
    if case .packet = item, isOver { control.end() }
  }
  let missed = zip(heard.packets, heard.packets.dropFirst()).count { $1 != $0 + 1 }
  return missed + (heard.isKnown ? 0 : 1) + (heard.losses.isEmpty ? 0 : 1)
}
