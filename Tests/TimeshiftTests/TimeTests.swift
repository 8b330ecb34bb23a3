import TestSupport
import Testing

@testable import Timeshift

@Suite struct TimeTests {
  let clock = ManualClock()

  @Test func `seconds behind live is the last packet boundary at or before`() {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: clock.now)
    log.feed(1000, at: clock.now)
    let reader = LogReader(log)
    for behind in [0.0, 0.01, 1, 3.7, 10, 26] {
      let wanted = reader.edge.media - MediaTime(seconds: behind)
      guard let point = reader.point(atOrBefore: wanted) else {
        Issue.record("memory answers at once")
        return
      }
      #expect(point.position % 417 == 0)
      #expect(point.media <= wanted)
      #expect(wanted < point.media + TestPacket.duration)
      #expect(reader.media(at: point.position) == point.media)
    }
    #expect(reader.point(atOrBefore: reader.edge.media + MediaTime(seconds: 9)) == reader.edge)
    #expect(reader.point(atOrBefore: MediaTime(flicks: -5)) == reader.oldest)
  }

  @Test
  func `span points are packet boundaries, never later than asked and at most half a second early`()
  {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: clock.now)
    log.feed(1000, at: clock.now)
    let reader = LogReader(log)
    var points: Set<UInt64> = []
    for step in 0..<2600 {
      let media = MediaTime(seconds: Double(step) / 100)
      guard let point = reader.spanPoint(atOrBefore: media) else {
        Issue.record("memory answers at once")
        return
      }
      #expect(point.position % 417 == 0)
      #expect(point.media <= media)
      #expect((media - point.media).seconds <= 0.5)
      points.insert(point.position)
    }
    #expect(points.count <= 4 * 26 + 1, "they are few")
  }

  @Test func `span points of packets longer than a quarter second are those packets`() {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: clock.now)
    for _ in 0..<20 {
      log.append([UInt8](repeating: 1, count: 8000).span, samples: 22050, format: TestPacket.format)
    }
    log.publish(at: clock.now)
    let reader = LogReader(log)
    for step in 0..<100 {
      let media = MediaTime(seconds: Double(step) / 10)
      #expect(reader.spanPoint(atOrBefore: media) == reader.point(atOrBefore: media))
    }
  }

  @Test func `a moment on air is found again, and in a gap it is the first packet after it`() {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: clock.now)
    let start = clock.now.wall
    log.feed(seconds: 8, by: clock)
    let gapStart = clock.now.wall
    clock.advance(seconds: 5)
    log.markGap(seconds: 5, cause: .upstreamAway)
    let gapPosition = log.writerPosition
    log.feed(seconds: 8, by: clock)
    let reader = LogReader(log)
    let third = reader.point(at: start.advanced(3))
    #expect(abs((third?.media.seconds ?? 0) - 3) < 0.06)
    #expect(reader.point(at: gapStart.advanced(2.5))?.position == gapPosition)
    #expect(reader.point(at: start.advanced(-100)) == reader.oldest)
    #expect(reader.point(at: clock.now.wall.advanced(100)) == reader.edge)
    let late = reader.point(at: gapStart.advanced(5 + 2))
    #expect(abs((late?.media.seconds ?? 0) - 10) < 0.1)
  }

  @Test func `the later of two packets for one moment is found`() {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: clock.now)
    log.feed(seconds: 10, by: clock)
    clock.stepWall(seconds: -4)
    log.feed(seconds: 10, by: clock)
    let reader = LogReader(log)
    // What was 2 s before the step is on air a second time 2 s after it.
    let twice = clock.now.wall.advanced(-8)
    let found = reader.point(at: twice)?.media.seconds ?? 0
    #expect(abs(found - 12) < 0.6)
    #expect(reader.air(at: reader.edge.media).distance(to: clock.now.wall) < 0.1)
  }

  @Test func `a clock that steps ahead leaves a gap whose first packet after is found`() {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: clock.now)
    log.feed(seconds: 10, by: clock)
    let before = clock.now.wall
    clock.stepWall(seconds: 3600)
    log.feed(seconds: 10, by: clock)
    let reader = LogReader(log)
    let found = reader.point(at: before.advanced(1800))?.media.seconds ?? 0
    #expect(abs(found - 10) < 0.6)
  }

  @Test func `a join burst is in the past, not all at the moment it came`() {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: clock.now)
    for _ in 0..<10 {
      log.feed(100, at: clock.now)
      clock.advance(seconds: 0.01)
    }
    let reader = LogReader(log)
    let edge = reader.edge.media
    #expect(reader.air(at: edge).distance(to: clock.now.wall) < 0.02)
    let early = reader.air(at: .zero)
    #expect(abs(early.distance(to: clock.now.wall) - edge.seconds) < 0.02)
  }
}

extension WallTime {
  func advanced(_ seconds: Double) -> WallTime {
    adding(seconds: seconds)
  }

  /// Seconds to the other, as a length.
  func distance(to other: WallTime) -> Double {
    abs(other.seconds(since: self))
  }
}
