import Reactor
import Synchronization
import TestSupport
import Testing
import Threads
import Timeshift
import Wire

@testable import Server

struct ForwardedAddressTests {
  private static let trusted = ["10.0.0.0/8", "192.0.2.1", "2001:db8::/32"].map {
    AddressRange($0)!
  }

  @Test(arguments: [
    ("10.0.0.1", "203.0.113.7", "203.0.113.7"),
    // From the right: what stands left of an untrusted address anybody may have written.
    ("10.0.0.1", "1.2.3.4, 203.0.113.7", "203.0.113.7"),
    ("10.0.0.1", "1.2.3.4, 203.0.113.7, 10.9.9.9, 192.0.2.1", "203.0.113.7"),
    ("10.0.0.1", "10.1.1.1, 10.2.2.2", "10.1.1.1"),
    ("10.0.0.1", "2001:db9::5", "2001:db9::5"), ("10.0.0.1", "[2001:db9::5]:4000", "2001:db9::5"),
    ("10.0.0.1", "203.0.113.7:4711", "203.0.113.7"),
    ("10.0.0.1", "nonsense", "10.0.0.1"), ("10.0.0.1", "203.0.113.7, nonsense", "10.0.0.1"),
    // To a String, U+0600 and the comma behind it are one character, and so are a comma and an accent.
    ("10.0.0.1", "1.2.3.4\u{600}, 203.0.113.7", "203.0.113.7"),
    ("10.0.0.1", "1.2.3.4,\u{301}, 203.0.113.7", "203.0.113.7"),
    ("10.0.0.1", "", "10.0.0.1"), ("10.0.0.1", "localhost", "127.0.0.1"),
    ("203.0.113.9", "10.0.0.7", "203.0.113.9"), ("2001:db8::9", "198.51.100.1", "198.51.100.1"),
  ])
  func `a forwarded client is the first address from the right that is no trusted proxy`(
    peer: String, field: String, client: String
  ) throws {
    let fields = HTTPFields([(name: "x-forwarded-for", value: field)])
    let found = ForwardedAddress.client(
      of: fields, peer: try #require(SocketAddress(host: peer, port: 1)), trusted: Self.trusted)
    #expect(found.host == client)
  }
}

/// Says from one thread to another that something has happened.
private final class Signal: Sendable {
  private let flag = Atomic<Bool>(false)
  var isSet: Bool { flag.load(ordering: .acquiring) }
  func set() { flag.store(true, ordering: .releasing) }
}

@Suite(.serialized)
struct AccessTests {
  /// What a request for the stream is answered, and the client, so that it stays.
  private func ask(
    _ server: TestServer, _ fields: String = "", _ path: String = "/jazz"
  ) throws -> StreamClient {
    let client = try StreamClient(
      to: server.address, sending: "GET \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
    try client.wait { $0.received.count > 12 }
    return client
  }

  @Test func `an address has so many places, and gets them back`() async throws {
    try await withServer(change: { $0.listenersPerAddress = 2 }) { server in
      let one = try ask(server)
      let two = try ask(server)
      #expect(try one.head().status == 200 && two.head().status == 200)
      let three = try ask(server)
      #expect(try three.head().status == 429 && three.head()["retry-after"] == "30")
      one.hangUp()
      try await eventually("its place is free", within: 60) {
        try ask(server).head().status == 200
      }
      withExtendedLifetime(two) {}
    }
  }

  @Test func `clients behind a trusted proxy have places and rules of their own`() async throws {
    try await withServer(change: {
      $0.listenersPerAddress = 1
      $0.clients.trustedProxies = [AddressRange("127.0.0.0/8")!]
      $0.access.deny = [AddressRange("203.0.113.0/24")!]
    }) { server in
      let one = try ask(server, "X-Forwarded-For: 198.51.100.1\r\n")
      let two = try ask(server, "X-Forwarded-For: 198.51.100.2\r\n")
      #expect(try one.head().status == 200 && two.head().status == 200)
      #expect(try ask(server, "X-Forwarded-For: 198.51.100.1\r\n").head().status == 429)
      #expect(try ask(server, "X-Forwarded-For: 203.0.113.5\r\n").head().status == 403)
      let listed = await server.server.listeners().map(\.address).sorted()
      #expect(listed == ["198.51.100.1", "198.51.100.2"])
      let list = try ask(
        server, "X-Forwarded-Proto: https\r\nX-Forwarded-Host: radio.example\r\n", "/jazz.m3u")
      try await list.until { $0.bodyCount > 10 }
      #expect(String(decoding: list.body, as: UTF8.self).contains("https://radio.example/jazz"))
      withExtendedLifetime((one, two)) {}
    }
  }

  @Test func `a client's own header lines cannot hide the address that a proxy has added`()
    async throws
  {
    try await withServer(change: {
      $0.clients.trustedProxies = [AddressRange("127.0.0.0/8")!]
      $0.access.deny = [AddressRange("203.0.113.0/24")!]
    }) { server in
      for forged in ["1.2.3.4\u{600}", "\u{110BD}", "1.2.3.4,\u{301}", "x\u{200D}", "\u{FE0F}"] {
        let client = try ask(server, "X-Forwarded-For: \(forged), 203.0.113.5\r\n")
        #expect(try client.head().status == 403, "\(forged.unicodeScalars.map(\.value))")
      }
    }
  }

  @Test func `a forwarded address from a peer that is no trusted proxy is ignored`() async throws {
    try await withServer(change: { $0.access.deny = [AddressRange("203.0.113.0/24")!] }) { server in
      let client = try ask(server, "X-Forwarded-For: 203.0.113.5\r\n")
      #expect(try client.head().status == 200)
      #expect(await server.server.listeners().map(\.address) == ["127.0.0.1"])
    }
  }

  @Test func `a mount has its own rules, places and time`() async throws {
    var settings = ListenerSettings()
    settings.listenersMax = 1
    settings.listeningTimeMax = 4
    try await withServer(settings: settings) { server in
      let one = try ask(server)
      #expect(try one.head().status == 200)
      let two = try ask(server)
      #expect(try two.head().status == 503)
      #expect(String(decoding: two.received, as: UTF8.self).contains("station jazz has all"))
      try await one.until("its time is up") { $0.isEnded }
      #expect(try NumberedFrames.numbers(in: one.body).count > 100)
      #expect(try ask(server).head().status == 200)
      var mount = Mount(station: "jazz", log: server.station.log)
      mount.access.allow = [AddressRange("10.0.0.0/8")!]
      await server.server.publish(mounts: [mount])
      #expect(try ask(server).head().status == 403)
      let head = try StreamClient(to: server.address, get: "/jazz", method: "HEAD")
      #expect(try head.head().status == 403)
    }
  }

  @Test func `rules that become narrower end those they refuse, and nobody else`() async throws {
    try await withServer(change: { $0.clients.trustedProxies = [AddressRange("127.0.0.0/8")!] }) {
      server in
      func listen(_ address: String, _ player: String = "mpv") async throws -> StreamClient {
        let client = try ask(
          server, "X-Forwarded-For: \(address)\r\nUser-Agent: \(player)\r\n")
        try await client.until { $0.bodyCount > 1000 }
        return client
      }
      let (one, two) = (try await listen("203.0.113.5"), try await listen("198.51.100.1"))
      let (ripper, other) = (
        try await listen("198.51.100.2", "StreamRipper/1"), try await listen("192.0.2.1")
      )
      var settings = ServerConfiguration(listen: [], name: "test")
      settings.clients.trustedProxies = [AddressRange("127.0.0.0/8")!]
      settings.access.deny = [AddressRange("203.0.113.0/24")!]
      settings.access.denyAgents = [Glob("*ripper*")]
      await server.server.publish(settings)
      for client in [one, ripper] {
        try await client.until("its end") { $0.isEnded }
        #expect(try NumberedFrames.numbers(in: client.body).count > 2)
      }
      var mount = Mount(station: "jazz", log: server.station.log)
      mount.access.allow = [AddressRange("192.0.2.0/24")!]
      await server.server.publish(mounts: [mount])
      try await two.until("its end") { $0.isEnded }
      let before = other.bodyCount
      try await other.until("more") { $0.bodyCount > before + 10_000 }
    }
  }

  @Test func `rules that become narrower end who waits for a first packet`() async throws {
    try await withServer(seconds: 0, isFed: false, change: { $0.firstPacketTimeout = 300 }) {
      server in
      let isWaiting = Signal()
      var mount = Mount(station: "jazz", log: server.station.log)
      mount.demand = Demand { if case .wanted = $0 { isWaiting.set() } }
      await server.server.publish(mounts: [mount])
      let client = try StreamClient(to: server.address, get: "/jazz")
      try await eventually("it waits") { isWaiting.isSet }
      var settings = ServerConfiguration(listen: [], name: "test")
      settings.access.deny = [AddressRange("127.0.0.0/8")!]
      await server.server.publish(settings)
      try await client.until("its end") { $0.isEnded }
      #expect(client.received.isEmpty)
    }
  }

  @Test func `a client that waits for a first packet in vain gives its place back`() async throws {
    try await withServer(seconds: 0, isFed: false, change: { $0.listenersPerAddress = 1 }) {
      server in
      for _ in 0..<2 {
        let client = try StreamClient(to: server.address, get: "/jazz")
        try await client.until { $0.isEnded }
        #expect(try client.head().status == 503)
      }
      let gone = try StreamClient(to: server.address, get: "/jazz")
      gone.hangUp()
      server.station.append(20, at: .now())
      try await eventually("the place is free", within: 60) {
        try ask(server).head().status == 200
      }
    }
  }
}
