import Threads
import Wire

/// Reads a log on a thread that may block: for a decoder, a recording, a publisher.
///
/// A tap has a place, yields packets and marks in order, and counts what it misses. It belongs to one thread; other
/// threads end, suspend and resume it through its `control`. The log never waits for a tap.
package final class Tap {
  /// The place where a tap begins.
  package enum Start: Hashable, Sendable {
    /// Packets that come from now on.
    case liveEdge
    case oldest
    /// The first packet on air at this time or later; the tap waits for it.
    case air(WallTime)
    case point(LogPoint)
    /// The place at which an earlier process was.
    case bookmark(Bookmark)
  }

  /// The place where a tap ends.
  package enum End: Hashable, Sendable {
    case never
    case point(LogPoint)
    /// A position that an earlier process was told; its packet is looked up.
    case position(UInt64)
    /// Before the first packet on air at this time or later.
    case air(WallTime)
  }

  /// Facts about the log from before this process wrote to it.
  package struct Origin: Hashable, Sendable {
    /// The log's end at that time; nil if unknown.
    package var edge: LogPoint?
    /// Whether the bookmark is of another log; the tap then goes on in this log behind `edge`.
    package var isAnotherLog: Bool

    package init(edge: LogPoint? = nil, isAnotherLog: Bool = false) {
      (self.edge, self.isAnotherLog) = (edge, isAnotherLog)
    }
  }

  package let log: PacketLog
  package let reader: LogReader
  package let control: TapControl
  /// The next packet's place; nil if unknown.
  package private(set) var place: LogPoint?
  /// The tap's end, once it is known as a place in this log.
  package internal(set) var end: LogPoint?
  /// The time that the tap has missed since it began.
  package private(set) var losses = TapLosses()

  let start: Start
  var ending: End
  var search: Search

  // Bytes read and not yielded yet, valid until the reader is refreshed.
  var run = UnsafeRawBufferPointer(start: nil, count: 0)
  var runStart: UInt64 = 0
  /// The marks yielded already.
  var told = TapMarks()

  package let scratch: UnsafeMutableRawBufferPointer
  private var bells: [Bell] = []

  /// - Parameters:
  ///   - delay: the log is read as it was this long ago.
  ///   - scratchBytes: the most bytes read from the disk at once.
  package init(
    _ log: PacketLog, from start: Start, to end: End = .never, delay: MediaTime = .zero,
    origin: Origin = Origin(), scratchBytes: Int = LogReader.clipScratchBytes,
    control: TapControl = TapControl(), at now: @autoclosure () -> Moment = .now()
  ) {
    precondition(scratchBytes >= LogReader.clipScratchBytes, "one packet always fits")
    self.log = log
    self.control = control
    self.start = start
    ending = end
    reader = LogReader(log, delay: delay, at: now())
    scratch = .allocate(byteCount: scratchBytes, alignment: 16)
    search = Search(start, origin)
    switch start {
    case .liveEdge, .air: break
    case .oldest: place = reader.oldest
    case .point(let point): place = point
    case .bookmark(let bookmark): place = bookmark.point
    }
    if case .point(let point) = end { self.end = point }
  }

  deinit {
    for bell in bells { bell.forget(control.signal) }
    scratch.deallocate()
  }

  /// Looks for new packets. Bytes read before are no longer valid.
  package func refresh(at now: @autoclosure () -> Moment = .now()) {
    run = UnsafeRawBufferPointer(start: nil, count: 0)
    reader.refresh(at: now())
  }

  // MARK: The place

  /// Goes on at a packet boundary of the log; nil: begins anew.
  package func go(to point: LogPoint?) {
    place = point
    run = UnsafeRawBufferPointer(start: nil, count: 0)
    told = TapMarks()
  }

  /// Moves the place, when the owner has read everything in front of `point` by itself.
  package func advance(to point: LogPoint) { place = point }

  /// Makes the tap end in front of `point`.
  package func end(at point: LogPoint) {
    (end, ending) = (point, .point(point))
    run = UnsafeRawBufferPointer(start: nil, count: 0)
  }

  /// Where the tap goes on if everything in front of `found` is gone: `found`, or its own end if that is earlier.
  package func landing(at found: LogPoint) -> LogPoint {
    end.map { found.position > $0.position ? $0 : found } ?? found
  }

  /// Skips to `found`, since everything before it is gone, and counts the loss.
  package func skip(to found: LogPoint, _ cause: TapLoss.Cause) -> TapLoss {
    let next = landing(at: found)
    var length = MediaTime.zero
    if let place { length = max(.zero, next.media - place.media) + missedInJoint(place, next) }
    place = next
    told.skip(to: next.position, in: reader)
    return miss(TapLoss(cause: cause, length: length, next: next))
  }

  @discardableResult
  func miss(_ loss: TapLoss) -> TapLoss {
    losses.add(loss)
    return loss
  }

  /// Media time that came neither to the folder nor to memory, if the tap skips over it.
  private func missedInJoint(_ place: LogPoint, _ next: LogPoint) -> MediaTime {
    guard let joint = reader.joint, let gap = joint.gap, place.position <= joint.end.position,
      next.position >= joint.next.position
    else { return .zero }
    return MediaTime(seconds: gap.seconds)
  }

  // MARK: Waiting

  /// Milliseconds after which a waiting tap looks again: an end, a folder or a delay rings no bell.
  private static let lookAgain: Int32 = 1000
  private static let lookAgainDelayed: Int32 = 100

  /// Blocks until something may be new: the edge moved, something was fetched, or `control` was used.
  package func wait() {
    // No bell rang for an edge that moved before the tap listened, so it looks once more.
    if bells.isEmpty { return listen() }
    control.signal.wait(
      milliseconds: reader.delay > .zero ? Self.lookAgainDelayed : Self.lookAgain)
  }

  private func listen() {
    bells = [log.bell] + [log.disk?.loader.bell].compactMap(\.self)
    for bell in bells { bell.listen(control.signal) }
  }

  /// Repeats a question until there is an answer: nil means that something is being fetched.
  ///
  /// - Returns: nil if there was no answer within `seconds`, or the tap was ended.
  package func answer<Answer>(
    within seconds: Double, _ question: (LogReader) -> Answer?
  ) -> Answer? {
    let start = MonotonicTime.now()
    while !control.isEnded {
      refresh()
      if let answer = question(reader) { return answer }
      if MonotonicTime.now().seconds(since: start) >= seconds { return nil }
      wait()
    }
    return nil
  }
}
