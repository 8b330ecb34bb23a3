import Timeshift
import Wire

// How far a recording may go now: its time, its titles and its room.
extension RecordingWork {
  /// How far it may go now.
  struct Goal {
    var point: LogPoint
    var isLast: Bool
  }

  /// False: what it begins with has not come yet.
  func begin() -> Bool {
    if !isSettled {
      guard settle() else { return false }
    }
    if let endBefore, end == nil {
      end = reader.point(holding: endBefore)
      if end == nil { return false }
    }
    if let cut { return goOn(from: cut) }
    guard cursor == nil else { return true }
    let from = entry.options.from.map { WallTime(stored: $0) }
    if let from, reader.air(at: reader.edge.media) < from { return false }
    cursor = from.map { reader.firstPoint(atOrAfter: $0) } ?? reader.edge
    titlePosition = cursor?.position ?? 0
    synced.place = cursor.map { place($0) }
    return true
  }

  /// What the log has lost comes again, if the upstream can be stitched to it; else it goes on with what comes instead.
  private func goOn(from cut: LogPoint) -> Bool {
    guard let lost = cursor else { return true }
    let seam = cut.position == 0 ? 0 : reader.gapPosition(after: cut.position - 1)
    if seam >= lost.position, reader.edge.position < lost.position { return false }
    // A log that has given up all before the cut does not say any more whether there is a gap.
    let isStitched =
      seam >= lost.position && reader.oldest.position < cut.position
      && reader.packetEnd(after: lost.position) == lost.position
    guard isStitched else { return go(to: cut) }
    guard let point = reader.point(holding: lost.position) else { return false }
    return go(to: point)
  }

  /// Its schedule is another one; what has been begun is named and written as it was.
  func use(_ schedule: RecordingEntry.Schedule) {
    entry.schedule = schedule
    entry.options.until = schedule.airing.endTime.stored
  }

  /// nil: something is being fetched from the disk.
  func goal(_ isEnding: Bool, _ now: WallTime) -> Goal? {
    var goal = Goal(point: reader.edge, isLast: isEnding)
    if let until = endTime, mayEnd,
      reader.air(at: reader.edge.media) >= until || isOverdue(now)
    {
      guard let point = reader.firstPoint(atOrAfter: until) else { return nil }
      goal = Goal(point: point, isLast: true)
    }
    guard let end, end.position <= goal.point.position else { return goal }
    return Goal(point: end, isLast: true)
  }

  /// Where a file ends; `next`: where the one behind it begins, and its title; nil: nowhere yet.
  struct End {
    var point: LogPoint
    var next: LogPoint?
    var title: UInt64 = 0
  }

  /// nil: something is being fetched.
  func fileEnd(before goal: Goal) -> End? {
    guard let clip else { return nil }
    var end = End(point: goal.point)
    let change = reader.nextFormatPosition(after: clip.start.position)
    if change <= goal.point.position {
      guard let media = self.media(at: change) else { return nil }
      let point = LogPoint(position: change, media: media)
      end = End(point: point, next: point, title: change)
    }
    guard entry.options.splits, canSplit() else { return end }
    guard let reach = titleReach,
      let (title, media) = nextTitle(before: min(end.point.position, reach))
    else { return nil }
    guard title <= end.point.position else { return end }
    let point = LogPoint(position: title, media: media)
    let overlap = MediaTime(seconds: entry.options.overlap)
    if overlap == .zero { return End(point: point, next: point, title: title) }
    guard let after = reader.point(atOrBefore: media + overlap),
      let before = reader.point(atOrBefore: media - overlap)
    else { return nil }
    // Not all of what goes on behind the title is here yet.
    if !goal.isLast, media + overlap > goal.point.media { return end }
    let next = before.position < clip.start.position ? clip.start : before
    return End(
      point: after.position < end.point.position ? after : end.point, next: next, title: title)
  }

