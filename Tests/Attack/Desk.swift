import Foundation
import TestSupport

/// Lets the servers that the relay asks answer what they should not, and then looks at what the relay makes of it.
final class Desk {
  private let battle: Battle
  private let doors: Doors

  init(_ battle: Battle) { (self.battle, doors) = (battle, battle.doors) }

  func run() {
    while !battle.isOver {
      let streams = battle.nextAnswers(.upstream, Battery.hostileCount)
      let pages = battle.nextAnswers(.page, Battery.hostileCount)
      battle.begin(streams + pages, by: -1)
      Self.serve(streams, pages, battle.battery, doors)
      usleep(120_000)
      Self.look(doors)
    }
  }

  func runAuth() {
    while !battle.isOver {
      for verdict in battle.nextAnswers(.auth, 4) where !battle.isOver {
        battle.begin([verdict], by: -2)
        Self.ask(verdict, battle.battery, doors)
      }
    }
  }

  /// Each of the hostile stations gets one of them.
  static func serve(_ streams: [Attack], _ pages: [Attack], _ battery: Battery, _ doors: Doors) {
    for number in 0..<max(streams.count, pages.count) {
      if streams.indices.contains(number) {
        battery.hostile.reply("/u\(number)", with: .raw(streams[number].bytes))
      }
      if pages.indices.contains(number) {
        battery.hostile.reply("/p\(number)", with: .raw(pages[number].bytes))
      }
      _ = Victim.administer("POST", "/api/v1/stations/u\(number)/restart", nil, doors)
    }
    for (number, stream) in streams.prefix(Battery.muteCount).enumerated() {
      let head = AnswerReader.head(of: stream.bytes)
      battery.hostile.reply("/m\(number)", with: .raw(head + NumberedFrames.frame(0)))
      _ = Victim.administer("POST", "/api/v1/stations/m\(number)/restart", nil, doors)
    }
  }

  /// Everything that tells of stations.
  static func look(_ doors: Doors) {
    let stations =
      (0..<Battery.hostileCount).map { "/api/v1/stations/u\($0)" }
      + (0..<Battery.muteCount).map { "/api/v1/stations/m\($0)" }
    let pages =
      [
        "/admin/stats", "/admin/listmounts", "/api/v1/stations", "/status-json.xsl", "/statistics",
        "/metrics",
      ]
      + [
        "/7.html", "/api/v1/stats", "/readyz", "/admin/streamlist.txt",
        "/api/v1/stations/u0/history",
      ] + stations
    for page in pages { _ = Victim.administer("GET", page, nil, doors) }
    for number in 0..<Battery.hostileCount {
      guard let line = try? Line(.tcp, doors, host: 0x020202) else { return }
      let titles = number % 2 == 0 ? "Icy-MetaData: 1\r\n" : ""
      line.send(
        Array("GET /u\(number) HTTP/1.1\r\nHost: x\r\n\(titles)\r\n".utf8),
        until: secondsNow() + 0.1)
    }
  }

  /// Listeners about whom the service that is asked says this.
  static func ask(_ verdict: Attack, _ battery: Battery, _ doors: Doors) {
    battery.hostile.reply(
      "/auth",
      with: FakeReply(statusLine: nil, body: .pieces([verdict.bytes], pause: 0, thenCloses: true)))
    let lines = Battery.authStations.map { station -> Line? in
      let line = try? Line(.tcp, doors, host: 0x020203)
      line?.send(HostileRequest("GET", "/\(station)").bytes, until: secondsNow() + 0.5)
      return line
    }
    let end = secondsNow() + 0.5
    for line in lines { _ = line?.answer(until: end) }
  }
}
