import Synchronization

/// Chooses the log that gives up some of its past when a disk is full.
extension Storage {
  /// A segment that a log could give up.
  private struct Offer {
    var open: OpenLog
    var oldest: SegmentInfo
    /// The bytes that the log has on the disk.
    var held: UInt64
    /// The length that the log would still have.
    var kept: MediaTime
    var reserve: MediaTime

    init?(_ open: OpenLog, on disk: Int64) {
      guard open.store.disk.load(ordering: .relaxed) == disk else { return nil }
      let lists = open.log.lists.withLock { $0 }
      guard let oldest = lists.segments.first, let newest = lists.active ?? lists.segments.last
      else { return nil }
      self.open = open
      self.oldest = oldest
      held = lists.bytesOnDisk
      kept = newest.end.media - oldest.end.media
      reserve = lists.reserve
    }
  }

  /// Frees the oldest segment of the largest log on this disk. On a tie the asking log gives.
  ///
  /// - Returns: false if no segment can be given up, or if another program would get the room.
  func giveUpOldest(for asking: OpenLog, at now: Int64) -> Bool {
    let disk = asking.store.disk.load(ordering: .relaxed)
    let others = openLogs.filter { $0.store !== asking.store }
    let offers = ([asking] + others).compactMap { Offer($0, on: disk) }
    guard let offer = offers.max(by: { $0.held < $1.held }) else { return false }
    let held = offers.reduce(0) { $0 + $1.held }
    let isOwnDisk = held > loader.files.room(offer.open.store.directory) / 2
    let isAllowed = relief.withLock { relief in
      relief[disk, default: DiskRelief()].mayGiveUp(
        DiskRelief.Offer(
          bytes: offer.oldest.bytes, kept: offer.kept, floor: offer.reserve, isOwnDisk: isOwnDisk),
        at: now)
    }
    guard isAllowed, offer.open.log.change({ $0.giveUpOldest() }) else { return false }
    offer.open.store.removeDoomed(offer.open.log)
    relief.withLock { $0[disk, default: DiskRelief()].gaveUp(offer.oldest.bytes, at: now) }
    let media = offer.oldest.end.media - offer.oldest.start.media
    givenUp.withLock { $0.append((offer.open.store, .gaveUp(media))) }
    return true
  }

  /// Counts bytes that a log has written to a disk.
  func wrote(_ bytes: UInt64, on disk: Int64) {
    relief.withLock { $0[disk, default: DiskRelief()].wrote(bytes) }
  }

  /// Reports the given-up segments to their logs, while no lock is held.
  func tellGivenUp() {
    let told = givenUp.withLock { givenUp in
      defer { givenUp = [] }
      return givenUp
    }
    for (store, event) in told { store.report(event) }
  }
}
