import Wire

// Finds where a tap begins. An earlier process may have told positions that the disk never got, and media times with
// another origin. The station's log may be another one by now.
extension Tap {
  /// How far the search for the first packet has come.
  struct Search: Hashable, Sendable {
    enum Phase: Hashable, Sendable {
      /// The log has not been asked for the packet yet.
      case asking
      /// The log ended here when it was opened, in front of the packet. The lost audio may come again.
      case behind(LogPoint)
      case found
    }

    var phase: Phase
    var bookmark: Bookmark?
    /// This log's end when a bookmark of another log was brought to it; the tap goes on behind it.
    var floor: LogPoint?
    private let openedAt: LogPoint?

    init(_ start: Start, _ origin: Origin) {
      bookmark = if case .bookmark(let bookmark) = start { bookmark } else { nil }
      phase = bookmark == nil ? .found : .asking
      floor = origin.isAnotherLog ? origin.edge : nil
      openedAt = origin.isAnotherLog ? nil : origin.edge
    }

    /// The log's end when it was opened, if that lies in front of `place`.
    func cut(before place: LogPoint) -> LogPoint? {
      openedAt.flatMap { place.position > $0.position ? $0 : nil }
    }
  }

  /// The result of a search for the first packet.
  package enum Finding {
    case found
    /// The place is known from here on; the media time in front of it is missing.
    case moved(TapLoss)
    case loading
    /// The first packet has not come yet.
    case ahead
  }

  /// Whether the tap has a place in this log.
  package var isFound: Bool { search.phase == .found && place != nil }

  /// Finds out where the tap begins; does nothing more once that is known.
  package func find() -> Finding {
    if case .asking = search.phase, let finding = ask() { return finding }
    if end == nil, case .position(let position) = ending {
      guard let point = reader.point(holding: position) else { return .loading }
      end = point
    }
    if case .behind(let cut) = search.phase { return goOn(from: cut) }
    return place == nil ? begin() : .found
  }

  private func begin() -> Finding {
    guard case .air(let air) = start else {
      go(to: reader.edge)
      return .found
    }
    if reader.air(at: reader.edge.media) < air { return .ahead }
    guard let point = reader.firstPoint(atOrAfter: air) else { return .loading }
    go(to: point)
    return .found
  }

  /// Moves the tap to another bookmark.
  package func go(to bookmark: Bookmark) {
    search.bookmark = bookmark
    go(to: bookmark.point)
  }

  /// The bytes that the log has behind the next packet, as far as known.
  package var bytesAhead: Int64 {
    guard search.floor == nil, let place, place.position >= reader.oldest.position else { return 0 }
    return Int64(clamping: reader.edge.position - min(place.position, reader.edge.position))
  }

  // MARK: Bookmarks

  /// Makes a bookmark of a point, for another process.
  package func bookmark(at point: LogPoint) -> Bookmark {
    Bookmark(point, air: reader.air(at: point.media), past: past(before: point.position))
  }

  /// The gaps before a position; nil while a folder will still add audio in front of it.
  private func past(before position: UInt64) -> Bookmark.Past? {
    if log.isAwaitingFolder { return nil }
    let limit = max(reader.oldest.position, position - min(position, Self.lostBytesMax))
    let start = min(reader.unbrokenStart(from: limit), position)
    let gaps = reader.gapMarks(in: start..<position, newest: Bookmark.Past.gapsMax)
      .map { Bookmark.Past.Gap($0) }
    let isAll = gaps.count < Bookmark.Past.gapsMax
    return Bookmark.Past(start: isAll ? start : gaps[0].position, gaps: gaps)
  }

  /// The position at which the log goes on with other audio than it had at the bookmark; nil if there is none.
  ///
  /// A crash took what was in front of the bookmark, and another process began there.
  private func parting(from bookmark: Bookmark) -> UInt64? {
    guard let past = bookmark.past, past.start < bookmark.position else { return nil }
    // Gaps unknown to the bookmark, from the newest back.
    let isNew: (GapMark) -> Bool = { !past.gaps.contains(Bookmark.Past.Gap($0)) }
    return reader.gapMarks(in: past.start..<bookmark.position).reversed().prefix(while: isNew).last?
      .position
  }

  /// The most bytes that a crash may take from the log's end; no more can be missing on the disk.
  private static let lostBytesMax: UInt64 = 16 << 20

  // MARK: Asking the log

