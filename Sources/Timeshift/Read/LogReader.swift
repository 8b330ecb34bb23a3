import Synchronization
import Wire

// Hot: `read`, `edge` and `titlePosition` run once per listener and turn. They look at raw tables only.

/// Reads a log on one thread.
///
/// A reader holds strong lists of blocks and open segments, so that its pointers stay valid between two calls of
/// `refresh()`. It exchanges those lists only when they have changed. Not Sendable: each loop, or tap, has one per log.
public final class LogReader {
  let log: PacketLog
  /// The id by which other relays know the log.
  public var logID: LogID { log.id }
  /// The serial number of the log.
  public var logSerial: UInt64 { log.serial }
  /// How much later than on air everything is shown as live.
  let delay: MediaTime
  private(set) var lists: LogLists
  /// The range that can be read, as of the last refresh.
  private struct Bounds {
    var edge, oldest, memoryOldest: LogPoint
  }

  // Used several times per listener and turn: raw memory is not checked for exclusive access.
  private let bounds = UnsafeMutablePointer<Bounds>.allocate(capacity: 1)
  private var seen: UInt64 = 0
  private var seenTitles = UInt64.max
  // Objects held by `let`: a struct held by `var` would be checked for exclusive access at every use.
  let blocks = BlockTable()
  private let titlePositions = PositionTable()
  private let formatPositions = PositionTable()
  private let gapPositions = PositionTable()
  let shelf: SegmentShelf

  /// The point just past the newest packet, as of the last refresh. For a delayed reader: past the newest due packet.
  public private(set) var edge: LogPoint {
    get { bounds.pointee.edge }
    set { bounds.pointee.edge = newValue }
  }
  /// For a delayed reader: whether any packet has been due.
  private var hasBeenDue = false
  /// For a delayed reader: whether the index that shows its edge is being fetched.
  private(set) var isEdgeLoading = false
  /// The log's own edge, as of the last refresh.
  private var newest: LogPoint
  /// The oldest packet that can be read.
  public private(set) var oldest: LogPoint {
    get { bounds.pointee.oldest }
    set { bounds.pointee.oldest = newValue }
  }
  /// The position of the oldest packet in memory; the edge's if there is none.
  public var memoryOldest: UInt64 { bounds.pointee.memoryOldest.position }
  var memoryOldestMedia: MediaTime { bounds.pointee.memoryOldest.media }
  /// The format of the newest packet; nil if there has never been one.
  public private(set) var format: AudioFormat?
  /// Changes whenever the log's titles do.
  public private(set) var titleMarksVersion: UInt64 = 0

  /// Makes a reader at the log's present state.
  ///
  /// - Parameter delay: the log is seen as it was this long ago. Newer packets are not there yet, and all air times are
  ///   this much later. The reader is silent if nothing was on air then.
  public init(
    _ log: PacketLog, delay: MediaTime = .zero, at now: @autoclosure () -> Moment = .now()
  ) {
    self.log = log
    self.delay = delay
    lists = log.lists.withLock { $0 }
    newest = lists.edge
    bounds.initialize(
      to: Bounds(
        edge: delay > .zero ? lists.oldest : lists.edge, oldest: lists.oldest,
        memoryOldest: lists.memoryOldest))
    shelf = SegmentShelf(log.disk?.loader)
    refresh(at: now())
  }

  deinit { bounds.deallocate() }

  /// Looks at the edge, and copies the lists if they have changed. Called once per turn.
  ///
  /// Bytes read before are no longer valid. Only a delayed reader asks for the time.
  public func refresh(at now: @autoclosure () -> Moment = .now()) {
    shelf.turn()
    while true {
      // The edge is read first: lists copied after it hold at least everything up to it.
      let position = log.edgePosition
      if log.version.load(ordering: .acquiring) != seen {
        readLists()
        if settle(blocks.fill(from: lists.blocks, upTo: position), at: position) { break }
      } else if position == newest.position
        || settle(blocks.extend(from: lists.blocks, upTo: position), at: position)
      {
        break
      }
    }
    edge = delay > .zero ? dueEdge(at: now()) : newest
  }

  /// The newest packet boundary that is due. It never goes back, and stays while an index is being fetched.
  private func dueEdge(at now: Moment) -> LogPoint {
    isEdgeLoading = false
    // While nothing is due, an older past may still come from the disk.
    let stands = edge.position < oldest.position || !hasBeenDue ? oldest : edge
    guard let media = log.due(delay, at: now, in: lists.air) else { return stands }
    hasBeenDue = hasBeenDue || media > oldest.media
    let due = media >= newest.media ? newest : boundary(atOrBefore: media, isSpan: true)
    isEdgeLoading = due == nil
    return due.map { $0.position > stands.position ? $0 : stands } ?? stands
  }

  private func readLists() {
    let (fresh, version) = log.lists.withLock { ($0, log.version.load(ordering: .relaxed)) }
    lists = fresh
    seen = version
    oldest = fresh.oldest
    bounds.pointee.memoryOldest = fresh.memoryOldest
    format = fresh.formats.last?.format
    shelf.adopt(fresh)
    formatPositions.fill(from: fresh.formats) { $0.position }
    gapPositions.fill(from: fresh.gaps) { $0.position }
    guard fresh.titlesVersion != seenTitles else { return }
    seenTitles = fresh.titlesVersion
    titleMarksVersion = fresh.titlesVersion
    titlePositions.fill(from: fresh.titles) { $0.position }
  }

