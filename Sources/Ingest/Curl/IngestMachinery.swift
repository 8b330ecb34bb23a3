import Reactor

/// What all stations of one ingest loop share: libcurl, timers, and who reads for them. Used on the loop's thread only.
struct IngestMachinery {
  let multi: CurlMulti
  let clock: LoopClock
  let desk: ReadingDesk
  private let authorities: AuthorityDesk
  let oddities: IngestOddities

  init(loop: EventLoop, oddities: IngestOddities) {
    self.oddities = oddities
    multi = CurlMulti(loop: loop)
    multi.scopes = oddities.scopes
    clock = LoopClock(loop: loop)
    desk = ReadingDesk(loop: loop, clock: clock, before: oddities.beforeReading)
    authorities = AuthorityDesk(loop: loop, clock: clock, before: oddities.beforeReading)
    multi.authorities = authorities
  }

  func close() {
    desk.close()
    authorities.close()
    multi.close()
    clock.close()
  }
}

/// What tests make otherwise than it is.
struct IngestOddities: Sendable {
  /// Where addresses can be reached from.
  var scopes: @Sendable (SocketAddress) -> AddressScope = { $0.scopeFromHere }
  /// Done on a reader's thread before it reads what came from this URL, or this file.
  var beforeReading: (@Sendable (String) -> Void)?
  /// What comes in drops for so long is no playlist.
  var playlistSecondsMax = 60.0
}
