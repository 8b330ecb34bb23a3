import Foundation
import TestSupport

/// Many connections that each do something harmless, or nothing, at once: what one stranger with a script can do.
struct Siege: Sendable {
  let name: String
  private let count: Int
  private let way: Attack.Way
  private let bytes: [UInt8]
  /// Sent again and again, a byte each time.
  private let drip: UInt8?
  private static let seconds = 5.0

  private init(
    _ name: String, _ count: Int, _ text: String, way: Attack.Way = .tcp, drip: UInt8? = nil
  ) {
    (self.name, self.count, self.way, self.drip) = (name, count, way, drip)
    bytes = Array(text.utf8)
  }

  static let all: [Siege] = [
    Siege("watchers who take nothing", 500, get("/events")),
    Siege("connections that say nothing", 500, ""),
    Siege("heads that do not end", 300, "GET /", drip: UInt8(ascii: "a")),
    Siege(
      "bodies that do not end", 300,
      "POST /api/v1/sessions/kitchen-radio-1 HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n",
      drip: 32),
    Siege("handshakes that stop", 500, "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}"),
    Siege("listeners who take nothing", 300, get("/aac?burst=60")),
    Siege("newcomers of a station on demand", 200, get("/demand")),
    Siege("newcomers about whom nobody answers", 150, get("/waiting")),
    Siege(
      "wrong passwords", 100,
      "GET /guarded HTTP/1.1\r\nHost: x\r\nAuthorization: Basic bGlzdGVuZXI6d3Jvbmc=\r\n\r\n"),
    Siege("clips", 100, get("/late/clip?from=-1m")),
    Siege("lists of files", 200, get("/shows.m3u")),
    Siege("encoders without a word", 300, "", way: .shoutcast),
    Siege("pages of monitors", 200, get("/status-json.xsl") + get("/7.html") + get("/statistics")),
  ]

  private static func get(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n" }

  var attack: Attack { Attack(way: .siege, bytes: Array(name.utf8), place: "siege") }

  /// What others have seen of it; nil: nothing.
  func lay(on victim: Victim) -> String? {
    let battle = Battle(victim.doors, victim.battery, .none)
    let crew = Crew()
    crew.add("probe") { Witness(battle).probe() }
    crew.add("listener") { Witness(battle).listen() }
    crew.add("pulse") { Witness(battle).feelPulse() }
    usleep(300_000)
    hold(battle)
    battle.finish()
    crew.wait()
    return battle.suspects.first?.what
  }

  /// Holds as many connections as it gets, and then lets go of them.
  private func hold(_ battle: Battle) {
    var lines: [Line] = []
    let end = secondsNow() + Self.seconds
    while secondsNow() < end, !battle.isOver {
      if lines.count < count, let line = try? Line(way, battle.doors, host: 0x060606) {
        line.send(bytes, until: secondsNow() + 0.05)
        lines.append(line)
      } else {
        if let drip { for line in lines { line.send([drip], until: secondsNow() + 0.001) } }
        usleep(50_000)
      }
    }
  }
}
