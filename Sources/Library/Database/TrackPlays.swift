import Synchronization
import Timeshift
import Wire

/// How often each track was played, and when last, of the plays that are kept. In memory, so that a list of tracks costs no
/// look at all plays.
public final class TrackPlays: Sendable {
  public struct Count: Hashable, Sendable {
    public var plays: Int
    /// When the newest play began, in milliseconds since 1970.
    var newest: Int64

    public var last: WallTime { WallTime(milliseconds: newest) }

    init(plays: Int, newest: Int64) { (self.plays, self.newest) = (plays, newest) }
  }

  /// More tracks are not counted: 64 MB.
  private static let tracksMax = 1_000_000

  private let counts = Mutex<[TrackKey: Count]>([:])

  public init() {}

  /// nil: it was not played.
  public subscript(track: TrackKey) -> Count? { counts.withLock { $0[track] } }

  /// Takes what a database has, in place of all that is known.
  func use(_ counts: [TrackKey: Count]) { self.counts.withLock { $0 = counts } }

  /// Counts a play more.
  func add(_ track: TrackKey, at moment: Int64) {
    counts.withLock { counts in
      guard counts[track] != nil || counts.count < Self.tracksMax else { return }
      let known = counts[track] ?? Count(plays: 0, newest: 0)
      counts[track] = Count(
        plays: known.plays.saturatingAdd(1), newest: max(known.newest, moment))
    }
  }

  /// Takes back an old play that is not kept any more.
  func remove(_ track: TrackKey) {
    counts.withLock { counts in
      guard let known = counts[track] else { return }
      counts[track] =
        known.plays > 1 ? Count(plays: known.plays - 1, newest: known.newest) : nil
    }
  }
}
