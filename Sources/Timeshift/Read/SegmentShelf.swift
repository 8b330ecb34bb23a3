import Synchronization

/// A segment as a reader sees it.
struct SegmentView {
  var start: LogPoint
  var end: LogPoint
  /// Kept alive by the shelf's `held`.
  var index: Unmanaged<SegmentIndex>?
  /// The end of what `index` covers.
  var covered: UInt64
  var isTouched: Bool
  var known = Known()

  /// The part of a segment around the last read that is known to be whole.
  struct Known {
    var from: UInt64 = 0
    var upTo: UInt64 = 0
    /// Whether nothing behind it is left to check.
    var isEnd = false
    /// The generation of the index's states at that time.
    var generation: UInt64 = 0
  }

  func isKnown(_ position: UInt64, _ generation: UInt64) -> Bool {
    position >= known.from && position < known.upTo && generation == known.generation
  }
}

// Hot: `read` runs once per placed listener and turn; it looks at raw views only while the segment is open.

/// The segments that a reader can use: all by position, and open indexes of those it reads.
final class SegmentShelf {
  private let loader: SegmentLoader?
  private var views: UnsafeMutablePointer<SegmentView>
  private var capacity = 16
  private var count = 0
  private var files: [SegmentFile] = []
  private var held: [SegmentIndex?] = []
  private var seenVersion = UInt64.max
  private var seenClock: UInt64 = 0
  /// Audio in front of a reader is checked this many bytes ahead: more than two turns send.
  private static let checkedAhead: UInt64 = 144 * 1024
  /// The point at which memory follows the last segment.
  private var memory = LogPoint.zero

  init(_ loader: SegmentLoader?) {
    self.loader = loader
    views = .allocate(capacity: capacity)
  }

  deinit { views.deallocate() }

  /// Tells the loader which segments were read lately, and releases those it wants closed.
  func turn() {
    guard let loader else { return }
    let now = loader.clock.load(ordering: .relaxed)
    guard now != seenClock else { return }
    seenClock = now
    for place in 0..<count {
      guard let index = held[place] else { continue }
      if views[place].isTouched { index.used.store(now, ordering: .relaxed) }
      views[place].isTouched = false
      if index.isEvicted.load(ordering: .acquiring) { release(place) }
    }
  }

  func adopt(_ lists: LogLists) {
    memory = lists.memoryBegin
    let sealed = lists.segments.count
    if lists.segmentsVersion != seenVersion {
      seenVersion = lists.segmentsVersion
      rebuild(lists)
    }
    guard let active = lists.active else { return }
    precondition(count == sealed + 1, "the shelf holds what the lists hold")
    views[sealed].end = active.end
  }

  /// Both lists are in order, so walking along them finds the open segments.
  private func rebuild(_ lists: LogLists) {
    var fresh = lists.segments
    if let active = lists.active { fresh.append(active) }
    let oldViews = views
    let oldFiles = files
    let oldHeld = held
    capacity = max(16, fresh.count * 2)
    views = .allocate(capacity: capacity)
    held = Array(repeating: nil, count: fresh.count)
    files = fresh.map { $0.file }
    count = fresh.count
    var old = 0
    for (place, info) in fresh.enumerated() {
      var view = SegmentView(
        start: info.start, end: info.end, index: nil, covered: 0, isTouched: false)
      while old < oldFiles.count && oldFiles[old].start.position < info.start.position { old += 1 }
      if old < oldFiles.count && oldFiles[old] === info.file {
        held[place] = oldHeld[old]
        view.index = oldViews[old].index
        view.covered = oldViews[old].covered
        view.isTouched = oldViews[old].isTouched
        view.known = oldViews[old].known
      }
      views[place] = view
    }
    oldViews.deallocate()
  }

  private func release(_ place: Int) {
    held[place] = nil
    views[place].index = nil
    views[place].covered = 0
  }

