import Glibc
import Reactor
import TestSupport
import Testing
import Wire

@testable import Server

/// `/events?station=S&kinds=a,b&identified=1&behind=MS&after=ID&seconds=S`, and nothing else.
private struct EventAPI: APIHandling {
  func respond(to request: APIRequest) async -> APIResponse {
    let query = request.head.query
    guard request.head.path == "/events" else {
      return .whole(status: 200, mediaType: "text/plain", body: [])
    }
    let kinds = query["kinds"].map { Set($0.split(separator: ",").map(String.init)) }
    return .events(
      EventFilter(
        station: query["station"], kinds: kinds, isIdentified: query["identified"] != nil,
        moment: query["behind"].flatMap(Int64.init).map { .behind($0) }),
      after: query["after"].flatMap(UInt64.init), for: query["seconds"].flatMap(Double.init))
  }
}

/// Who watches events: how many may, and that each is told all it wants, once and in order.
@Suite(.serialized)
struct WatcherTests {
  private static let stations = ["jazz", "rock", nil]
  private static let kinds = ["state", "metadata", "listener-connected", "gap"]

  private static func watch(
    _ address: SocketAddress, _ query: String = "", fields: String = "",
    receiveBuffer: Int32? = nil
  ) throws -> StreamClient {
    try StreamClient(
      to: address, sending: "GET /events\(query) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n",
      receiveBuffer: receiveBuffer)
  }

  /// What a client is told of the ring's events, made one by one.
  private static func told(_ ring: EventRing, _ filter: EventFilter, after: UInt64 = 0) -> String {
    ring.read(after: after, limit: .max).events.filter { event in
      (filter.station == nil || filter.station == event.station)
        && (filter.kinds?.contains(event.kind) ?? true)
    }.map { event in
      let json = filter.isIdentified ? event.identifiedJSON : event.json
      return "id: \(event.id)\nevent: \(event.kind)\ndata: \(json)\n\n"
    }.joined()
  }

  /// Without comments.
  private static func events(_ client: StreamClient) -> String {
    String(decoding: client.body, as: UTF8.self).components(ending: "\n\n").filter {
      !$0.hasPrefix(":")
    }.joined()
  }

  private static func append(
    _ count: Int, to ring: EventRing, _ random: inout SplitMix
  ) {
    for _ in 0..<count {
      let number = Int.random(in: 0..<1_000_000, using: &random)
      ring.append(
        kind: kinds.randomElement(using: &random)!,
        station: stations.randomElement(using: &random)!, json: "{\"n\":\(number)}",
        identifiedJSON: Bool.random(using: &random) ? "{\"n\":\(number),\"a\":\"ü\"}" : nil)
    }
  }

