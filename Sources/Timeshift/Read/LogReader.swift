import Synchronization
import Wire

// Hot: `read`, `edge` and `titlePosition` run once per listener and turn. They look at raw tables only.

/// One thread's eyes on a log.
///
/// It holds strong lists of blocks and open segments, so that nothing it points to goes away between two calls of
/// `refresh()`; those lists are exchanged only when they have changed. Not Sendable: one per loop, or tap, and log.
public final class LogReader {
  let log: PacketLog
  /// Of its log.
  public var logSerial: UInt64 { log.serial }
  /// How long after its air time everything is told to be live.
  let delay: MediaTime
  private(set) var lists: LogLists
  /// What can be read, as of the last refresh.
  private struct Bounds {
    var edge, oldest, memoryOldest: LogPoint
  }

  // Looked at several times per listener and turn: raw memory is not checked for exclusive access.
  private let bounds = UnsafeMutablePointer<Bounds>.allocate(capacity: 1)
  private var seen: UInt64 = 0
  private var seenTitles = UInt64.max
  // Objects held by `let`: a struct held by `var` would be checked for exclusive access at every look.
  let blocks = BlockTable()
  private let titlePositions = PositionTable()
  private let formatPositions = PositionTable()
  private let gapPositions = PositionTable()
  let shelf: SegmentShelf

  /// Just past the newest packet, as of the last refresh: of a delayed reader the newest that is due.
  public private(set) var edge: LogPoint {
    get { bounds.pointee.edge }
    set { bounds.pointee.edge = newValue }
  }
  /// Of a delayed reader: something was due.
  private var hasBeenDue = false
  /// Of a delayed reader: the index that tells its edge is being fetched.
  private(set) var isEdgeLoading = false
  /// The log's own.
  private var newest: LogPoint
  /// The oldest packet that can be read.
  public private(set) var oldest: LogPoint {
    get { bounds.pointee.oldest }
    set { bounds.pointee.oldest = newValue }
  }
  /// The oldest packet that is in memory; the edge's position if none is.
  public var memoryOldest: UInt64 { bounds.pointee.memoryOldest.position }
  var memoryOldestMedia: MediaTime { bounds.pointee.memoryOldest.media }
  /// Of the newest packet; nil while there has never been one.
  public private(set) var format: AudioFormat?
  /// Changes when the log's titles do.
  public private(set) var titleMarksVersion: UInt64 = 0

  /// - Parameter delay: the log is seen as it was so long ago: what is newer is not there yet, and everything was on
  ///   air later by it. Silence when nothing was on air then.
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
    shelf = SegmentShelf(log.loader)
    refresh(at: now())
  }

  deinit { bounds.deallocate() }

  /// Once per turn: looks at the edge, and takes the lists anew if they have changed. What was read before is no
  /// longer valid. Only a delayed reader asks what time it is.
  public func refresh(at now: @autoclosure () -> Moment = .now()) {
    shelf.turn()
    while true {
      // The edge first: lists taken after it hold at least everything up to it.
      let position = log.edgePosition
      if log.version.load(ordering: .acquiring) != seen {
        takeLists()
        if settle(blocks.fill(from: lists.blocks, upTo: position), at: position) { break }
      } else if position == newest.position
        || settle(blocks.extend(from: lists.blocks, upTo: position), at: position)
      {
        break
      }
    }
    edge = delay > .zero ? dueEdge(at: now()) : newest
  }

  /// The newest packet boundary that is due; as it was while an index is being fetched. It never goes back.
  private func dueEdge(at now: Moment) -> LogPoint {
    isEdgeLoading = false
    // While nothing was due, an older past may still come from the disk.
    let stands = edge.position < oldest.position || !hasBeenDue ? oldest : edge
    guard let media = log.due(delay, at: now, in: lists.air) else { return stands }
    hasBeenDue = hasBeenDue || media > oldest.media
    let due = media >= newest.media ? newest : boundary(atOrBefore: media, isSpan: true)
    isEdgeLoading = due == nil
    return due.map { $0.position > stands.position ? $0 : stands } ?? stands
  }

  private func takeLists() {
    let (fresh, version) = log.lists.withLock { ($0, log.version.load(ordering: .relaxed)) }
    lists = fresh
    seen = version
    oldest = fresh.oldest
    bounds.pointee.memoryOldest = fresh.memoryOldest
    format = fresh.formats.last?.format
    shelf.take(fresh)
    formatPositions.fill(from: fresh.formats) { $0.position }
    gapPositions.fill(from: fresh.gaps) { $0.position }
    guard fresh.titlesVersion != seenTitles else { return }
    seenTitles = fresh.titlesVersion
    titleMarksVersion = fresh.titlesVersion
    titlePositions.fill(from: fresh.titles) { $0.position }
  }

  /// False: the edge read belongs to blocks that are gone already, so look again.
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

  /// At most `limit` bytes from `position`, contiguous, never beyond `end` or the edge.
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

  /// Where the title in force at `position` begins; `.max` if there is none.
  public func titlePosition(at position: UInt64) -> UInt64 {
    titlePositions.atOrBefore(position)
  }

  /// Where the format in force at `position` begins; `.max` if there is none.
  public func formatPosition(at position: UInt64) -> UInt64 {
    formatPositions.atOrBefore(position)
  }

  /// The first format mark beyond `position`; `.max` if there is none.
  public func nextFormatPosition(after position: UInt64) -> UInt64 {
    formatPositions.after(position)
  }

  /// The first title mark beyond `position`; `.max` if there is none.
  public func nextTitlePosition(after position: UInt64) -> UInt64 {
    titlePositions.after(position)
  }

  /// The first gap mark beyond `position`; `.max` if there is none.
  public func gapPosition(after position: UInt64) -> UInt64 { gapPositions.after(position) }

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

  /// Where what was on the disk before and what came into memory meet; nil: they do not.
  public var joint: LogJoint? { lists.joint }

  /// Where the packets from `position` on end, because what follows cannot be read, as far as is known; nil: they do not.
  public func hole(after position: UInt64) -> LogPoint? { lists.hole(after: position) }

  /// What a decoder needs before the packets at `position`; empty if nothing.
  public func headers(at position: UInt64) -> [UInt8] {
    lists.formats.last { $0.position <= position }?.headers ?? []
  }

  /// The gap whose first packet stands at `position`.
  public func gapMark(at position: UInt64) -> GapMark? {
    lists.gaps.last { $0.position == position }
  }

  /// The `newest` gaps whose first packet stands in `range`, oldest first.
  public func gapMarks(in range: Range<UInt64>, newest: Int = .max) -> [GapMark] {
    var found: [GapMark] = []
    for mark in lists.gaps.reversed() where mark.position < range.upperBound {
      if mark.position < range.lowerBound || found.count == newest { break }
      found.append(mark)
    }
    return found.reversed()
  }

  /// From where on all marks up to the edge are known: no segment behind it is out of the log. Never in front of `limit`.
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

  /// When what sounds at `media` was on air.
  public func air(at media: MediaTime) -> WallTime { lists.air.wall(at: media) + delay }
}