  func read(
    at position: UInt64, upTo end: UInt64, limit: Int, scratch: UnsafeMutableRawBufferPointer
  ) -> LogAnswer {
    let place = last { $0.start.position <= position }
    guard place >= 0 && position < views[place].end.position else {
      return .hole(next: next(place))
    }
    switch open(place, covering: position) {
    case .loading: return .loading
    case .damaged: return .hole(next: next(place))
    case .ready: break
    }
    let view = views + place
    var stop = min(end, view.pointee.covered, view.pointee.end.position)
    guard position < stop else { return .bytes(UnsafeRawBufferPointer(start: nil, count: 0)) }
    view.pointee.isTouched = true
    return view.pointee.index!._withUnsafeGuaranteedRef { index in
      if !index.states.isWhole {
        if !view.pointee.isKnown(position, index.states.generation),
          let answer = look(place, index, at: position)
        {
          return answer
        }
        let upTo = view.pointee.known.upTo
        stop = min(stop, upTo)
        if upTo - position < Self.checkedAhead, !view.pointee.known.isEnd {
          loader?.readAhead(files[place], index, at: upTo)
        }
      }
      let count = min(limit, scratch.count, Int(stop - position))
      let part = UnsafeMutableRawBufferPointer(rebasing: scratch[..<count])
      switch index.read(part, at: position) {
      case .bytes(let got): return .bytes(UnsafeRawBufferPointer(rebasing: part[..<got]))
      case .damaged: return .hole(next: next(place))
      case .loading:
        loader?.readAhead(files[place], index, at: position)
        return .loading
      }
    }
  }

  /// Finds out how far the audio at `position` is whole. Nil once that is known.
  private func look(_ place: Int, _ index: SegmentIndex, at position: UInt64) -> LogAnswer? {
    let generation = index.states.generation
    switch index.extent(at: position) {
    case .whole(let upTo, let isEnd):
      views[place].known = SegmentView.Known(
        from: position, upTo: upTo, isEnd: isEnd, generation: generation)
      return nil
    case .unchecked:
      guard let loader, !loader.isDown else { return .hole(next: next(place)) }
      loader.readAhead(files[place], index, at: position)
      return .loading
    case .damaged where loader?.isDown == true: return .hole(next: next(place))
    case .damaged(let goesOn):
      return .hole(
        next: goesOn ?? (index.end.position < views[place].end.position ? index.end : next(place)))
    }
  }

  /// A packet boundary at or before `media`. Nil while loading.
  ///
  /// - Parameter isSpan: uses the index alone, for pacing. In a hole the result is where audio goes on, since the
  ///   reader skips the hole as soon as it reaches it.
  func point(atOrBefore media: MediaTime, isSpan: Bool) -> LogPoint? {
    let place = last { $0.start.media <= media }
    guard place >= 0 else { return next(place) }
    guard media < views[place].end.media else { return isSpan ? next(place) : views[place].end }
    let file = files[place]
    if held[place] == nil || held[place]!.end.media <= media { refetch(place) }
    guard let index = held[place], index.end.media > media else {
      if let index = held[place], isOver(index) { return isSpan ? next(place) : index.end }
      guard let loader, !loader.isDown else { return next(place) }
      loader.request(file, for: .media(media))
      return nil
    }
    views[place].isTouched = true
    return isSpan
      ? index.span(atOrBefore: media.stored) : index.packet(atOrBefore: media.stored)
  }

  /// The start of the segment that holds `media` (or `position`), or lies before it; needs no index. Nil in front of
  /// all segments.
  func start(atOrBefore media: MediaTime) -> UInt64? {
    let place = last { $0.start.media <= media }
    return place >= 0 ? views[place].start.position : nil
  }

  func start(atOrBefore position: UInt64) -> UInt64? {
    let place = last { $0.start.position <= position }
    return place >= 0 ? views[place].start.position : nil
  }

