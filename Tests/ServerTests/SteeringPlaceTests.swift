import TestSupport
import Testing
import Timeshift
import Wire

@testable import Server

/// What a session's remote control shows of its place.
struct SteeringPlaceTests {
  private let station = NumberedLog(
    log: PacketLog(memoryOnly: LogConfiguration(), at: .now()), seconds: 60)
  private let reader: LogReader

  init() { reader = LogReader(station.log) }

  private func shown(
    _ point: LogPoint, isPlaced: Bool = true, change: (inout SteeringPlace) -> Void = { _ in }
  ) -> SessionSnapshot? {
    var place = SteeringPlace(at: point, within: nil)
    change(&place)
    return place.snapshot(at: "jazz", .playing, isPlaced: isPlaced, in: reader)
  }

  /// A place 20 s behind the live edge.
  private var past: LogPoint {
    get throws {
      try #require(reader.point(atOrBefore: reader.edge.media - MediaTime(seconds: 20)))
    }
  }

  @Test func `a session in the past can go as far back and forward as there is audio`() throws {
    let past = try past
    let place = try #require(shown(past))
    #expect(place.canRewind && place.canForward)
    #expect(place.position == past.position && place.station == "jazz")
    #expect(place.offset == (reader.edge.media - past.media).seconds)
    #expect(place.forwardSeconds == place.offset)
    #expect(place.rewindSeconds == (past.media - reader.oldest.media).seconds)
    #expect(place.live == reader.air(at: reader.edge.media))
    #expect(place.oldest == reader.air(at: reader.oldest.media))
    #expect(place.title?.position == reader.titleMark(at: past.position)?.position)
  }

  @Test func `a session at the live edge cannot go forward, and at the oldest packet not back`()
    throws
  {
    let live = try #require(shown(reader.edge))
    #expect(live.canRewind && !live.canForward)
    #expect(live.offset == 0 && live.forwardSeconds == 0)
    let oldest = try #require(shown(reader.oldest))
    #expect(!oldest.canRewind && oldest.canForward && oldest.rewindSeconds == 0)
  }

  @Test func `a live listener cannot go forward, however far behind its player is`() throws {
    let place = try #require(shown(try past, isPlaced: false))
    #expect(!place.canForward && place.forwardSeconds == 0 && place.offset > 19)
  }

  @Test func `a player's unplayed audio counts as behind live, and no unknown place is shown`()
    throws
  {
    let past = try past
    let early = try #require(shown(past) { $0.playPoint = past.media - MediaTime(seconds: 5) })
    #expect(abs(early.offset - (reader.edge.media - past.media).seconds - 5) < 0.001)
    #expect(early.position == past.position)
    #expect(shown(past) { $0.heard = nil } == nil)
  }
}
