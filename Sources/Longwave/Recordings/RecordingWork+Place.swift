import Timeshift
import Wire

// Where a recording of an earlier process goes on: that one may have told positions that the disk never got, and media
// times that count from elsewhere.
extension RecordingWork {
  /// As it is kept.
  func place(_ point: LogPoint) -> RecordingEntry.Place {
    RecordingEntry.Place(
      point, air: reader.air(at: point.media), past: past(before: point.position))
  }

  /// nil: what a folder has comes in front of it yet, with a gap between.
  private func past(before position: UInt64) -> RecordingEntry.Past? {
    if log.isAwaitingFolder { return nil }
    let limit = max(
      reader.oldest.position, position - min(position, Self.lostBytesMax))
    let start = min(reader.unbrokenStart(from: limit), position)
    let gaps = reader.gapMarks(in: start..<position, newest: RecordingEntry.Past.gapsMax)
      .map { RecordingEntry.Past.Gap(position: $0.position, seconds: $0.seconds) }
    let isAll = gaps.count < RecordingEntry.Past.gapsMax
    return RecordingEntry.Past(start: isAll ? start : gaps[0].position, gaps: gaps)
  }

  /// Where the log goes on with other audio than it had when the place was told: a crash took what was in front of it,
  /// and another process began there. nil: nowhere.
  private var parting: UInt64? {
    guard let place = entry.place, let past = place.past, past.start < place.position else {
      return nil
    }
    // What both have is in front of it.
    let isNew: (GapMark) -> Bool = {
      !past.gaps.contains(.init(position: $0.position, seconds: $0.seconds))
    }
    return reader.gapMarks(in: past.start..<place.position).reversed().prefix(while: isNew).last?
      .position
  }

  /// Bytes behind the log's end that a crash may have taken from it; what is further off was never on the disk.
  private static let lostBytesMax: UInt64 = 16 << 20

  /// Finds the next packet in the log.
  ///
  /// - Returns: false: not yet.
  func settle() -> Bool {
    guard let cursor, let air = entry.place?.air.map({ WallTime(stored: $0) }) else {
      isSettled = true
      return true
    }
    if let floor { return goOn(at: air, behind: floor) }
    if let parting {
      guard let point = reader.point(holding: parting) else { return false }
      // The log may have a hole there by now.
      if let cut, cut.position == parting {
        entry.missedSeconds += max(0, (point.media - cut.media).seconds)
      }
      return go(to: point)
    }
    if let cut {
      isSettled = cursor.position - cut.position <= Self.lostBytesMax
      if isSettled { return true }
      return goOn(at: air)
    }
    // What is in the folder comes yet, and then it is known how that goes on. What leaves the memory meanwhile is gone.
    if log.isAwaitingFolder, cursor.position < log.start.position,
      reader.oldest.position == log.start.position
    {
      return false
    }
    guard let position = inJoint(cursor.position) else { return goOn(at: air) }
    if position > reader.edge.position, reader.joint != nil { return false }
    guard let point = reader.point(holding: position) else { return false }
    if point.position == position { return go(to: point) }
    // In a hole of the log the clock, which may have been set, has no say.
    if position == cursor.position, position < point.position, position >= reader.oldest.position {
      entry.missedSeconds += max(0, (point.media - cursor.media).seconds)
      return go(to: point)
    }
    return goOn(at: air)
  }

  /// Where a packet went that the folder has lost and that came again; nil: it did not.
  private func inJoint(_ position: UInt64) -> UInt64? {
    guard let joint = reader.joint, position >= joint.end.position,
      position < joint.next.position
    else { return position }
    let lost = position - joint.end.position
    if joint.gap != nil || lost > Self.lostBytesMax { return nil }
    let again = joint.next.position + lost
    return again > reader.edge.position || reader.packetEnd(after: again) == again ? again : nil
  }

  /// Seconds that came neither to the folder nor to memory, where a recording steps over them.
  func missedInJoint(from cursor: LogPoint, to next: LogPoint) -> Double {
    guard let joint = reader.joint, let gap = joint.gap, cursor.position <= joint.end.position,
      next.position >= joint.next.position
    else { return 0 }
    return gap.seconds
  }

  /// Seconds: what a crash takes from the disk is less.
  private static let clockMax = 120.0

  /// Whether the wall clock was set back since: what has come would count as older for as long.
  private func isBehind(_ air: WallTime) -> Bool {
    reader.edge.position > log.start.position
      && air.seconds(since: reader.air(at: reader.edge.media)) > Self.clockMax
  }

  /// Positions only grow: what came in this life of the log comes behind.
  private func goOnFromStart() -> Bool {
    let start = max(log.start.position, reader.oldest.position)
    guard let cursor, cursor.position <= start, let point = reader.point(holding: start) else {
      return false
    }
    return go(to: point)
  }

  /// The log was another one: behind where that ends, and with what was on air later. False: it has not come yet.
  private func goOn(at air: WallTime, behind floor: LogPoint) -> Bool {
    // With the first packet behind it the log has a time for what comes.
    guard reader.edge.position > floor.position else { return false }
    let ahead = MediaTime(seconds: max(0, air.seconds(since: reader.air(at: floor.media))))
    guard reader.edge.media >= floor.media + ahead,
      let point = reader.point(atOrBefore: floor.media + ahead)
    else { return false }
    self.floor = nil
    return go(to: point.position < floor.position ? floor : point)
  }

  /// From here on the place is known: what fails goes back to it, and not to what the place was before.
  func go(to point: LogPoint) -> Bool {
    (cursor, titlePosition, cut, isSettled) = (point, point.position, nil, true)
    keepPlace()
    synced = entry
    return true
  }

  /// The packet is not in the log: on with what was on air behind it. False: nothing of it has come yet.
  private func goOn(at air: WallTime) -> Bool {
    endBefore = nil
    if isBehind(air) { return goOnFromStart() }
    guard reader.air(at: reader.edge.media) > air,
      let next = reader.firstPoint(atOrAfter: air)
    else { return false }
    entry.missedSeconds += max(0, reader.air(at: next.media).seconds(since: air))
    return go(to: next)
  }
}
