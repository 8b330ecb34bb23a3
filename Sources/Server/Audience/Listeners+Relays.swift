import Timeshift
import Wire

// Relays among the listeners: they are told where their stream stands in the log.
extension Listeners {
  /// Seconds that a relay waits for something new. After that it begins with what it has, so that it knows of the station.
  private static let newsSeconds = 5.0

  /// Seconds since the edge was on air from which on it is the past.
  private static let pastSeconds = 2.0

  /// Whether a relay waits for something new. It most likely has what is there, since both have just come back, or the
  /// other one plays the same programme. Only behind that it is known what is missing there.
  func awaitsNews(_ request: StreamRequest, _ slot: UInt32, of shard: MountShard) -> Bool {
    guard !request.via.isEmpty || request.resume != nil, request.place == .live,
      request.session == nil, request.seek == nil, shard.mount.fallback == nil
    else { return false }
    guard connections.sinceAsked(slot) < Int64(nanosecondsIn: Self.newsSeconds) else {
      return false
    }
    let reader = shard.reader
    guard let resume = request.resume, resume.log == reader.logID else {
      return reader.isPast(by: Self.pastSeconds, at: Moment.now().wall)
    }
    // What it has beyond the edge is no loss of this log, but a fallback that it was sent.
    return (resume.known.lowerBound...resume.known.upperBound).contains(reader.edge.position)
  }

  /// Answers a relay whose own audio would come back to it; false for all others.
  ///
  /// So does a chain of more relays than can be told: such a loop could not be seen.
  func refuseLoop(
    _ slot: UInt32, _ head: HTTPRequestHead, _ request: StreamRequest, _ mount: Mount
  ) -> Bool {
    if request.via.isEmpty { return false }
    let via = mount.via
    let isLoop = request.via.contains(where: via.contains)
    guard isLoop || via.count > RelayVia.countMax else { return false }
    answers.replyError(
      slot, to: head, status: 508, code: "loop",
      message: isLoop
        ? "station \(mount.station) plays what the asking station plays, or falls back to it; "
          + "name the broadcaster's own address there"
        : "station \(mount.station) comes through more than \(RelayVia.countMax) relays already")
    return true
  }

  func relayHead(
    _ request: StreamRequest, _ place: Placement, at mount: Mount, in reader: LogReader
  ) -> StreamHead.Relay {
    let (log, start) = (reader.logID, place.start)
    var head = StreamHead.Relay(place: RelayPlace(log: log, position: start.position))
    if !request.via.isEmpty { head.via = mount.via }
    guard let resume = request.resume, resume.log == log else { return head }
    let known = resume.known.upperBound
    head.gaps = gaps(in: start.position..<reader.edge.position, of: reader)
      .prefix(RelayGap.countMax).map { RelayGap(position: $0.position, seconds: $0.seconds) }
    if known < start.position { head.lost = reader.seconds(from: known, to: start) }
    return head
  }

  private func gaps(in range: Range<UInt64>, of reader: LogReader) -> [GapMark] {
    reader.gapMarks(in: range).filter { $0.seconds > 0 }
  }

  /// Notes up to where a relay that begins at `start` has been told of gaps. It comes back for those behind.
  func noteRelay(
    _ request: StreamRequest, _ slot: UInt32, from start: LogPoint, _ shard: MountShard
  ) {
    guard !request.via.isEmpty, request.session == nil, !shard.isFallback else { return }
    let reader = shard.reader
    let untold = gaps(in: start.position..<max(start.position, reader.edge.position), of: reader)
      .dropFirst(RelayGap.countMax).first
    let told = untold?.position ?? reader.edge.position
    fanout.sidecars.change(slot) { $0.toldGaps = told }
  }
}