  @Test
  func `a watcher is told what it wants, once and in order, however it reads`() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    var random = SplitMix(seed: seed)
    let ring = EventRing(firstID: 1000)
    let wishes: [(String, EventFilter)] = [
      ("", EventFilter()), ("station=jazz", EventFilter(station: "jazz")),
      ("kinds=state,gap", EventFilter(kinds: ["state", "gap"])),
      ("kinds=none", EventFilter(kinds: ["none"])),
      ("identified=1", EventFilter(isIdentified: true)),
      (
        "station=rock&kinds=metadata&identified=1",
        EventFilter(station: "rock", kinds: ["metadata"], isIdentified: true)
      ),
    ]
    try await withServer(of: EventAPI(), events: ring) { server, address in
      var watchers: [(client: StreamClient, filter: EventFilter, after: UInt64)] = []
      let missed = "event: missed\ndata: {\"missed\":1}\n\n"
      for round in 0..<8 {
        for (query, filter) in wishes {
          // From now on, from an event that was, or from one that was never given.
          let now = ring.newestID
          let (start, after): (String, UInt64) =
            switch round % 3 {
            case 0: ("", now)
            case 1: ("&after=\(now - UInt64(round))", now - UInt64(round))
            default: ("&after=99999999", 0)
            }
          let client = try Self.watch(
            address, "?\(query)\(start)", receiveBuffer: round == 4 ? 2048 : nil)
          _ = try await client.answer()
          watchers.append((client, filter, after))
        }
        Self.append(Int.random(in: 1...200, using: &random), to: ring, &random)
        for (index, watcher) in watchers.enumerated() where index % 2 == 0 {
          watcher.client.drain(atMost: 3000)
        }
      }
      for (client, filter, after) in watchers {
        let wanted = (after == 0 ? missed : "") + Self.told(ring, filter, after: max(after, 999))
        try await client.until("all of it") { Self.events($0).utf8.count >= wanted.utf8.count }
        let isSame = Self.events(client) == wanted
        #expect(isSame, "filter \(filter)")
      }
      #expect(await server.figures().watchers == watchers.count)
    }
  }

  @Test func `a watcher a ring behind is told how much it missed, and goes on`() async throws {
    let ring = EventRing(firstID: 1)
    var random = SplitMix(seed: 4)
    Self.append(EventRing.countMax + 100, to: ring, &random)
    try await withServer(of: EventAPI(), events: ring) { _, address in
      let client = try Self.watch(address, "?kinds=none&after=20")
      try await client.until {
        $0.text.hasSuffix(": longwave\n\nevent: missed\ndata: {\"missed\":80}\n\n")
      }
      let gap = try Self.watch(address, "?kinds=gap&after=20")
      let missed = "event: missed\ndata: {\"missed\":80}\n\n"
      let wanted = missed + Self.told(ring, EventFilter(kinds: ["gap"]))
      try await gap.until { Self.events($0) == wanted }
    }
  }

  @Test func `events that nobody wants are read over without being rendered`() {
    let ring = EventRing(firstID: 1)
    var random = SplitMix(seed: 5)
    Self.append(EventRing.countMax, to: ring, &random)
    let none = ring.frames(after: 0, limit: 1, where: EventFilter(kinds: ["none"]))
    #expect(none.frames.isEmpty && none.last == ring.newestID)
    let some = ring.frames(after: 0, through: 50, limit: 1000, where: EventFilter(station: "jazz"))
    #expect(some.last == 50 && some.frames.allSatisfy { $0.station == "jazz" && $0.id <= 50 })
  }

  // MARK: Limits

  @Test func `watchers are bounded in all, and for one address`() async throws {
    try await withServer(
      of: EventAPI(),
      change: {
        $0.watchersMax = 3
        $0.watchersPerAddress = 2
        $0.clients.trustedProxies = [AddressRange("127.0.0.0/8")!]
      }
    ) { server, address in
      func watch(_ client: String) throws -> StreamClient {
        try Self.watch(address, fields: "X-Forwarded-For: \(client)\r\n")
      }
      let first = try watch("2001:db8:1:2::1")
      #expect(try await first.answer().status == 200)
      let second = try watch("2001:db8:1:2::2")
      #expect(try await second.answer().status == 200)
      let third = try await watch("2001:db8:1:2::3").answer()
      #expect(third.status == 429 && third["retry-after"] == "30")
      let other = try watch("203.0.113.7")
      #expect(try await other.answer().status == 200)
      let full = try await watch("203.0.113.8").answer()
      #expect(full.status == 503 && full["retry-after"] == "5")
      #expect(await server.figures().watchers == 3)
      second.hangUp()
      try await eventually("its place") { try await watch("203.0.113.8").answer().status == 200 }
      withExtendedLifetime((first, other)) {}
    }
  }

  @Test func `an address watches so many places in the past, and leaves the rest to others`()
    async throws
  {
    try await withServer(
      of: EventAPI(), change: { $0.clients.trustedProxies = [AddressRange("127.0.0.0/8")!] }
    ) { server, address in
      func watch(_ client: String, _ query: String) throws -> StreamClient {
        try Self.watch(address, query, fields: "X-Forwarded-For: \(client)\r\n")
      }
      var watchers: [StreamClient] = []
      for number in 1...8 {
        watchers.append(try watch("2001:db8:1:\(number)::1", "?behind=\(number)"))
        #expect(try await watchers[number - 1].answer().status == 200)
      }
      let more = try await watch("2001:db8:1:9::1", "?behind=9").answer()
      #expect(more.status == 429 && more["retry-after"] == "30")
      #expect(try await watch("2001:db8:1:9::1", "").answer().status == 200)
      let other = try watch("203.0.113.7", "?behind=9")
      #expect(try await other.answer().status == 200)
      watchers.removeLast().hangUp()
      try await eventually("its place") {
        try await watch("2001:db8:1:9::1", "?behind=9").answer().status == 200
      }
      withExtendedLifetime((watchers, other)) {}
    }
  }

  @Test func `places for watchers do not grow with files that may be open`() {
    let most = NetworkPlaces.connectionsPossible
    var configuration = ServerConfiguration(listen: [], name: "test")
    #expect(NetworkPlaces(configuration).watchersMax == max(1, min(4000, most / 2)))
    configuration.watchersMax = 5000
    #expect(NetworkPlaces(configuration).watchersMax == min(5000, most))
  }

  @Test func `watchers leave places for those who do not watch`() async throws {
    try await withServer(of: EventAPI(), change: { $0.connectionsMax = 40 }) { server, address in
      let clients = try (0..<60).map { _ in try Self.watch(address) }
      try await eventually("an answer for each") {
        for client in clients { client.drain() }
        return clients.allSatisfy { $0.received.count > 12 || $0.isEnded }
      }
      // Of one address a quarter of half of them, or sixteen.
      #expect(await server.figures().watchers == 16)
      #expect(clients.count { $0.text.hasPrefix("HTTP/1.1 200") } == 16)
      let page = try StreamClient(to: address, sending: "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try await page.answer().status == 200)
    }
  }

  @Test func `a watcher whose time is over is ended, and may come again`() async throws {
    try await withServer(of: EventAPI()) { server, address in
      let other = try Self.watch(address)
      _ = try await other.answer()
      for _ in 0..<2 {
        let client = try Self.watch(address, "?kinds=none&seconds=1")
        #expect(try await client.answer().status == 200)
        try await client.until("its end") { $0.isEnded }
        #expect(await server.figures().watchers == 1)
      }
      withExtendedLifetime(other) {}
    }
  }

  @Test func `a watcher who takes nothing is ended, one who does goes on`() async throws {
    let ring = EventRing(firstID: 1)
    try await withServer(of: EventAPI(), events: ring, change: { $0.watcherTimeout = 2 }) {
      server, address in
      let reader = try Self.watch(address)
      let stuck = try Self.watch(address, receiveBuffer: 2048)
      _ = try await (reader.answer(), stuck.answer())
      let long = "\"" + String(repeating: "x", count: 2000) + "\""
      try await eventually("only the reader is left", within: 60) {
        for _ in 0..<20 { ring.append(kind: "state", station: nil, json: long) }
        reader.drain()
        return await server.figures().connections == 1
      }
      #expect(await server.figures().watchers == 1)
      #expect(!reader.isEnded)
      let last = ring.newestID
      try await reader.until("the newest") { $0.text.contains("id: \(last)\n") }
    }
  }
}

extension String {
  /// Pieces with their ends; what is behind the last one is left out.
  fileprivate func components(ending end: String) -> [String] {
    var pieces: [String] = []
    var rest = self[...]
    while let range = rest.firstRange(of: end) {
      pieces.append(String(rest[..<range.upperBound]))
      rest = rest[range.upperBound...]
    }
    return pieces
  }
}
