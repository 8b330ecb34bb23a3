import Glibc
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Server

/// A listener of a log whose older part is on a disk, and what its turns say, one by one.
@Suite struct TurnTests {
  private let disk: LogOnDisk
  private let shard: MountShard
  private let fanout = Fanout()

  /// 200 s, of which the newest 32 are in memory, in segments of a minute.
  init() throws {
    disk = try LogOnDisk(LogConfiguration(retention: MediaTime(seconds: 3600)))
    let station = NumberedLog(log: disk.log, seconds: 0)
    for _ in 0..<200 {
      disk.clock.advance(seconds: 1)
      station.append(38, at: disk.clock.now)
      disk.turn()
    }
    shard = MountShard(Mount(station: "jazz", log: disk.log))!
  }

  /// One that stands at `seconds`, and is owed `burst` from there at once.
  private func withListener(
    at seconds: Double, burst: Double, of station: (LogOnDisk, MountShard)? = nil,
    _ body: (inout Listener, _ heard: Int32) throws -> Void
  ) throws {
    let (disk, shard) = station ?? (disk, shard)
    var ends: [Int32] = [0, 0]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
    try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
    defer { for end in ends { close(end) } }
    let start = try #require(
      shard.reader.wait(disk.turn) { $0.point(atOrBefore: MediaTime(seconds: seconds)) })
    var listener = Listener(
      fd: ends[0], slot: 0, cursor: start.position, icy: ICYInterleaver(metaint: 0), codec: .mp3,
      pace: .placed(at: start.media, burst: MediaTime(seconds: burst), now: 0), takenAt: 0)
    listener.link = shard.reader.formatPosition(at: start.position)
    try body(&listener, ends[1])
  }

  /// The answer, when the disk has given what it needs.
  private func fetched<Answer>(_ answer: () -> Answer?) throws -> Answer {
    for _ in 0..<100 {
      shard.startTurn()
      if let answer = answer() { return answer }
      disk.turn()
    }
    throw TimedOut()
  }

  private struct TimedOut: Error {}

  private func serve(_ listener: inout Listener, at seconds: Double = 0) -> Fanout.Outcome {
    shard.startTurn()
    return fanout.serve(&listener, in: shard, now: Int64(nanosecondsIn: seconds))
  }

  /// Of those that are on the disk.
  private func segmentStarts(of disk: LogOnDisk) -> [UInt64] {
    disk.directory.names.filter { $0.hasSuffix(".idx") }.compactMap { UInt64($0.dropLast(4)) }
      .sorted()
  }

  private func audioPath(segment start: UInt64) -> String {
    let digits = "\(start)"
    return "\(disk.directory.path)/" + String(repeating: "0", count: 20 - digits.count) + digits
      + ".mp3"
  }

  private func lose(segment start: UInt64) {
    for name in disk.directory.names where name.hasSuffix("\(start).idx") {
      unlink("\(disk.directory.path)/\(name)")
    }
  }

  @Test func `a hole is stepped over as soon as it is reached`() throws {
    let starts = segmentStarts(of: disk)
    lose(segment: starts[1])
    try withListener(at: 50, burst: 4) { listener, heard in
      // 10 s of its time, of which the hole has none.
      for second in 0...100 {
        _ = serve(&listener, at: Double(second) / 10)
        disk.turn()
      }
      #expect(drain(heard) > 0 && listener.cursor > starts[2])
      let ahead = try #require(shard.reader.media(at: listener.cursor))
      let behind = try #require(shard.reader.media(at: starts[2]))
      // What it was owed in front of the hole and behind it is 14 s in all.
      #expect((ahead - behind).seconds < 14)
    }
  }

  @Test func `a listener who asks for a time in a hole hears what comes behind it`() throws {
    let starts = segmentStarts(of: disk)
    lose(segment: starts[1])
    try withListener(at: 90, burst: 4) { listener, heard in
      for _ in 0..<10 {
        _ = serve(&listener)
        disk.turn()
      }
      #expect(drain(heard) > 0 && listener.cursor > starts[2])
    }
  }

  /// The log after a start that found its second segment no more.
  private func holed() throws -> (LogOnDisk, MountShard, starts: [UInt64]) {
    disk.log.close()
    let starts = segmentStarts(of: disk)
    unlink(audioPath(segment: starts[1]))
    lose(segment: starts[1])
    let again = try LogOnDisk(
      LogConfiguration(retention: MediaTime(seconds: 3600)), in: disk.directory, clock: disk.clock)
    return (again, MountShard(Mount(station: "jazz", log: again.log))!, starts)
  }

  @Test func `a listener who joins in a hole is told the offset of what comes behind it`() throws {
    let (disk, shard, starts) = try holed()
    let reader = shard.reader
    let behind = try #require(reader.wait(disk.turn) { $0.media(at: starts[2]) })
    let offset = reader.edge.media - MediaTime(seconds: 90)
    let places: [StreamRequest.Place] = [
      .behind(offset), .at(reader.air(at: MediaTime(seconds: 90))),
    ]
    for place in places {
      let found = try #require(
        reader.wait(disk.turn) {
          Placement.find(place, burst: MediaTime(seconds: 20), in: $0)
        })
      #expect(found.start == LogPoint(position: starts[2], media: behind))
      #expect(abs(found.offset - (reader.edge.media - behind).seconds) < 0.001)
    }
    let live = try #require(
      reader.wait(disk.turn) { Placement.find(.live, burst: offset, in: $0) })
    #expect(live.start.position == starts[2])
    // In front of it nothing is another place than before.
    let before = try #require(
      reader.wait(disk.turn) {
        Placement.find(.behind($0.edge.media - MediaTime(seconds: 50)), burst: .zero, in: $0)
      })
    #expect(abs(before.start.media.seconds - 50) < 0.03)
  }

  /// From where a hole is, and from ten seconds in front of it.
  @Test(arguments: [90.0, 50])
  func `a burst is as long over a hole as anywhere`(place: Double) throws {
    let (disk, shard, starts) = try holed()
    try withListener(at: place, burst: 20, of: (disk, shard)) { listener, heard in
      // The head of the answer has gone out.
      listener.bytes = 300
      var bytes = 0
      func turns(at seconds: Double) -> Double {
        for _ in 0..<40 {
          shard.startTurn()
          _ = fanout.serve(&listener, in: shard, now: Int64(nanosecondsIn: seconds))
          disk.turn()
          bytes += max(0, drain(heard))
        }
        return Double(bytes) / 16_000
      }
      let burst = turns(at: 0)
      #expect(burst > 19 && burst < 20.6, "\(burst)")
      #expect(listener.cursor > starts[2])
      let later = turns(at: 10)
      #expect(later > 29 && later < 30.6, "\(later)")
    }
  }

  @Test(arguments: [true, false])
  func `audio that is shorter than its index is a hole, and no frame in front of it is torn`(
    isShortBefore: Bool
  ) throws {
    let starts = segmentStarts(of: disk)
    // Five seconds into the segment, in the middle of a frame.
    let length = 5 * 16_000 + 123
    let path = audioPath(segment: starts[1])
    func shorten() throws { try #require(truncate(path, length) == 0) }
    if isShortBefore { try shorten() }
    try withListener(at: 50, burst: 4) { listener, heard in
      var bytes: [UInt8] = []
      for tenth in 0...250 {
        _ = serve(&listener, at: Double(tenth) / 10)
        disk.turn()
        bytes += drained(heard)
        if !isShortBefore, tenth == 80 {
          #expect(listener.cursor > starts[1] && listener.cursor < starts[1] + UInt64(length))
          try shorten()
        }
      }
      #expect(listener.cursor > starts[2])
      let numbers = try NumberedFrames.numbers(in: bytes)
      #expect(numbers.count > 20 * 38 && areAscending(numbers))
    }
  }

  @Test func `damaged audio costs a second, and the frames on both sides of it are whole`() throws {
    let starts = segmentStarts(of: disk)
    let file = open(audioPath(segment: starts[1]), O_WRONLY)
    var damage: UInt64 = 0x5A5A_5A5A
    // In the middle of a frame.
    try #require(pwrite(file, &damage, 8, 5 * 16_000 + 123) == 8)
    close(file)
    try withListener(at: 50, burst: 4) { listener, heard in
      var bytes: [UInt8] = []
      for tenth in 0...250 {
        _ = serve(&listener, at: Double(tenth) / 10)
        disk.turn()
        bytes += drained(heard)
      }
      #expect(listener.cursor > starts[1] + 10 * 16_000)
      let numbers = try NumberedFrames.numbers(in: bytes)
      #expect(areAscending(numbers))
      let (first, last) = (try #require(numbers.first), try #require(numbers.last))
      let lost = Int(last - first) + 1 - numbers.count
      #expect(lost > 0 && lost <= 45, "\(lost)")
    }
  }

  private func areAscending(_ numbers: [UInt64]) -> Bool {
    zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }
  }

  private func drained(_ descriptor: Int32) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 1 << 18) { buffer, count in
      count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
    }
  }

  @Test func `a listener never stands still at a gap whose first packet cannot be read`() throws {
    let gapped = try LogOnDisk(LogConfiguration(retention: MediaTime(seconds: 3600)))
    let station = NumberedLog(log: gapped.log, seconds: 0)
    func feed(_ seconds: Int) {
      for _ in 0..<seconds {
        gapped.clock.advance(seconds: 1)
        station.append(38, at: gapped.clock.now)
        gapped.turn()
      }
    }
    feed(55)
    gapped.disk.set { $0.writeError = EIO }
    feed(1)
    gapped.log.markGap(seconds: 5, cause: .upstreamAway)
    feed(60)
    gapped.disk.set { $0.writeError = nil }
    feed(40)
    let shard = MountShard(Mount(station: "jazz", log: gapped.log))!
    let gap = shard.reader.gapPosition(after: 1)
    #expect(gap < shard.reader.edge.position && gapped.log.snapshot().holes == 1)
    let behind = try #require(segmentStarts(of: gapped).first { $0 > gap })
    try withListener(at: 50, burst: 4, of: (gapped, shard)) { listener, heard in
      for second in 0...300 {
        shard.startTurn()
        _ = fanout.serve(&listener, in: shard, now: Int64(nanosecondsIn: Double(second) / 10))
        gapped.turn()
        _ = drain(heard)
      }
      #expect(listener.cursor > behind)
    }
  }

  private func drain(_ descriptor: Int32) -> Int {
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    return read(descriptor, &buffer, buffer.count)
  }

  @Test(arguments: [30.0, 180.0])
  func `a turn says whether more is owed than it gave`(place: Double) throws {
    try withListener(at: place, burst: 10) { listener, heard in
      let start = listener.cursor
      // 160 KB in turns of 64 KiB.
      for _ in 0..<2 {
        guard case .servedInPart = serve(&listener) else {
          Issue.record("there is more")
          return
        }
        #expect(drain(heard) >= Gather.turnBytes)
        // What comes behind is held against its checksums.
        disk.turn()
      }
      guard case .served = serve(&listener) else {
        Issue.record("that was all")
        return
      }
      #expect(drain(heard) > 0)
      guard case .idle = serve(&listener) else {
        Issue.record("nothing is owed")
        return
      }
      let seconds = Double(listener.cursor - start) * 8 / 128_000
      #expect(seconds > 9 && seconds < 11)
    }
  }

  @Test func `a turn waits for what the disk has to fetch`() throws {
    try withListener(at: 30, burst: 2) { listener, heard in
      disk.disk.set { $0.isCold = true }
      guard case .waiting = serve(&listener) else {
        Issue.record("the disk has not answered")
        return
      }
      disk.turn()
      guard case .served = serve(&listener) else {
        Issue.record("the disk has answered")
        return
      }
      #expect(drain(heard) > 0)
    }
  }

  @Test func `a listener moved while a hole lies ahead waits no longer for that`() throws {
    let starts = segmentStarts(of: disk)
    lose(segment: starts[2])
    try withListener(at: 110, burst: 4) { listener, heard in
      var time = 0.0
      while listener.cursor < starts[2], time < 20 {
        time += 0.1
        _ = serve(&listener, at: time)
        disk.turn()
      }
      try #require(listener.cursor == starts[2], "it stands in front of the hole")
      let outcome = try fetched {
        let outcome = fanout.steer(
          &listener, .rewind(MediaTime(seconds: 110)), in: shard, now: Int64(nanosecondsIn: time))
        if case .loading = outcome { return Fanout.Steered?.none }
        return outcome
      }
      guard case .done = outcome else {
        Issue.record("\(outcome)")
        return
      }
      #expect(listener.cursor < starts[2])
      _ = drain(heard)
      for tenth in 1...20 {
        _ = serve(&listener, at: time + Double(tenth) / 10)
        disk.turn()
      }
      #expect(drain(heard) > 0)
    }
  }

  @Test func `a turn right behind a jump tells what is heard without what is in front`() throws {
    try withListener(at: 150, burst: 4) { listener, _ in
      _ = serve(&listener)
      let cursor = try #require(shard.reader.media(at: listener.cursor))
      // A second into a segment: what it plays until then would be in the one before.
      let time = cursor - MediaTime(seconds: 61)
      let outcome = try fetched {
        let outcome = fanout.steer(&listener, .rewind(time), in: shard, now: 0)
        if case .loading = outcome { return Fanout.Steered?.none }
        return outcome
      }
      guard case .done = outcome else {
        Issue.record("\(outcome)")
        return
      }
      let target = try #require(shard.reader.media(at: listener.cursor))
      #expect(abs(target.seconds - 61) < 0.1)
      let pace = fanout.playing(listener, cursor: target, rate: 1, now: 0)
      #expect(pace.playPoint < MediaTime(seconds: 59))
      #expect(fanout.heard(listener, pace, in: shard.reader) == listener.cursor)
    }
  }
}
