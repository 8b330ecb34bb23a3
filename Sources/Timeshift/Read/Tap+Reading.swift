import Wire

// Reads one item after the other. No packet costs an allocation, and packets in memory are not copied.
extension Tap {
  /// The next item; nil once the tap is over. Blocks until there is one.
  package func next() -> TapItem? {
    while true {
      switch read() {
      case .item(let item): return item
      case .over: return nil
      case .liveEdge, .loading, .suspended: wait()
      }
    }
  }

  /// The next item, or why there is none at present.
  package func read(at now: @autoclosure () -> Moment = .now()) -> TapAnswer {
    if control.isEnded { return .over }
    if control.isSuspended { return .suspended }
    if let item = packetInRun() { return .item(item) }
    refresh(at: now())
    if let answer = findPlace() { return answer }
    guard let place, resolveEnd() else { return .loading }
    if let end, place.position >= end.position { return .over }
    return read(from: place)
  }

  /// Looks for the tap's place; nil once it is known.
  private func findPlace() -> TapAnswer? {
    while true {
      switch find() {
      case .found: return nil
      case .moved(let loss) where loss.length > .zero: return .item(.missed(loss))
      case .moved: continue
      case .loading: return .loading
      case .ahead: return .liveEdge
      }
    }
  }

  private func read(from place: LogPoint) -> TapAnswer {
    // Memory may hold more than is due for a delayed reader.
    let edge = reader.edge.position
    if place.position >= edge { return reader.isEdgeLoading ? .loading : .liveEdge }
    let stop = min(end?.position ?? .max, edge)
    switch reader.read(at: place.position, upTo: stop, limit: scratch.count, scratch: scratch) {
    case .liveEdge: return .liveEdge
    case .loading: return .loading
    case .hole(let next): return .item(.missed(skip(to: next, .hole)))
    case .overrun(let oldest): return .item(.missed(skip(to: oldest, .overrun)))
    case .bytes(let bytes) where bytes.isEmpty: return .loading
    case .bytes(let bytes):
      (run, runStart) = (bytes, place.position)
      if let item = packetInRun() { return .item(item) }
      return readRest(of: place, behind: bytes.count)
    }
  }

  /// Fetches the rest of a packet read in part, or skips to where audio goes on.
  private func readRest(of place: LogPoint, behind count: Int) -> TapAnswer {
    run = UnsafeRawBufferPointer(start: nil, count: 0)
    guard let packet = reader.bounds(at: place.position) else { return .loading }
    if packet.start.position > place.position {
      return .item(.missed(skip(to: packet.start, .hole)))
    }
    let rest = place.position + UInt64(count)
    if case .hole(let next) = reader.read(at: rest, upTo: rest + 1, limit: 1, scratch: scratch) {
      return .item(.missed(skip(to: next, .hole)))
    }
    return .loading
  }

  /// The next item of the bytes that were read; nil if they hold no whole packet.
  private func packetInRun() -> TapItem? {
    guard let place, place.position >= runStart,
      place.position - runStart < UInt64(run.count),
      let packet = reader.bounds(at: place.position), packet.start.position == place.position,
      packet.end - runStart <= UInt64(run.count),
      let length = reader.length(ofPacketAt: place.position)
    else { return nil }
    if let mark = told.next(at: place.position, in: reader) { return mark }
    let bytes = run[Int(place.position - runStart)..<Int(packet.end - runStart)]
    let item = TapPacket(
      bytes: UnsafeRawBufferPointer(rebasing: bytes), start: place, length: length)
    advance(to: item.end)
    return .packet(item)
  }

  /// Finds the end of a tap that ends by time, once the log has reached it. False while loading.
  private func resolveEnd() -> Bool {
    guard end == nil, case .air(let air) = ending, reader.air(at: reader.edge.media) >= air else {
      return true
    }
    end = reader.firstPoint(atOrAfter: air)
    return end != nil
  }
}

/// The marks that a tap has yielded already.
struct TapMarks {
  private var format: UInt64?
  private var gap: UInt64?
  private var title: UInt64?

  /// The next mark in front of the packet at `position`; nil once all have been yielded.
  mutating func next(at position: UInt64, in reader: LogReader) -> TapItem? {
    let format = reader.formatPosition(at: position)
    if format != .max, format != self.format, let mark = reader.formatMark(at: position) {
      self.format = format
      return .format(mark)
    }
    if gap != position, reader.gapPosition(atOrBefore: position) == position,
      let mark = reader.gapMark(at: position)
    {
      gap = position
      return .gap(mark)
    }
    let title =
      self.title.map { reader.nextTitlePosition(after: $0) } ?? reader.titlePosition(at: position)
    guard title <= position, let mark = reader.titleMark(at: title) else { return nil }
    self.title = title
    return .title(mark)
  }

  /// Notes a skip: of the titles missed, only the one in force is yielded.
  mutating func skip(to position: UInt64, in reader: LogReader) {
    let inForce = reader.titlePosition(at: position)
    if inForce != .max, let title, inForce > title { self.title = nil }
  }
}
