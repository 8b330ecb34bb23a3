import Timeshift

// How the windows of the stations share the disk.
extension StationTable {
  /// Number of stations with a log of their own.
  var ownLogCount: Int { byID.values.count { $0.definition.hasOwnLog } }

  /// Returns the share of the disk for one of `count` stations.
  func diskShare(_ count: Int) -> DiskShare {
    DiskShare(
      bytes: configuration.timeshift.diskLimit / UInt64(max(1, count)),
      reserve: configuration.timeshift.diskReserve)
  }

  /// Shares the disk anew after a station came, went or changed: a window that gets less gives up its oldest part.
  func shareDisk() {
    let share = diskShare(ownLogCount)
    for station in byID.values {
      guard let log = station.ownLog else { continue }
      let kept = share.configuration(window: window(of: station.definition))
      log.retain(kept.retention, bytes: kept.retentionBytes, reserve: kept.reserve)
    }
  }
}
