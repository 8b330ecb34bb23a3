import Ingest
import Programmes
import Timeshift
import Wire

/// What the wall clock has to do with the item that plays: what cuts it, and what comes of a clock that is set.
extension ProgrammeFeed {
  /// Works out anew what cuts the item that plays: music, stations and rules may have come since it began.
  func findCut() {
    // A station that plays live plays until it ends.
    guard let playing, playing.planned?.why != .live else { return }
    let isEndless = isLive
    self.playing?.until = plan.cut(
      since: playing.cutsFrom ?? playing.began, at: Self.moment(),
      end: isEndless ? nil : playing.end, isEndless: isEndless)
  }

  /// Moves the moments of what plays: the clock was set, or stood still for it.
  func shift(by milliseconds: Int64) {
    playing?.move(by: milliseconds)
    if let onAir { self.onAir?.began = onAir.began.saturatingAdd(milliseconds) }
    if let madeLate { self.madeLate?.since = madeLate.since.saturatingAdd(milliseconds) }
  }

  /// The wall clock was set; what plays began as long ago as before.
  func follow(clockSetBy milliseconds: Int64) {
    let from = playing.map { $0.cutsFrom ?? $0.began }
    shift(by: milliseconds)
    restedAt = restedAt?.saturatingAdd(milliseconds)
    // What the clock has jumped over may still cut what plays.
    if let from, let began = playing?.began { playing?.cutsFrom = min(from, began) }
    plan.settle(at: Self.moment())
    findCut()
    look()
    memory.state = keptState
    goOn()
  }

  /// Whether music of the part that is on is waited for: its folders are being looked through since the start.
  func waitsForPart(at now: Moment) -> Bool {
    guard let begunAt, now.monotonic.seconds(since: begunAt) < Self.partPatience else {
      return false
    }
    return plan.awaitsPart(at: Self.moment(now))
  }
}
