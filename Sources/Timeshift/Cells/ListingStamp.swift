import Synchronization
import Wire

/// What a list of pieces follows from, as far as that is known without making it. Lists with equal stamps are equal.
public struct ListingStamp: Hashable, Sendable {
  let log: UInt64
  let delay: MediaTime
  /// The cell, by the newest mark, up to which pieces are listed.
  let cell: Int64
  let mark: UInt64
  let titles: UInt64
  let oldest: UInt64
  let losses: Int
  let isSettled: Bool
}

extension PacketLog {
  /// What the list of pieces follows from at a moment. Costs one short lock.
  ///
  /// - Parameter delay: how much later than on air the mount plays.
  public func listing(delay: MediaTime = .zero, at now: Moment) -> ListingStamp {
    let air = delay > .zero ? lists.withLock(\.air) : AirTimes()
    let due = delay > .zero ? due(delay, at: now, in: air) ?? .zero : .max
    return lists.withLock { lists in
      let edge = min(due, lists.edge.media)
      let mark = lists.numbers.last { $0.media <= edge } ?? lists.numbers.first
      return ListingStamp(
        log: serial, delay: delay, cell: mark.map { $0.cell(at: edge - $0.settings.delay) } ?? 0,
        mark: mark?.position ?? 0, titles: lists.titlesVersion,
        oldest: lists.segments.first?.start.position ?? 0, losses: lists.holes + lists.damaged,
        isSettled: lists.run?.isSettled != false)
    }
  }
}
