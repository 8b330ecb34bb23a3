import Foundation
import TestSupport

/// So many connections, of one address or of many, that say the same.
struct ConnectionCrowd: Sendable {
  var count: Int
  var way = Attack.Way.tcp
  var bytes: [UInt8]
  /// How many addresses it has.
  var addresses = 1
  /// Sent again and again, a byte each time.
  var drip: UInt8?
  /// It leaves as soon as each has an answer, or the end of its connection.
  var isAnswered = false
  var seconds = 2.5

  init(_ count: Int, _ text: String, way: Attack.Way = .tcp) {
    (self.count, self.way, bytes) = (count, way, Array(text.utf8))
  }

  private static let host: UInt32 = 0x060606

  /// Holds as many connections as it gets, and then lets go of them.
  func hold(_ besieged: Besieged) {
    let round = besieged.round
    var connections: [Connection] = []
    let end = secondsNow() + seconds
    var tried = 0
    while secondsNow() < end, !round.isOver {
      if tried < count {
        tried += 1
        let host = Self.host + UInt32(tried % addresses) << 8
        guard let connection = try? Connection(way, round.addresses, host: host) else { continue }
        connection.send(bytes, until: secondsNow() + 0.05)
        connections.append(connection)
      } else if isAnswered {
        listen(to: connections, until: end)
        break
      } else {
        if let drip {
          for connection in connections { connection.send([drip], until: secondsNow() + 0.001) }
        }
        usleep(50_000)
        if connections.count < count { tried = connections.count }
      }
    }
  }

  /// Reads the heads, and of what is long nothing more.
  private func listen(to connections: [Connection], until end: Double) {
    for connection in connections { _ = connection.answer(until: end) }
    usleep(300_000)
    withExtendedLifetime(connections) {}
  }
}

extension Siege {
  init(_ name: String, openFiles: Int? = nil, beside: [Attack] = [], _ crowd: ConnectionCrowd) {
    self.init(name, openFiles: openFiles, beside: beside) { besieged in
      crowd.hold(besieged)
      return nil
    }
  }

  static func get(_ path: String, _ fields: String = "") -> String {
    "GET \(path) HTTP/1.1\r\nHost: x\r\n\(fields)\r\n"
  }

  static let crowds: [Siege] = waiting + heavy + descriptors + locks

  /// Those that take what they are given slowly, or say slowly what they want.
  private static let waiting: [Siege] = [
    Siege("watchers who take nothing", ConnectionCrowd(500, get("/events"))),
    Siege("connections that say nothing", ConnectionCrowd(500, "")),
    Siege("heads that do not end", dripping(300, "GET /", "a")),
    Siege("bodies that do not end", dripping(300, slowBody, " ")),
    Siege("listeners who take nothing", ConnectionCrowd(300, get("/aac?burst=60"))),
    Siege("encoders without a word", ConnectionCrowd(300, "", way: .shoutcast)),
  ]

  private static let heavy: [Siege] = [
    Siege("newcomers of a station on demand", ConnectionCrowd(200, get("/demand"))),
    Siege("newcomers about whom nobody answers", ConnectionCrowd(150, get("/waiting"))),
    Siege("clips", ConnectionCrowd(100, get("/late/clip?from=-1m"))),
    Siege("lists of files", ConnectionCrowd(200, get("/shows.m3u"))),
    Siege(
      "pages of monitors",
      ConnectionCrowd(200, get("/status-json.xsl") + get("/7.html") + get("/statistics"))),
  ]

  /// More of them than the relay has descriptors for, from many addresses.
  private static let descriptors: [Siege] = [
    Siege("watchers, until there is no descriptor", most(ConnectionCrowd(1800, get("/events")))),
    Siege("silent ones, until there is no descriptor", most(ConnectionCrowd(1800, ""))),
    Siege("slow bodies, until there is no descriptor", most(dripping(1800, slowBody, " "))),
    Siege("slow heads, until there is no descriptor", most(dripping(1800, "GET /", "a"))),
    Siege(
      "listeners, until there is no descriptor", most(ConnectionCrowd(1800, get("/aac?burst=0")))),
  ]

  private static func most(_ crowd: ConnectionCrowd) -> ConnectionCrowd {
    var crowd = many(crowd)
    crowd.seconds = 4
    return crowd
  }

  /// What locks others out of something in particular.
  private static let locks: [Siege] = [
    Siege("wrong passwords", beside: rightPasswords, wrongPasswords),
    Siege("wrong passwords of many", beside: rightPasswords, many(wrongPasswords, addresses: 8)),
    Siege(
      "handshakes that stop", openFiles: 4096, beside: [handshake],
      ConnectionCrowd(2300, hello, way: .tcp)),
    Siege(
      "handshakes of many that stop", openFiles: 4096, beside: [handshake],
      many(ConnectionCrowd(2560, hello), addresses: 160)),
    Siege("starts that nobody waits for", run: Starts.run),
  ]

  private static let slowBody =
    "POST /api/v1/sessions/kitchen-radio-1 HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n"

  /// The head of a record, and none of the hello in it.
  private static let hello = "\u{16}\u{3}\u{1}\u{2}\u{0}"

  /// listener:wrong
  private static let wrongPasswords = ConnectionCrowd(
    500, get("/vaulted", "Authorization: Basic bGlzdGVuZXI6d3Jvbmc=\r\n"))
  /// Each of somebody who has not been let in before: that may be remembered.
  private static let rightPasswords = Setup.vaultUsers.map { user in
    let credentials = Data("\(user):opensesame".utf8).base64EncodedString()
    return Attack(
      way: .tcp, bytes: Array(get("/vaulted", "Authorization: Basic \(credentials)\r\n").utf8),
      place: "right password", isPlain: true)
  }
  private static let handshake = Attack(
    way: .tls, bytes: Array(get("/healthz").utf8), place: "handshake", isPlain: true)

  private static func dripping(_ count: Int, _ text: String, _ drip: Unicode.Scalar)
    -> ConnectionCrowd
  {
    var crowd = ConnectionCrowd(count, text)
    crowd.drip = UInt8(ascii: drip)
    return crowd
  }

  private static func many(_ crowd: ConnectionCrowd, addresses: Int = 40) -> ConnectionCrowd {
    var crowd = crowd
    crowd.addresses = addresses
    return crowd
  }
}

/// One address that wakes stations on demand and is gone before they have anything to say.
enum Starts {
  /// A minute's worth, and those of the attacks before.
  private static let wokenMax = 40

  static func run(_ besieged: Besieged) -> String? {
    let upstream = besieged.round.setup.healthy
    let before = upstream.requests(for: Setup.sleeperPath).count
    for number in 0..<Setup.sleepers {
      let connection = try? Connection(.tcp, besieged.addresses, host: 0x060607)
      connection?.send(Array(Siege.get("/s\(number)").utf8), until: secondsNow() + 0.05)
      usleep(2000)
    }
    usleep(1_500_000)
    let woken = upstream.requests(for: Setup.sleeperPath).count - before
    return woken > wokenMax ? "one address wakes \(woken) stations at once" : nil
  }
}
