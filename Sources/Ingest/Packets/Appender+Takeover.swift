import Timeshift

// How a better upstream takes over from the one that plays.
extension Appender {
  /// Lets another connection go on with the log; `newest` is what it sent last. False: it cannot.
  ///
  /// Goes on at a matched packet if both have the same stream; otherwise, in an equal format, with the next packet.
  ///
  /// - Parameters:
  ///   - url: where its audio comes from, behind all redirects.
  ///   - entry: its entry among the station's URLs.
  func adopt(
    _ newest: HeldItems, from url: String, of entry: String, at now: Moment
  ) -> Bool {
    guard case .direct = intake, let last = newest.packets.last, last.format == station.format,
      var stitcher = makeStitcher(for: last.format, from: url)
    else { return false }
    for packet in newest.packets {
      stitcher.arrive(packet.hash, seconds: packet.seconds, at: now.sinceBoot)
    }
    tellRest()
    gapCause = .upstreamJumped
    connection = Connection(url: url, source: connection.source, headers: last.headers)
    fileBegins.begin()
    intro.end()
    speakers.connectionBegins()
    speakers.opened(.upstream(entry), metaint: nil, away: .exactly(0))
    if newest.lastTitle != nil { speakers.spoke() }
    fileBegins.arrived(newest.packets[0].hash)
    switch stitcher.takeover(at: now.sinceBoot) {
    case .matched(let drop, _, _):
      speakers.spoke()
      held = newest
      dropKnown(0..<drop.upperBound)
      flush(at: now)
    case .hold:
      held = newest
      intake = .stitching(stitcher)
    case .gap(_, _, _, let repeated):
      markGap(seconds: 0)
      if repeated > 0 {
        report(
          .reconnected(Reconnection(stitchedSeconds: 0, lostSeconds: 0, repeatedSeconds: repeated)))
      }
      if let title = newest.lastTitle { station.hear(title, from: .upstream) }
    }
    gapCause = .upstreamAway
    decide(at: now)
    return true
  }
}