  /// Sets the edge. False: its blocks are gone already, so look again.
  private func settle(_ end: LogPoint?, at position: UInt64) -> Bool {
    if let end {
      precondition(end.position == position, "the edge is always the end of a packet")
      newest = end
      return true
    }
    let first = lists.memoryOldest
    guard first.position == position else {
      seen = 0
      return false
    }
    newest = first
    return true
  }

  /// Reads at most `limit` bytes from `position` on, contiguous, never beyond `end` or the edge.
  public func read(
    at position: UInt64, upTo end: UInt64, limit: Int, scratch: UnsafeMutableRawBufferPointer
  ) -> LogAnswer {
    if let view = blocks.view(holding: position) {
      let stop = min(view.end, max(end, position))
      let count = min(Int(stop - position), limit)
      let start = view.base + Int(position - view.start)
      return .bytes(UnsafeRawBufferPointer(start: start, count: count))
    }
    if position >= edge.position { return .liveEdge }
    if position < oldest.position { return .overrun(oldest: oldest) }
    return shelf.read(
      at: position, upTo: min(end, edge.position), limit: limit, scratch: scratch)
  }

  /// The position of the title in force at `position`; `.max` if there is none.
  public func titlePosition(at position: UInt64) -> UInt64 {
    titlePositions.atOrBefore(position)
  }

  /// The position of the format in force at `position`; `.max` if there is none.
  public func formatPosition(at position: UInt64) -> UInt64 {
    formatPositions.atOrBefore(position)
  }

  /// The position of the first format mark beyond `position`; `.max` if there is none.
  public func nextFormatPosition(after position: UInt64) -> UInt64 {
    formatPositions.after(position)
  }

  /// The position of the first title mark beyond `position`; `.max` if there is none.
  public func nextTitlePosition(after position: UInt64) -> UInt64 {
    titlePositions.after(position)
  }

  /// The position of the first gap mark beyond `position`; `.max` if there is none.
  public func gapPosition(after position: UInt64) -> UInt64 { gapPositions.after(position) }

  /// The position of the newest gap mark at or before `position`; `.max` if there is none.
  func gapPosition(atOrBefore position: UInt64) -> UInt64 { gapPositions.atOrBefore(position) }

  /// The format mark in force at `position`.
  func formatMark(at position: UInt64) -> FormatMark? {
    lists.formats.last { $0.position <= position }
  }

  /// The title in force at `position`.
  public func titleMark(at position: UInt64) -> TitleMark? {
    guard let mark = lists.titles.last(where: { $0.position <= position }) else { return nil }
    var aired = lists.aired(mark)
    aired.air = aired.air + delay
    return aired
  }

  /// The format in force at `position`.
  public func format(at position: UInt64) -> AudioFormat? {
    lists.formats.last { $0.position <= position }?.format
  }

  /// The joint of the folder's content and memory; nil without one.
  public var joint: LogJoint? { lists.joint }

  /// The point at which readable packets from `position` on end, as far as is known; nil if they do not end.
  public func hole(after position: UInt64) -> LogPoint? { lists.hole(after: position) }

  /// The headers that a decoder needs before the packets at `position`; empty if none.
  public func headers(at position: UInt64) -> [UInt8] {
    lists.formats.last { $0.position <= position }?.headers ?? []
  }

  /// The gap in front of the packet at `position`.
  public func gapMark(at position: UInt64) -> GapMark? {
    lists.gaps.last { $0.position == position }
  }

  /// The `newest` last gaps in front of packets in `range`, oldest first.
  public func gapMarks(in range: Range<UInt64>, newest: Int = .max) -> [GapMark] {
    var found: [GapMark] = []
    for mark in lists.gaps.reversed() where mark.position < range.upperBound {
      if mark.position < range.lowerBound || found.count == newest { break }
      found.append(mark)
    }
    return found.reversed()
  }

  /// The newest gap in front of packets in `range` in which time is missing. At the seam of a looping file none is.
  public func newestGap(in range: Range<UInt64>) -> GapMark? {
    for mark in lists.gaps.reversed() where mark.position < range.upperBound {
      if mark.position < range.lowerBound { return nil }
      if mark.seconds > 0 { return mark }
    }
    return nil
  }

  /// The position from which on all marks up to the edge are known: no segment is missing behind it. Never below
  /// `limit`.
  public func unbrokenStart(from limit: UInt64) -> UInt64 {
    var start = lists.memoryBegin.position
    if let active = lists.active, active.end.position >= start {
      start = min(start, active.start.position)
    }
    for segment in lists.segments.reversed() {
      if start <= limit || segment.end.position < start { break }
      start = min(start, segment.start.position)
    }
    return max(start, limit)
  }

  /// When audio at `media` was on air, later by this reader's delay.
  public func air(at media: MediaTime) -> WallTime { lists.air.wall(at: media) + delay }
}
