import TestSupport
import Testing
import Timeshift
import Wire

@testable import Server

/// Where a session goes on in a log that began anew.
struct PlacementTests {
  private let began = Moment.now()
  private let station: NumberedLog

  init() {
    var window = LogConfiguration()
    window.windowBytes = 4 << 20
    station = NumberedLog(log: PacketLog(memoryOnly: window, at: began), seconds: 0)
  }

  /// Packets a second.
  private static let pace = 44_100.0 / 1152

  private func append(_ seconds: Double, at time: Double) {
    station.append(UInt64(seconds * Self.pace), at: began.adding(seconds: time))
  }

  /// Seconds in front of the log's beginning in time that the session goes on; nil: it waits.
  private func resumed(from air: Double, at time: Double?) -> Double? {
    let reader = LogReader(station.log)
    let moment = time.map { began.adding(seconds: $0).monotonic }
    return Placement.resume(
      at: 1 << 40, air: began.adding(seconds: air).wall, log: nil, burst: .zero, in: reader,
      now: moment
    ).map { reader.air(at: $0.start.media).seconds(since: began.wall) }
  }

  @Test func `a newcomer's burst does not reach over a change of the sample rate`() throws {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: began)
    let writer = try #require(log.writer())
    for (rate, count) in [(44_100, 200), (48_000, 80)] {
      let format = AudioFormat(codec: .mp3, sampleRate: rate, channels: 2)
      let frame = NumberedFrames.frame(0)
      for _ in 0..<count { writer.append(frame.span, samples: 1152, format: format) }
    }
    writer.publish(at: began)
    let reader = LogReader(log)
    let place = try #require(Placement.find(.live, burst: MediaTime(seconds: 5), in: reader))
    #expect(reader.format(at: place.start.position)?.sampleRate == 48_000)
    #expect(abs(place.offset - 80 * 1152 / 48_000) < 0.01)
  }

  @Test func `a relay goes on where it asks to, a minute back at most, and gets that at once`()
    throws
  {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: began)
    let writer = try #require(log.writer())
    let frame = NumberedFrames.frame(0)
    func append(_ codec: Codec, _ count: Int) {
      let format = AudioFormat(codec: codec, sampleRate: 48_000, channels: 2)
      for _ in 0..<count { writer.append(frame.span, samples: 1152, format: format) }
      writer.publish(at: began)
    }
    append(.mp3, 400)
    let reader = LogReader(log)
    let burst = MediaTime(seconds: 4)
    let bytes = UInt64(frame.count)
    func resumed(_ known: Range<UInt64>, log: LogID? = nil) throws -> Placement {
      reader.refresh()
      let live = try #require(Placement.find(.live, burst: burst, in: reader))
      let known = known.lowerBound * bytes..<known.upperBound * bytes
      let resume = RelayResume(log: log ?? reader.logID, known: known)
      return try #require(live.resuming(resume, in: reader))
    }
    let place = try resumed(90..<100)
    #expect(place.start.position == 90 * bytes)
    // All of it is burst, so none of it is lag.
    #expect(abs(place.burst.seconds - 310 * 0.024) < 0.01)
    let usual = try #require(Placement.find(.live, burst: burst, in: reader))
    for known: Range<UInt64> in [390..<400, 500..<510] {
      #expect(try resumed(known).start == usual.start)
    }
    #expect(try resumed(90..<100, log: .random()).start == usual.start)
    // Behind a change of the codec nothing of the other one is sent again.
    append(.aac, 300)
    #expect(try resumed(390..<400).start.position == 400 * bytes)
    #expect(try resumed(380..<390).start.position == 380 * bytes)
    append(.aac, 2900)
    #expect(try resumed(600..<610).start.position > 3000 * bytes)
  }

  @Test(arguments: [
    // Offset, slack, where the relay wants to go on, and where it does: seconds behind live.
    (0.0, 30.0, 50.0, 4.0), (0, 30, 29, 29), (0, 1, 10, 4), (20, 30, 45, 45), (20, 30, 55, 20),
    (3600, 30, 50, 50), (2, 1, 10, 4),
  ])
  func `a relay goes on no further back than the station's listeners may be`(
    offset: Double, slack: Double, wanted: Double, found: Double
  ) throws {
    append(120, at: 0)
    let reader = LogReader(station.log)
    let live = try #require(Placement.find(.live, burst: MediaTime(seconds: 4), in: reader))
    func resumed(within reach: Reach?) throws -> Placement {
      let from = try #require(
        reader.point(atOrBefore: reader.edge.media - MediaTime(seconds: wanted)))
      let resume = RelayResume(log: reader.logID, known: from.position..<(from.position + 1))
      return try #require(live.resuming(resume, in: reader, within: reach))
    }
    let reach = Reach(offset: MediaTime(seconds: offset), slack: MediaTime(seconds: slack))
    #expect(abs(try resumed(within: reach).offset - found) < 0.1)
    #expect(abs(try resumed(within: nil).offset - wanted) < 0.1)
  }

  @Test func `a session's place is known once the new log's burst is over`() throws {
    append(1, at: 0)
    #expect(resumed(from: -3, at: 0) == nil)
    append(6, at: 0.2)
    #expect(resumed(from: -3, at: 0.3) == nil)
    append(13, at: 0.6)
    append(0.3, at: 0.9)
    #expect(resumed(from: -3, at: 0.95) == nil)
    append(0.3, at: 1.2)
    let place = try #require(resumed(from: -3, at: 1.2))
    #expect(abs(place + 3) < 0.1)
    // Older than the burst: from its beginning on.
    #expect(try abs(#require(resumed(from: -30, at: 1.2)) + 19.4) < 0.3)
  }

  @Test(arguments: [2, 20])
  func `a session goes on at its packet in the log that it left, whatever its time says`(
    seconds: Double
  ) throws {
    append(2, at: 0)
    let reader = LogReader(station.log)
    let left = (reader.edge, reader.air(at: reader.edge.media))
    // The rest of the burst: all of it was on air earlier than had been thought.
    append(seconds, at: 0.5)
    reader.refresh()
    if seconds > 2 {
      #expect(reader.air(at: left.0.media).seconds(since: left.1) < -10)
    }
    func start(_ log: UInt64?) throws -> LogPoint {
      try #require(
        Placement.resume(
          at: left.0.position, air: left.1, log: log, burst: .zero, in: reader)
      ).start
    }
    #expect(try start(station.log.serial) == left.0)
    // Of another log only the time is known.
    #expect(try start(station.log.serial + 1) == start(nil))
    #expect(try (start(nil) == left.0) == (seconds == 2))
  }

  @Test func `a session whose place the log has given up goes on at the oldest packet`() throws {
    var window = LogConfiguration()
    window.windowBytes = 128 << 10
    let station = NumberedLog(log: PacketLog(memoryOnly: window, at: began), seconds: 0)
    for second in 0..<60 { station.append(40, at: began.adding(seconds: Double(second))) }
    let reader = LogReader(station.log)
    try #require(reader.oldest.position > 0)
    let place = Placement.resume(
      at: 10, air: began.wall, log: station.log.serial, burst: .zero, in: reader)
    #expect(place?.start == reader.oldest)
  }

  @Test func `a session over a slow line waits for its place a few seconds at most`() {
    for step in 0..<41 { append(0.2, at: Double(step) / 10) }
    #expect(resumed(from: -3, at: nil) != nil)
    #expect(resumed(from: -3, at: 3.9) == nil)
    #expect(resumed(from: -3, at: 4) != nil)
  }

  @Test func `audio that comes at its own pace keeps no session waiting`() {
    for step in 0..<10 { append(0.1, at: Double(step) / 10) }
    #expect(resumed(from: -3, at: 0.95) != nil)
  }
}