  /// Finds the bookmark's packet. Nil: it is where it was, as far as the bookmark tells.
  private func ask() -> Finding? {
    guard let place, let bookmark = search.bookmark else { return nil }
    let cut = search.cut(before: place)
    guard let air = bookmark.airTime else {
      search.phase = cut.map { .behind($0) } ?? .found
      return nil
    }
    if let floor = search.floor { return goOn(at: air, behind: floor) }
    if let parting = parting(from: bookmark) {
      guard let point = reader.point(holding: parting) else { return .loading }
      // The log may have a hole there by now.
      let lost = cut.flatMap { $0.position == parting ? point.media - $0.media : nil }
      return move(to: point, missing: lost ?? .zero, .hole)
    }
    if let cut {
      guard place.position - cut.position <= Self.lostBytesMax else { return goOn(at: air) }
      search.phase = .behind(cut)
      return nil
    }
    return find(place, onAirAt: air)
  }

  private func find(_ place: LogPoint, onAirAt air: WallTime) -> Finding {
    // The folder's audio has still to come, and will show where the log goes on.
    if log.isAwaitingFolder, place.position < log.start.position,
      reader.oldest.position == log.start.position
    {
      return .ahead
    }
    guard let position = inJoint(place.position) else { return goOn(at: air) }
    if position > reader.edge.position, reader.joint != nil { return .ahead }
    guard let point = reader.point(holding: position) else { return .loading }
    if point.position == position { return move(to: point) }
    // A packet in a hole is certainly lost, whatever the clock says.
    if position == place.position, position < point.position, position >= reader.oldest.position {
      return move(to: point, missing: point.media - place.media, .hole)
    }
    return goOn(at: air)
  }

  /// The new position of a packet that the folder lost and that came again; nil if it did not come again.
  private func inJoint(_ position: UInt64) -> UInt64? {
    guard let joint = reader.joint, position >= joint.end.position,
      position < joint.next.position
    else { return position }
    let lost = position - joint.end.position
    if joint.gap != nil || lost > Self.lostBytesMax { return nil }
    let again = joint.next.position + lost
    return again > reader.edge.position || reader.packetEnd(after: again) == again ? again : nil
  }

  // MARK: Going on

  /// Moves the tap to `point`, from where on the place is known.
  private func move(
    to point: LogPoint, missing length: MediaTime = .zero, _ cause: TapLoss.Cause = .restart
  ) -> Finding {
    go(to: point)
    search.phase = .found
    return .moved(miss(TapLoss(cause: cause, length: max(.zero, length), next: point)))
  }

  /// Waits for lost audio, which comes again if the upstream can be stitched to the log. Otherwise goes on with the
  /// audio that came instead.
  private func goOn(from cut: LogPoint) -> Finding {
    guard let lost = place else { return .found }
    let seam = cut.position == 0 ? 0 : reader.gapPosition(after: cut.position - 1)
    if seam >= lost.position, reader.edge.position < lost.position { return .ahead }
    // A log that has given up everything before the cut no longer shows whether there is a gap.
    let isStitched =
      seam >= lost.position && reader.oldest.position < cut.position
      && reader.packetEnd(after: lost.position) == lost.position
    guard isStitched else { return move(to: cut) }
    guard let point = reader.point(holding: lost.position) else { return .loading }
    return move(to: point)
  }

  /// Goes on with audio that was on air later, since the packet is not in the log.
  private func goOn(at air: WallTime) -> Finding {
    if case .position = ending { ending = .never }
    if isBehind(air) { return goOnFromStart() }
    guard reader.air(at: reader.edge.media) > air else { return .ahead }
    guard let next = reader.firstPoint(atOrAfter: air) else { return .loading }
    return move(to: next, missing: reader.air(at: next.media) - air)
  }

  /// Seconds; a crash takes less from the disk.
  private static let clockMax = 120.0

  /// Whether the wall clock was set back since, so that new audio looks older than the bookmark.
  private func isBehind(_ air: WallTime) -> Bool {
    reader.edge.position > log.start.position
      && air.seconds(since: reader.air(at: reader.edge.media)) > Self.clockMax
  }

  /// Goes on at the log's start in this process: positions only grow, so audio from there on is newer than the
  /// bookmark.
  private func goOnFromStart() -> Finding {
    let start = max(log.start.position, reader.oldest.position)
    guard let place, place.position <= start else { return .ahead }
    guard let point = reader.point(holding: start) else { return .loading }
    return move(to: point)
  }

  /// Goes on behind this log's old end, with audio that was on air later: the bookmark is of another log.
  private func goOn(at air: WallTime, behind floor: LogPoint) -> Finding {
    // The first packet behind the old end gives the log a time for new audio.
    guard reader.edge.position > floor.position else { return .ahead }
    let ahead = MediaTime(seconds: max(0, air.seconds(since: reader.air(at: floor.media))))
    guard reader.edge.media >= floor.media + ahead else { return .ahead }
    guard let point = reader.point(atOrBefore: floor.media + ahead) else { return .loading }
    search.floor = nil
    return move(to: point.position < floor.position ? floor : point)
  }
}
