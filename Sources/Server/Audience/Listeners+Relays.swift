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

  func relayHead(
    _ request: StreamRequest, _ place: Placement, in reader: LogReader
  ) -> StreamHead.Relay {
    let (log, start) = (reader.logID, place.start)
    var head = StreamHead.Relay(place: RelayPlace(log: log, position: start.position))
    guard let resume = request.resume, resume.log == log else { return head }
    let known = resume.known.upperBound
    head.gaps = reader.gapMarks(in: start.position..<reader.edge.position)
      .filter { $0.seconds > 0 }.suffix(RelayGap.countMax)
      .map { RelayGap(position: $0.position, seconds: $0.seconds) }
    if known < start.position { head.lost = reader.seconds(from: known, to: start) }
    return head
  }
}
