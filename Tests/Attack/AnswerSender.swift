import Foundation
import TestSupport

/// Lets the servers that the relay asks answer what they should not, and then looks at what the relay makes of it.
final class AnswerSender {
  private let round: Round
  private let addresses: RelayAddresses

  init(_ round: Round) { (self.round, addresses) = (round, round.addresses) }

  func run() {
    while !round.isOver {
      let streams = round.nextAnswers(.upstream, Setup.hostileCount)
      let pages = round.nextAnswers(.page, Setup.hostileCount)
      round.begin(streams + pages, by: -1)
      Self.serve(streams, pages, round.setup, addresses)
      usleep(120_000)
      Self.look(addresses)
    }
  }

  func runAuth() {
    while !round.isOver {
      for verdict in round.nextAnswers(.auth, 4) where !round.isOver {
        round.begin([verdict], by: -2)
        Self.ask(verdict, round.setup, addresses)
      }
    }
  }

  /// Each of the hostile stations gets one of them.
  static func serve(
    _ streams: [Attack], _ pages: [Attack], _ setup: Setup, _ addresses: RelayAddresses
  ) {
    for number in 0..<max(streams.count, pages.count) {
      if streams.indices.contains(number) {
        setup.hostile.reply("/u\(number)", with: .raw(streams[number].bytes))
      }
      if pages.indices.contains(number) {
        setup.hostile.reply("/p\(number)", with: .raw(pages[number].bytes))
      }
      _ = AttackedRelay.administer("POST", "/api/v1/stations/u\(number)/restart", nil, addresses)
    }
    for (number, stream) in streams.prefix(Setup.muteCount).enumerated() {
      let head = AnswerReader.head(of: stream.bytes)
      setup.hostile.reply("/m\(number)", with: .raw(head + NumberedFrames.frame(0)))
      _ = AttackedRelay.administer("POST", "/api/v1/stations/m\(number)/restart", nil, addresses)
    }
  }

  /// Everything that tells of stations.
  static func look(_ addresses: RelayAddresses) {
    let stations =
      (0..<Setup.hostileCount).map { "/api/v1/stations/u\($0)" }
      + (0..<Setup.muteCount).map { "/api/v1/stations/m\($0)" }
    let pages =
      [
        "/admin/stats", "/admin/listmounts", "/api/v1/stations", "/status-json.xsl", "/statistics",
        "/metrics",
      ]
      + [
        "/7.html", "/api/v1/stats", "/readyz", "/admin/streamlist.txt",
        "/api/v1/stations/u0/history",
      ] + stations
    for page in pages { _ = AttackedRelay.administer("GET", page, nil, addresses) }
    for number in 0..<Setup.hostileCount {
      guard let connection = try? Connection(.tcp, addresses, host: 0x020202) else { return }
      let titles = number % 2 == 0 ? "Icy-MetaData: 1\r\n" : ""
      connection.send(
        Array("GET /u\(number) HTTP/1.1\r\nHost: x\r\n\(titles)\r\n".utf8),
        until: secondsNow() + 0.1)
    }
  }

  /// Listeners about whom the service that is asked says this.
  static func ask(_ verdict: Attack, _ setup: Setup, _ addresses: RelayAddresses) {
    setup.hostile.reply(
      "/auth",
      with: FakeReply(statusLine: nil, body: .pieces([verdict.bytes], pause: 0, thenCloses: true)))
    let connections = Setup.authStations.map { station -> Connection? in
      let connection = try? Connection(.tcp, addresses, host: 0x020203)
      connection?.send(HostileRequest("GET", "/\(station)").bytes, until: secondsNow() + 0.5)
      return connection
    }
    let end = secondsNow() + 0.5
    for connection in connections { _ = connection?.answer(until: end) }
  }
}
