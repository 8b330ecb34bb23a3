import Threads

/// What storages have done since they were started.
public struct StorageFigures: Sendable {
  /// How long the turns took in which logs were written.
  public var turns = DurationCounts()
  /// How long single writes and syncs of files took.
  public var writes = DurationCounts()
  public var syncs = DurationCounts()
  /// Indexes and pieces of audio that readers wait for.
  public var loadsPending = 0

  public init() {}

  mutating func add(_ other: StorageFigures) {
    turns.add(other.turns)
    writes.add(other.writes)
    syncs.add(other.syncs)
    loadsPending += other.loadsPending
  }
}
