import TestSupport
import Testing
import Timeshift
import Wire

@testable import Longwave

extension Sample {
  /// Summer time begins on 2027-03-28 at 01:00 UTC.
  private static let berlin = ZoneOffsets(
    name: "Europe/Berlin",
    changes: [.init(from: .min, offset: 3600), .init(from: 1_806_195_600, offset: 7200)])

  /// A minute of audio behind a gap, in a zone an hour ahead.
  static let timeline = StationTimeline(
    station: "jazz", zone: berlin, zoneSeconds: 3600,
    oldest: .init(media: 100, air: WallTime(seconds: 1_795_197_600), position: 1_600_000),
    live: .init(media: 160, air: WallTime(seconds: 1_795_197_670), position: 2_560_000),
    anchors: [
      (media: 90, air: WallTime(seconds: 1_795_197_590)),
      (media: 120, air: WallTime(seconds: 1_795_197_630)),
    ],
    gaps: [.init(media: 120, position: 1_920_000, seconds: 10, cause: "upstream-away")],
    titles: [
      heard(100, "Miles Davis - So What", at: 1_795_197_600, 1_600_000),
      heard(130, "John Coltrane - Naima", at: 1_795_197_640, 2_080_000),
    ])

  static func heard(
    _ media: Double, _ text: String, at seconds: Double, _ position: UInt64
  ) -> StationTimeline.Heard {
    var playing = NowPlaying(Title(text: text))
    (playing.since, playing.position) = (WallTime(seconds: seconds), position)
    return .init(media: media, playing: playing)
  }
}

@Suite struct StationTimelineTests {
  /// A station that pauses, between two titles.
  private static func station() -> (log: PacketLog, begin: Moment) {
    let begin = Moment.now()
    let log = PacketLog(memoryOnly: LogConfiguration(), at: begin)
    let format = AudioFormat(codec: .mp3, sampleRate: 44_100, channels: 2)
    func append(_ numbers: Range<UInt64>, at seconds: Double) {
      for number in numbers {
        log.append(NumberedFrames.frame(number).span, samples: 1152, format: format)
      }
      log.publish(at: begin.adding(seconds: seconds))
    }
    log.markTitle(Title(text: "One"))
    append(0..<1000, at: 26.12)
    log.markGap(seconds: 12, cause: .upstreamAway)
    log.markTitle(Title(text: "Two"))
    append(1000..<1400, at: 26.12 + 12 + 10.45)
    return (log, begin)
  }

  @Test func `titles, gaps and times on air are what the log has`() throws {
    let (log, begin) = Self.station()
    let timeline = StationTimeline(
      log.timeline(at: Moment.now()), of: "jazz", in: .utc, now: begin.wall)
    #expect(timeline.titles.map(\.playing.title) == ["One", "Two"])
    let gap = try #require(timeline.gaps.first)
    #expect(timeline.gaps.count == 1 && gap.seconds == 12 && gap.cause == "upstream-away")
    #expect(
      gap.media == timeline.titles[1].media && gap.position == timeline.titles[1].playing.position)
    // By the anchors, what is behind the gap was on air as much later as the gap is long.
    func air(_ media: Double) throws -> Double {
      let anchor = try #require(timeline.anchors.last { $0.media <= media })
      return anchor.air.adding(seconds: media - anchor.media).seconds(since: begin.wall)
    }
    let (before, behind) = (try air(gap.media - 0.001), try air(gap.media + 0.001))
    #expect(abs(behind - before - 12) < 0.5)
    #expect(abs(try air(timeline.live.media) - timeline.live.air.seconds(since: begin.wall)) < 0.01)
  }

  @Test func `a timeline from a position on has only the marks behind it`() {
    let rest = Sample.timeline.from(2_000_000)
    #expect(rest.gaps.isEmpty && rest.titles.map(\.media) == [130])
    #expect(rest.anchors.count == 2 && rest.live == Sample.timeline.live)
  }
}
