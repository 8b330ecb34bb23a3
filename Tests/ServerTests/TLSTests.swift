import Glibc
import Reactor
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Server

/// HTTP and HTTPS on one port.
@Suite(.serialized)
struct TLSTests {
  private static let tickets = TLSTicketKeys()

  private static func offer(_ files: TestCertificate, isOnly: Bool = false) throws -> TLSOffer {
    TLSOffer(
      try TLSContext(certificate: files.certificate, key: files.key, tickets: tickets),
      isOnly: isOnly)
  }

  private func withTLS(
    isOnly: Bool = false, settings: ListenerSettings = .init(), seconds: Double = 10,
    threads: Int = 2, change: (inout ServerConfiguration) -> Void = { _ in },
    _ body: (TestServer, TestCertificate) async throws -> Void
  ) async throws {
    let files = try await TestCertificate()
    let offer = try Self.offer(files, isOnly: isOnly)
    try await withServer(
      seconds: seconds, threads: threads, settings: settings,
      change: {
        $0.tls = offer
        change(&$0)
      }
    ) { try await body($0, files) }
  }

  /// A client that has shaken hands and asked.
  private func client(
    _ server: TestServer, get path: String, fields: String = "", receiveBuffer: Int32? = nil,
    trusting files: TestCertificate? = nil
  ) throws -> StreamClient {
    let client = try StreamClient(to: server.address, sending: "", receiveBuffer: receiveBuffer)
    try client.encryptBlocking(try TLSContext(trusting: files?.certificate))
    client.send(Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n".utf8))
    return client
  }

  private func curl(_ arguments: String...) async throws -> ChildProcess.Result {
    try await ChildProcess.run(
      ["curl", "-sS", "-i", "--max-time", "120"] + arguments, within: 150)
  }

  @Test func `curl is answered on one port in clear and encrypted, and sent on as it came`()
    async throws
  {
    try await withTLS { server, files in
      let place = "localhost:\(server.address.port!)"
      for scheme in ["http", "https"] {
        let answer = try await curl("--cacert", files.certificate, "\(scheme)://\(place)/x")
        #expect(answer.output.hasSuffix("GET /x 0"), "\(answer.log)")
        let list = try await curl("--cacert", files.certificate, "\(scheme)://\(place)/jazz.m3u")
        #expect(list.output.contains("\(scheme)://\(place)/jazz"), "\(list.output)")
      }
      let figures = await server.server.figures().handshakes
      #expect(figures.full + figures.resumed == 2)
      #expect(figures.failed == 0)
    }
  }

  @Test func `a listener gets the burst and then every packet once`() async throws {
    try await withTLS { server, files in
      let client = try client(server, get: "/jazz", trusting: files)
      try await client.until { $0.bodyCount > 120_000 }
      #expect(try client.head().status == 200)
      let numbers = try NumberedFrames.numbers(in: client.body, mayEndInFrame: true)
      #expect(numbers == Array(numbers[0]..<numbers[0] + UInt64(numbers.count)))
      #expect(await server.server.listeners().map(\.protocolName) == ["http/1.1 over TLSv1.3"])
    }
  }

  @Test(arguments: [512, 16_000])
  func `a slow reader over TLS gets whole packets and whole ICY blocks`(metaint: Int) async throws {
    var settings = ListenerSettings()
    settings.metaint = metaint
    // Eight handshakes while other tests take the time of both cores.
    try await withTLS(settings: settings, seconds: 60, change: { $0.headTimeout = 60 }) {
      server, _ in
      // Less room than a segment would have each part wait for the kernel's timer.
      var clients: [StreamClient] = []
      for _ in 0..<8 {
        clients.append(
          try client(
            server, get: "/jazz?burst=20", fields: "Icy-MetaData: 1\r\n", receiveBuffer: 16_384))
      }
      var blocked: UInt64 = 0
      try await eventually("a full socket, again and again", within: 60) {
        blocked = await server.server.figures().wouldBlocks
        for client in clients { client.drain(atMost: 20_000) }
        return blocked > 20 && clients.allSatisfy { $0.bodyCount > 300_000 }
      }
      for client in clients {
        let heard = try HeardPackets(client)
        #expect(heard.packets.count > 300)
        #expect(heard.seams.isEmpty)
      }
    }
  }

  @Test func `requests sent ahead are answered in order, long ones too`() async throws {
    try await withTLS { server, _ in
      let client = try StreamClient(to: server.address, sending: "")
      try client.encryptBlocking(try TLSContext(trusting: nil))
      let requests = (0..<50).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined()
      client.send(Array(requests.utf8))
      try await client.until { String(decoding: $0.received, as: UTF8.self).contains("GET /49 0") }
      let text = String(decoding: client.received, as: UTF8.self)
      let order = text.split(separator: "GET /").dropFirst().map { $0.prefix { $0 != " " } }
      #expect(order == (0..<50).map { "\($0)"[...] })
    }
  }

  @Test func `a clip is the same in clear and encrypted`() async throws {
    var window = LogConfiguration()
    window.windowBytes = 4 << 20
    let log = PacketLog(memoryOnly: window, at: .now())
    let files = try await TestCertificate()
    let offer = try Self.offer(files)
    try await withServer(
      seconds: 60, isFed: false, log: log, change: { $0.tls = offer }
    ) { server in
      let oldest = log.snapshot().oldestAir.unixSeconds
      let path = "/jazz/clip?from=\(oldest + 5)&to=\(oldest + 50)"
      let encrypted = try client(
        server, get: path, fields: "Connection: close\r\n", receiveBuffer: 4096)
      let clear = try StreamClient(to: server.address, get: path)
      try await clear.until { $0.isEnded }
      try await encrypted.until { $0.isEnded }
      #expect(clear.bodyCount > 500_000)
      let isSame = clear.body == encrypted.body
      #expect(isSame)
    }
  }

  @Test func `a file is the same in clear and encrypted, however slowly it is read`() async throws {
    let offer = try Self.offer(try await TestCertificate())
    let server = try await FileServer(bypass: 3600, settings: .init(), tls: offer)
    let client = try StreamClient(to: server.address, sending: "", receiveBuffer: 32_768)
    try client.encryptBlocking(try TLSContext(trusting: nil))
    for range in ["bytes=0-", "bytes=5-99", "bytes=100000-"] {
      let before = client.received.count
      client.send(Array("GET /shows/hour.mp3 HTTP/1.1\r\nHost: a\r\nRange: \(range)\r\n\r\n".utf8))
      let first = Int(range.dropFirst(6).prefix { $0 != "-" })!
      let end = Int(range.split(separator: "-").dropFirst().first ?? "").map { $0 + 1 }
      let expected = server.hour[first..<(end ?? server.hour.count)]
      try await eventually("the file", within: 60) {
        client.drain(atMost: 30_000)
        return client.received.suffix(expected.count) == expected
          && client.received.count > before + expected.count
      }
    }
    await server.stop()
  }

  @Test func `an https-only server redirects pages and refuses the rest`() async throws {
    try await withTLS(isOnly: true) { server, files in
      let clear = try StreamClient(to: server.address, get: "/jazz?offset=3")
      try await clear.until { $0.isEnded }
      let head = try clear.head()
      #expect(head.status == 301)
      #expect(head["location"] == "https://relay.test:8000/jazz?offset=3")
      for method in ["POST", "PUT", "SOURCE"] {
        let other = try StreamClient(to: server.address, get: "/jazz", method: method)
        try await other.until { $0.isEnded }
        #expect(try other.head().status == 403)
        #expect(String(decoding: other.body, as: UTF8.self).contains("https://"))
      }
      let place = "https://localhost:\(server.address.port!)/x"
      let answer = try await curl("--cacert", files.certificate, place)
      #expect(answer.output.hasSuffix("GET /x 0"))
    }
  }

  @Test func `a trusted proxy need not encrypt, and tells what its client speaks`() async throws {
    try await withTLS(
      isOnly: true, change: { $0.clients.trustedProxies = [AddressRange("127.0.0.0/8")!] }
    ) { server, _ in
      for scheme in ["http", "https"] {
        let list = try StreamClient(
          to: server.address,
          sending: "GET /jazz.m3u HTTP/1.1\r\nHost: radio.test\r\nConnection: close\r\n"
            + "X-Forwarded-Proto: \(scheme)\r\n\r\n")
        try await list.until { $0.isEnded }
        #expect(String(decoding: list.body, as: UTF8.self).contains("\(scheme)://radio.test/jazz"))
      }
      let silent = try client(server, get: "/jazz.m3u", fields: "Connection: close\r\n")
      try await silent.until { $0.isEnded }
      #expect(String(decoding: silent.body, as: UTF8.self).contains("https://localhost/jazz"))
    }
  }

  @Test func `a trusted proxy need not encrypt where its PROXY header names the client either`()
    async throws
  {
    try await withTLS(
      isOnly: true,
      change: {
        $0.clients.trustedProxies = [AddressRange("127.0.0.0/8")!]
        $0.clients.hasProxyHeaders = true
      }
    ) { server, _ in
      let client = try StreamClient(
        to: server.address,
        sending: "PROXY TCP4 203.0.113.7 127.0.0.1 4711 8000\r\n"
          + "GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      try await client.until { $0.isEnded }
      #expect(try client.head().status == 200)
    }
  }

  @Test(arguments: [1, 7, 1000])
  func `a PROXY header comes before the handshake`(pieceBytes: Int) async throws {
    try await withTLS(change: {
      $0.clients.trustedProxies = [AddressRange("127.0.0.0/8")!]
      $0.clients.hasProxyHeaders = true
    }) { server, _ in
      let client = try StreamClient(to: server.address, sending: "")
      let header = Array("PROXY TCP4 203.0.113.7 127.0.0.1 4711 8000\r\n".utf8)
      for start in stride(from: 0, to: header.count, by: pieceBytes) {
        client.send(Array(header[start..<min(header.count, start + pieceBytes)]))
      }
      try client.encryptBlocking(try TLSContext(trusting: nil))
      client.send(Array("GET /jazz HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
      try await client.until { $0.bodyCount > 1000 }
      #expect(await server.server.listeners().map(\.address) == ["203.0.113.7"])
    }
  }

  @Test func `another certificate counts for new connections, and listeners go on`() async throws {
    try await withTLS { server, files in
      let listener = try client(server, get: "/jazz", trusting: files)
      try await listener.until { $0.bodyCount > 10_000 }
      let other = try await TestCertificate()
      var configuration = ServerConfiguration(listen: [], name: "Longwave/test")
      configuration.tls = try Self.offer(other)
      await server.server.publish(configuration)
      let place = "https://localhost:\(server.address.port!)/x"
      #expect(try await curl("--cacert", other.certificate, place).status == 0)
      #expect(try await curl("--cacert", files.certificate, place).status == 60)
      configuration.tls = nil
      await server.server.publish(configuration)
      #expect(try await curl("--cacert", other.certificate, place).status != 0)
      let before = listener.bodyCount
      try await listener.until { $0.bodyCount > before + 10_000 }
      let numbers = try NumberedFrames.numbers(in: listener.body, mayEndInFrame: true)
      #expect(numbers == Array(numbers[0]..<numbers[0] + UInt64(numbers.count)))
    }
  }

  @Test func `a session goes on without a packet lost`() async throws {
    try await withTLS { server, _ in
      func listen() async throws -> [UInt64] {
        let client = try client(
          server, get: "/jazz?session=the-session_02&burst=4", receiveBuffer: 4096)
        try await client.until { $0.bodyCount > 60_000 }
        client.hangUp()
        return try NumberedFrames.numbers(in: client.body, mayEndInFrame: true)
      }
      let first = try await listen()
      try await eventually("it has left") { await server.server.listeners().isEmpty }
      let second = try await listen()
      #expect(second[0] <= first.last! + 1)
      #expect(second[0] > first[0])
    }
  }

  @Test func `a listener who closes its player with audio unread hears that audio again`()
    async throws
  {
    try await withTLS { server, _ in
      let path = "/jazz?session=the-session_03&burst=4"
      let first = try client(server, get: path)
      try await first.until { $0.bodyCount > 60_000 }
      try await first.breakOff {
        // The server sees that nothing more comes before it sees that nobody is there.
        try await Task.sleep(for: .milliseconds(500))
        first.drain()
      }
      try await eventually("it has left") { await server.server.listeners().isEmpty }
      let second = try client(server, get: path)
      try await second.until { $0.bodyCount > 10_000 }
      let last = try #require(NumberedFrames.numbers(in: first.body, mayEndInFrame: true).last)
      let next = try NumberedFrames.numbers(in: second.body, mayEndInFrame: true)[0]
      // 2 s are 76 packets.
      #expect(next + 40 < last)
    }
  }

  @Test func `a listener who is ended has whole packets, and is told`() async throws {
    try await withTLS { server, _ in
      let client = try client(server, get: "/jazz", receiveBuffer: 2048)
      try await eventually("it is blocked") { await server.server.figures().blocked == 1 }
      let id = await server.server.listeners()[0].id
      #expect(await server.server.kick(listener: id))
      try await client.until { $0.isEnded }
      _ = try NumberedFrames.numbers(in: client.body)
      #expect(client.tls?.hasHeardEnd == true)
    }
  }

  @Test func `garbage and half handshakes are got rid of, and nobody notices`() async throws {
    try await withTLS(change: { $0.handshakesPerAddress = 100 }) { server, _ in
      let listener = try client(server, get: "/jazz")
      try await listener.until { $0.bodyCount > 10_000 }
      var random = SplitMix(seed: 8)
      var clients: [StreamClient] = []
      for count in 1...40 {
        let client = try StreamClient(to: server.address, sending: "")
        let noise = (0..<count * 5).map { _ in UInt8.random(in: 0...255, using: &random) }
        // Half of them are no record at all, half say that a long one comes.
        client.send(count.isMultiple(of: 2) ? [0x16] + noise : [0x16, 3, 1, 0x20, 0, 1, 0] + noise)
        clients.append(client)
      }
      let silent = try StreamClient(to: server.address, sending: "")
      try await eventually("only the listener is left", within: 60) {
        listener.drain()
        return await server.server.figures().connections == 1
      }
      let figures = await server.server.figures().handshakes
      #expect(figures.failed + figures.abandoned == 40)
      #expect(figures.failed > 0)
      #expect(figures.abandoned > 0)
      #expect(figures.full == 1)
      let before = listener.bodyCount
      try await listener.until { $0.bodyCount > before + 10_000 }
      withExtendedLifetime((clients, silent)) {}
    }
  }

  /// A loop has room for so many only: the rest stays in the kernel.
  @Test func `a client waits for a place while too many shake hands`() async throws {
    try await withTLS(
      threads: 1,
      change: {
        $0.handshakesMax = 2
        $0.headTimeout = 60
        $0.helloTimeout = 60
        $0.handshakePatience = 60
      }
    ) {
      server, _ in
      let halves = try (0..<2).map { _ in
        try Self.stalled(StreamClient(to: server.address, sending: ""))
      }
      try await eventually("both") { await server.server.figures().handshakes.underWay == 2 }
      nonisolated(unsafe) let third = try StreamClient(to: server.address, sending: "")
      async let through: Void = third.encrypt(try TLSContext(trusting: nil))
      try await eventually("it waits") { await server.server.figures().handshakes.waiting == 1 }
      #expect(await server.server.figures().handshakes.full == 0)
      halves[0].hangUp()
      try await through
      third.send(Array("GET /x HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
      try await third.until { $0.bodyCount == "GET /x 0".utf8.count }
      #expect(await server.server.figures().handshakes.abandoned == 1)
      withExtendedLifetime(halves) {}
    }
  }

  /// Somebody who has said all of their first flight, and says no more.
  private static func stalled(_ client: StreamClient) throws -> StreamClient {
    client.send(try hello())
    return client
  }

  /// All of a first flight.
  private static func hello() throws -> [UInt8] {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
    defer { for end in ends { close(end) } }
    let stream = try #require(TLSStream(TLSContext(trusting: nil), fd: ends[0]))
    _ = stream.shakeHands()
    var hello = [UInt8](repeating: 0, count: 4096)
    let count = read(ends[1], &hello, hello.count)
    try #require(count > 100)
    return Array(hello[..<count])
  }

  private static let halfHello: [UInt8] = [0x16, 3, 1, 0x20, 0, 1, 0]

  private static func header(_ client: String) -> String {
    "PROXY TCP4 \(client) 127.0.0.1 4711 8000\r\n"
  }

  private func withFourPlaces(
    _ body: (TestServer) async throws -> Void
  ) async throws {
    try await withTLS(
      threads: 1,
      change: {
        $0.handshakesPerAddress = 4
        $0.headTimeout = 60
        $0.helloTimeout = 60
        $0.handshakePatience = 60
        $0.clients.trustedProxies = [AddressRange("127.0.0.0/8")!]
        $0.clients.hasProxyHeaders = true
      }
    ) { server, _ in try await body(server) }
  }

  private func from(_ address: String, _ server: TestServer) throws -> StreamClient {
    try StreamClient(to: server.address, sending: Self.header(address))
  }

  private func comesThrough(_ client: StreamClient) async throws {
    if client.tls == nil { try await client.encrypt(try TLSContext(trusting: nil)) }
    client.send(Array("GET /x HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
    try await client.until { $0.bodyCount == "GET /x 0".utf8.count }
  }

  @Test(arguments: [1, 5, 7, 200])
  func `a client with half a hello keeps nobody behind its address waiting`(
    bytes: Int
  ) async throws {
    try await withFourPlaces { server in
      let hello = Self.halfHello + [UInt8](repeating: 0, count: 200)
      let halves = try (0..<90).map { _ in
        let half = try from("203.0.113.7", server)
        half.send(Array(hello.prefix(bytes)))
        return half
      }
      try await eventually("all of them") { await server.server.figures().connections == 90 }
      try await comesThrough(from("203.0.113.7", server))
      let figures = await server.server.figures().handshakes
      #expect(figures.underWay == 0 && figures.full == 1)
      withExtendedLifetime(halves) {}
    }
  }

  @Test func `a hello that comes in pieces is one`() async throws {
    try await withFourPlaces { server in
      let hello = try Self.hello()
      let client = try from("203.0.113.7", server)
      for byte in hello {
        client.send([byte])
        if byte % 16 == 0 { try await Task.sleep(for: .milliseconds(1)) }
      }
      try await eventually("it is answered") {
        await server.server.figures().handshakes.underWay == 1
      }
      // Whoever goes in the middle of it is gone.
      let half = try from("203.0.113.7", server)
      half.send(Array(hello[..<100]))
      try await eventually("it is there") { await server.server.figures().connections == 2 }
      half.hangUp()
      try await eventually("it is gone") { await server.server.figures().connections == 1 }
      withExtendedLifetime(client) {}
    }
  }

  @Test func `the shortest-waiting client behind an address shakes hands first`() async throws {
    try await withFourPlaces { server in
      let stalled = try (0..<10).map { _ in try Self.stalled(from("203.0.113.7", server)) }
      try await eventually("all of them") {
        await server.server.figures().handshakes.waiting == 6
      }
      nonisolated(unsafe) let last = try from("203.0.113.7", server)
      async let through: Void = last.encrypt(try TLSContext(trusting: nil))
      try await eventually("it waits") { await server.server.figures().handshakes.waiting == 7 }
      stalled[0].hangUp()
      try await through
      try await comesThrough(last)
      withExtendedLifetime(stalled) {}
    }
  }

  @Test func `handshakes of one address keep nobody else from shaking hands`() async throws {
    try await withFourPlaces { server in
      let halves = try (0..<50).map { _ in
        try Self.stalled(StreamClient(to: server.address, sending: Self.header("203.0.113.7")))
      }
      try await eventually("all of them") {
        await server.server.figures().handshakes.waiting == 46
      }
      #expect(await server.server.figures().handshakes.underWay == 4)
      let other = try StreamClient(to: server.address, sending: Self.header("203.0.113.8"))
      try await other.encrypt(try TLSContext(trusting: nil))
      other.send(Array("GET /x HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
      try await other.until { $0.bodyCount == "GET /x 0".utf8.count }
      withExtendedLifetime(halves) {}
    }
  }

  @Test func `a stalled handshake makes room, the address with most of them first`() async throws {
    try await withTLS(
      threads: 1,
      change: {
        $0.handshakesMax = 5
        $0.headTimeout = 60
        $0.helloTimeout = 60
        $0.handshakePatience = 0.1
        $0.clients.trustedProxies = [AddressRange("127.0.0.0/8")!]
        $0.clients.hasProxyHeaders = true
      }
    ) { server, _ in
      func half(_ address: String) throws -> StreamClient {
        let half = try StreamClient(to: server.address, sending: Self.header(address))
        return try Self.stalled(half)
      }
      let lone = try half("203.0.113.1")
      try await eventually("it") { await server.server.figures().handshakes.underWay == 1 }
      let greedy = try (0..<4).map { _ in try half("203.0.113.7") }
      try await eventually("all") { await server.server.figures().handshakes.underWay == 5 }
      try await Task.sleep(for: .milliseconds(300))
      let other = try StreamClient(to: server.address, sending: Self.header("203.0.113.8"))
      try await other.encrypt(try TLSContext(trusting: nil))
      try await eventually("one of the greedy has gone") {
        for one in greedy { one.drain() }
        return greedy.count(where: \.isEnded) == 1
      }
      lone.drain()
      #expect(!lone.isEnded)
      try await eventually("it is counted") {
        await server.server.figures().handshakes.abandoned > 0
      }
    }
  }

  @Test func `a handshake has to begin in time`() async throws {
    try await withTLS(change: {
      $0.headTimeout = 60; $0.helloTimeout = 1
    }) { server, _ in
      let half = try StreamClient(to: server.address, sending: "")
      half.send(Self.halfHello)
      try await half.until("its end") { $0.isEnded }
      #expect(await server.server.figures().handshakes.abandoned == 1)
    }
  }

  @Test func `a hundred handshakes at once all come through`() async throws {
    try await withTLS(change: { $0.headTimeout = 60 }) { server, _ in
      let clients = try (0..<100).map { _ in try StreamClient(to: server.address, sending: "") }
      let context = try TLSContext(trusting: nil)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for client in clients {
          nonisolated(unsafe) let client = client
          group.addTask {
            try await client.encrypt(context)
            client.send(Array("GET /x HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
          }
        }
        try await group.waitForAll()
      }
      for client in clients { try await client.until { $0.bodyCount == "GET /x 0".utf8.count } }
      #expect(await server.server.figures().handshakes.full == 100)
    }
  }
}