  /// Seconds that a title has to last for the next one to begin a file: an upstream says how often it changes them.
  private static let titleSecondsMin = 1.0

  /// As far as titles are looked for now. nil: something is being fetched.
  private var titleReach: UInt64? {
    guard let cursor else { return nil }
    let overlap = MediaTime(seconds: entry.options.overlap)
    if overlap == .zero { return piece(from: cursor)?.position }
    return reader.point(atOrBefore: cursor.media + Self.piece + overlap)?.position
  }

  /// Of where a segment begins it is known without the disk.
  private func media(at position: UInt64) -> MediaTime? {
    reader.media(ofBoundary: position) ?? reader.media(at: position)
  }

  /// When the title begins that the file is named after. nil: that is being fetched.
  private var titleStart: MediaTime? {
    if let known = titleBegun, known.position == titlePosition { return known.media }
    guard let media = reader.media(at: titlePosition) else { return nil }
    titleBegun = LogPoint(position: titlePosition, media: media)
    return media
  }

  /// The next title that begins a file; `.max`: none before `end`. nil: something is being fetched.
  private func nextTitle(before end: UInt64) -> (position: UInt64, media: MediaTime)? {
    guard let begun = titleStart else { return nil }
    let earliest = begun + MediaTime(seconds: Self.titleSecondsMin)
    let title = reader.nextTitlePosition(after: titlePosition)
    guard title <= end else { return (.max, .max) }
    guard let media = self.media(at: title) else { return nil }
    if media >= earliest { return (title, media) }
    guard let point = reader.point(atOrBefore: earliest) else { return nil }
    let later = reader.nextTitlePosition(after: max(title, point.position))
    guard later <= end else { return (.max, .max) }
    return self.media(at: later).map { (later, $0) }
  }

  private func canSplit() -> Bool {
    if entry.fileCount + 1 < RecordingEntry.filesMax { return true }
    entry.reason = "it has the \(RecordingEntry.filesMax) files it may; all else is in the last"
    return false
  }

  /// Pieces after which it is known how far it has come, so that what is lost later is counted right.
  private static let piece = MediaTime(seconds: 10)

  /// nil: something is being fetched.
  func step(from place: LogPoint, to end: LogPoint) -> LogPoint? {
    // What is in front of a hole is not missing.
    if let hole = reader.hole(after: place.position), hole.position > place.position,
      hole.position < end.position
    {
      return step(from: place, upTo: hole)
    }
    return step(from: place, upTo: end)
  }

  private func step(from place: LogPoint, upTo end: LogPoint) -> LogPoint? {
    // No further than titles are looked for.
    guard let step = piece(from: place) else { return nil }
    return step.position > place.position && step.position < end.position ? step : end
  }

  /// Ends with the segment: each one more that has to be there at the same moment is one that others may have put away by
  /// then. nil: something is being fetched.
  private func piece(from place: LogPoint) -> LogPoint? {
    let far = place.media + Self.piece
    if let end = reader.segmentEnd(after: place.position), end.media <= far { return end }
    return reader.point(atOrBefore: far)
  }

  // MARK: How much

  /// Bytes it may still write; nil: no matter how many.
  var room: Int64? { entry.room.map { $0 - bytesAhead } }

  /// As far towards `end` as there is room for whole packets. nil: something is being fetched.
  func fitting(_ end: LogPoint) -> LogPoint? {
    guard let room, let clip else { return end }
    let last = clip.start.position + UInt64(max(0, Int64(offset - clip.head.count) + room))
    if last >= end.position { return end }
    // Further on: what there was room for ends at a hole, behind which is another clip.
    return reader.point(holding: last).map { $0.position > last ? end : $0 }
  }

  func fill() throws(RecordingError) {
    isFull = true
    entry.reason = entry.options.bytesMax.map {
      "it has the \(SizeText.format(UInt64($0))) that max-size allows"
    }
    try finish()
  }
}
