import Timeshift
import Wire

// Relays among the listeners: they are told where their stream stands in the log.
extension Listeners {
  /// Seconds that a relay waits for something new. After that it begins with what it has, so that it knows of the station.
  private static let newsSeconds = 5.0

  /// Whether a relay has all of the log, most likely since both have just come back. Only behind its end it is known
  /// what is missing there.
  func isAhead(_ request: StreamRequest, _ slot: UInt32, of shard: MountShard) -> Bool {
    guard let resume = request.resume, resume.log == shard.reader.logID, request.place == .live,
      request.session == nil, shard.mount.fallback == nil
    else { return false }
    return shard.reader.edge.position <= resume.known.upperBound
      && connections.sinceAsked(slot) < Int64(nanosecondsIn: Self.newsSeconds)
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
    head.gaps = reader.gapMarks(in: start.position..<reader.edge.position)
      .filter { $0.seconds > 0 }.suffix(RelayGap.countMax)
      .map { RelayGap(position: $0.position, seconds: $0.seconds) }
    if known < start.position { head.lost = reader.seconds(from: known, to: start) }
    return head
  }
}
