import Reactor

/// The parts that all stations of one ingest loop share: libcurl, timers, and the readers for them. Used on the
/// loop's thread only.
struct IngestMachinery {
  let loop: EventLoop
  let multi: CurlMulti
  let clock: LoopClock
  let readingPool: ReadingPool
  let programs: ProgramRunner
  private let authorities: AuthorityReader
  let oddities: IngestOddities

  init(loop: EventLoop, oddities: IngestOddities) {
    self.oddities = oddities
    self.loop = loop
    programs = ProgramRunner(loop: loop)
    multi = CurlMulti(loop: loop)
    multi.scopes = oddities.scopes
    clock = LoopClock(loop: loop)
    readingPool = ReadingPool(loop: loop, clock: clock, before: oddities.beforeReading)
    authorities = AuthorityReader(loop: loop, clock: clock, before: oddities.beforeReading)
    multi.authorities = authorities
  }

  func close() {
    programs.close()
    readingPool.close()
    authorities.close()
    multi.close()
    clock.close()
  }
}

/// Settings that only tests change.
struct IngestOddities: Sendable {
  /// The scope of each address: from where it can be reached.
  var scopes: @Sendable (SocketAddress) -> AddressScope = { $0.scopeFromHere }
  /// Runs on a reader's thread before it reads data from this URL, or this file.
  var beforeReading: (@Sendable (String) -> Void)?
  /// A body that trickles in for this many seconds is no playlist.
  var playlistSecondsMax = 60.0
  /// The longest wait in seconds while somebody waits for a station, unless the upstream asks for more.
  var awaitedDelayMax = 10.0
}