  /// The packet around `position`, or the point where audio goes on after a hole. Nil while loading.
  func bounds(at position: UInt64) -> (start: LogPoint, end: UInt64)? {
    let place = last { $0.start.position <= position }
    if place >= 0 && position < views[place].end.position {
      switch open(place, covering: position) {
      case .loading: return nil
      case .ready: return held[place]!.bounds(at: position)
      case .damaged: break
      }
    }
    let after = next(place)
    return (after, after.position)
  }

  /// The first packet behind the hole around `point`, as far as is known without the disk.
  func pastHole(_ point: LogPoint) -> LogPoint {
    let place = last { $0.start.position <= point.position }
    guard place >= 0, point.position < views[place].end.position else { return next(place) }
    refetch(place)
    guard let index = held[place] else { return point }
    guard point.position < views[place].covered else { return isOver(index) ? next(place) : point }
    guard case .damaged(let goesOn) = index.extent(at: point.position) else { return point }
    return goesOn ?? next(place)
  }

  /// The media time of a segment's start or end; needs no index.
  func media(ofBoundary position: UInt64) -> MediaTime? {
    let place = last { $0.start.position <= position }
    guard place >= 0 else { return nil }
    let view = views[place]
    if view.start.position == position { return view.start.media }
    return view.end.position == position ? view.end.media : nil
  }

  /// The end of the segment that holds `position`; needs no index.
  func end(after position: UInt64) -> LogPoint? {
    let place = last { $0.start.position <= position }
    return place >= 0 && position < views[place].end.position ? views[place].end : nil
  }

  /// The length of the packet around `position`; zero in a hole. Nil while loading.
  func length(ofPacketAt position: UInt64) -> MediaTime? {
    let place = last { $0.start.position <= position }
    guard place >= 0 && position < views[place].end.position else { return .zero }
    switch open(place, covering: position) {
    case .loading: return nil
    case .ready: return held[place]!.length(ofPacketAt: position)
    case .damaged: return .zero
    }
  }

  private enum Readiness { case ready, loading, damaged }

  private func open(_ place: Int, covering position: UInt64) -> Readiness {
    if position < views[place].covered { return .ready }
    refetch(place)
    if position < views[place].covered { return .ready }
    if let index = held[place], isOver(index) { return .damaged }
    guard let loader, !loader.isDown else { return .damaged }
    loader.request(files[place], for: .position(position))
    return .loading
  }

  /// Whether nothing more of a segment can be read at present.
  private func isOver(_ index: SegmentIndex) -> Bool {
    guard index.isFinal, index.retryAt < .max, let loader else { return index.isFinal }
    return loader.files.now().nanoseconds < index.retryAt
  }

  /// Adopts the index that the loader has opened meanwhile.
  private func refetch(_ place: Int) {
    guard let index = files[place].index.withLock({ $0 }), index !== held[place] else { return }
    held[place] = index
    views[place].index = .passUnretained(index)
    views[place].known = SegmentView.Known()
    views[place].covered = index.end.position
    index.used.store(seenClock, ordering: .relaxed)
  }

  /// The next readable point behind a segment, as far as is known.
  private func next(_ place: Int) -> LogPoint {
    guard place + 1 < count else { return memory }
    let isDown = loader?.isDown ?? false
    let next = (place + 1..<count).first { !isOut($0, isDown: isDown) }
    return next.map { views[$0].start } ?? memory
  }

  private func isOut(_ place: Int, isDown: Bool) -> Bool {
    refetch(place)
    guard let index = held[place] else { return isDown }
    return index.end == index.start ? isOver(index) : isDown && !index.states.isWhole
  }

  private func last(_ isAtOrBefore: (SegmentView) -> Bool) -> Int {
    var low = -1
    var high = count - 1
    while low < high {
      let middle = (low + high + 1) / 2
      if isAtOrBefore(views[middle]) { low = middle } else { high = middle - 1 }
    }
    return low
  }
}
