import TestSupport
import Testing
import Wire

@testable import Timeshift

/// A log that is written without an upstream.
@Suite struct FeedTests {
  let clock = ManualClock()

  private func feed(lead: Double? = nil, piece: Double = 0.25) -> Feed {
    Feed(
      LogWriter(memoryOnly: LogConfiguration(), at: clock.now), lead: lead, piece: piece)
  }

  private func append(_ count: Int, to feed: Feed) {
    for _ in 0..<count {
      feed.append(
        TestPacket.at(feed.edge.position).span, samples: TestPacket.samples,
        format: TestPacket.format, at: clock.now)
    }
    feed.publish(at: clock.now)
  }

  /// As much as there is room for; returns how many packets.
  private func fill(_ feed: Feed) -> Int {
    var packets = 0
    while feed.pause(at: clock.now) == nil, packets < 100_000 {
      append(1, to: feed)
      packets += 1
    }
    return packets
  }

  @Test func `a feed's titles, gaps and headers are read at their packets`() throws {
    let feed = feed()
    feed.markTitle(Title(text: "A"))
    append(2, to: feed)
    feed.markTitle(Title(text: "A"))
    feed.markGap(seconds: 2, cause: .upstreamJumped)
    feed.markHeaders([1, 2, 3])
    append(1, to: feed)
    let tap = Tap(feed.log, from: .oldest)
    var read: [String] = []
    while case .item(let item) = tap.read() {
      switch item {
      case .packet(let packet): read.append("packet \(packet.start.position)")
      case .title(let mark): read.append("title \(mark.title.text)")
      case .gap(let mark): read.append("gap \(mark.seconds)")
      case .format(let mark): read.append("headers \(mark.headers.count)")
      case .missed: read.append("missed")
      }
    }
    #expect(
      read == [
        "headers 0", "title A", "packet 0", "packet 417", "headers 3", "gap 2.0", "packet 834",
      ])
  }

  @Test func `an unpaced feed takes whatever comes`() {
    let feed = feed()
    append(5000, to: feed)
    #expect(feed.pause(at: clock.now) == nil && feed.behind(at: clock.now) == 0)
    #expect(feed.log.edge.media > MediaTime(seconds: 100))
  }

  @Test func `a paced feed is full at its lead, then takes as much as time passes`()
    throws
  {
    let feed = feed(lead: 2)
    // 2 s are 76.6 packets.
    #expect(fill(feed) == 77)
    #expect(try #require(feed.pause(at: clock.now)) == 0.25)
    clock.advance(seconds: 1)
    #expect(feed.pause(at: clock.now) == nil)
    #expect((38...39).contains(fill(feed)))
  }

  @Test func `a feed that is fed late neither drifts nor stops`() {
    let feed = feed(lead: 5, piece: 0.1)
    _ = fill(feed)
    let start = clock.now
    for round in 0..<10_000 {
      clock.advance(seconds: 0.1 + Double(round % 7) * 0.03)
      #expect(feed.behind(at: clock.now) == 0)
      _ = fill(feed)
    }
    let passed = clock.now.monotonic.seconds(since: start.monotonic)
    let ahead = feed.edge.media.seconds - passed
    #expect((4.999...5.03).contains(ahead), "\(ahead)")
  }

  @Test func `a feed late by less than its lead catches up, and leaves no gap`() {
    let feed = feed(lead: 5)
    _ = fill(feed)
    clock.advance(seconds: 4.9)
    #expect(feed.behind(at: clock.now) == 0)
    #expect((187...189).contains(fill(feed)))
  }

  @Test(arguments: [false, true])
  func `a feed behind real time tells how far and does not catch up, also after sleep`(
    sleeps: Bool
  ) {
    let feed = feed(lead: 5)
    _ = fill(feed)
    let ahead = feed.edge.media.seconds
    if sleeps { clock.sleep(seconds: 3600) } else { clock.advance(seconds: 3600) }
    #expect(abs(feed.behind(at: clock.now) - (3600 - ahead)) < 0.001)
    #expect((190...192).contains(fill(feed)))
    #expect(feed.behind(at: clock.now) == 0)
  }

  @Test func `a log whose feed has ended may be written by another`() throws {
    let feed = feed()
    append(3, to: feed)
    #expect(feed.log.writer() == nil)
    feed.end()
    append(3, to: feed)
    let next = Feed(try #require(feed.log.writer()))
    append(2, to: next)
    #expect(next.log.edgePosition == 5 * UInt64(TestPacket.bytes))
  }

  @Test func `silence is fed packet by packet`() {
    let feed = feed(lead: 1)
    let packet = SilentPacket(
      bytes: TestPacket.at(0), samples: TestPacket.samples, format: TestPacket.format)
    while feed.pause(at: clock.now) == nil { feed.append(packet, at: clock.now) }
    feed.publish(at: clock.now)
    #expect(feed.log.edgePosition == 39 * UInt64(TestPacket.bytes))
  }
}
