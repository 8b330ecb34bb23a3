import Reactor
import Timeshift
import Wire

/// The parts of a loop that answer requests for HLS.
final class HLSGivers {
  let playlists: HLSPlaylists
  let pieces: HLSPieces
  let clips: HLSClips
  private let shared: SharedState

  init(_ connections: Connections, _ answers: Answers) {
    let readers = HLSReaders()
    playlists = HLSPlaylists(connections, answers)
    pieces = HLSPieces(connections, answers, readers)
    clips = HLSClips(connections, answers, readers)
    shared = connections.shared
  }

  /// Once a slot: answers what has waited for a piece, or for the disk.
  func serve(now: Int64) {
    playlists.serveWaits(now: now)
    pieces.serveWaits()
    clips.serveWaits()
  }

  /// Once a second.
  func attend(now: Int64) {
    shared.hls.audience.sweep(at: MonotonicTime(nanoseconds: now)) { client in
      shared.release(client)
      shared.hlsPlaces.release(AddressBlock(client))
    }
    pieces.readers.forget(now: now)
  }

  /// Answers at once what waits for a piece: the server stops.
  func endWaits() { playlists.endWaits() }

  func bear(_ nanoseconds: Int64) {
    playlists.bear(nanoseconds)
    pieces.bear(nanoseconds)
    clips.bear(nanoseconds)
  }
}

/// A station that plays, as a request finds it when it goes on.
struct HLSStation {
  let mount: Mount
  let source: HLSSource

  /// - Returns: nil for a station that is stopped or gone, and while the server stops.
  init?(_ id: String, _ connections: Connections) {
    guard let mount = connections.mounts.mount(station: id), !mount.isStopped,
      !connections.isDraining, let source = HLSSource(mount, in: connections.mounts)
    else { return nil }
    (self.mount, self.source) = (mount, source)
  }
}

/// A loop's readers of logs for HLS, one a log, kept for a while: a new one copies the log's lists.
final class HLSReaders {
  final class Held {
    let reader: LogReader
    /// Reads the log that has the titles.
    private let titles: LogReader
    private(set) var pieces: HLSSourcePieces
    private var stamp: HLSSource.Stamp
    fileprivate var usedAt: Int64

    init(_ source: HLSSource, _ now: Moment) {
      reader = LogReader(source.log, delay: source.delay, at: now)
      titles = source.original.map { LogReader($0, delay: source.delay, at: now) } ?? reader
      (stamp, pieces) = (source.stamp(at: now), source.pieces(at: now))
      usedAt = now.monotonic.nanoseconds
    }

    fileprivate func refresh(_ source: HLSSource, _ now: Moment) {
      reader.refresh(at: now)
      if titles !== reader { titles.refresh(at: now) }
      usedAt = now.monotonic.nanoseconds
      let newest = source.stamp(at: now)
      if newest == stamp { return }
      (stamp, pieces) = (newest, source.pieces(at: now))
    }

    /// The title that a piece begins with.
    func title(of piece: Piece) -> TitleMark? {
      piece.title.flatMap { titles.titleMark(at: $0) }
    }
  }

  private struct Key: Hashable {
    var log: UInt64
    var original: UInt64?
    var delay: MediaTime
  }

  private var held: [Key: Held] = [:]
  private static let keptNanoseconds: Int64 = 60_000_000_000

  /// Returns the reader of a log, as of now.
  func reader(_ source: HLSSource) -> Held {
    let now = Moment.now()
    let key = Key(
      log: source.log.serial, original: source.original?.serial, delay: source.delay)
    if let found = held[key] {
      found.refresh(source, now)
      return found
    }
    let made = Held(source, now)
    held[key] = made
    return made
  }

  func forget(now: Int64) {
    if held.isEmpty { return }
    held = held.filter { now - $0.value.usedAt < Self.keptNanoseconds }
  }
}
