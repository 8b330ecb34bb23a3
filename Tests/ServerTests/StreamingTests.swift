import Glibc
import Reactor
import Testing
import TestSupport
import Timeshift
import Wire

@testable import Server

/// An API that says what it was asked, or on which thread, or opens the event stream.
private struct EchoAPI: APIHandling {
  func respond(to request: APIRequest) async -> APIResponse {
    if request.head.path == "/events" {
      let query = request.head.query
      let kinds = query["kinds"].map { Set($0.split(separator: ",").map(String.init)) }
      let session = query["session"].flatMap(SessionToken.init)
      return .events(
        EventFilter(station: query["station"], kinds: kinds, session: session), after: nil)
    }
    if request.head.path == "/thread" {
      let name = try? readFile("/proc/thread-self/comm")
      return .whole(status: 200, mediaType: "text/plain", body: name ?? [])
    }
    let text = "\(request.head.method) \(request.head.path) \(request.body.count)"
    return .whole(status: 200, mediaType: "text/plain", body: Array(text.utf8))
  }
}

/// A server on a loopback port with one station of numbered packets.
final class TestServer: Sendable {
  let server: RelayServer
  let station: NumberedLog
  let events = EventRing(firstID: 1)
  let sessionEvents = SessionEvents { event in
    switch event.change {
    case .heard(let title): .init(kind: event.name, json: title.title.text)
    case .moved(let move): .init(kind: event.name, json: move.reason.rawValue)
    }
  }
  let figures = FigureBoard(intervals: ["figures": .seconds(1)], ofMoments: ["levels"])
  let told = ToldChanges()
  let address: SocketAddress

  init(
    seconds: Double = 10, threads: Int = 2, listenersMax: Int = 10_000, isFed: Bool = true,
    settings: ListenerSettings = .init(), log: PacketLog? = nil,
    change: (inout ServerConfiguration) -> Void = { _ in }
  ) async throws {
    var configuration = ServerConfiguration(
      listen: [SocketAddress("127.0.0.1:0")!], name: "Longwave/test")
    configuration.threads = threads
    configuration.listenersMax = listenersMax
    configuration.headTimeout = 3
    configuration.firstPacketTimeout = 3
    change(&configuration)
    server = try RelayServer(
      configuration: configuration, api: EchoAPI(), events: events,
      sessionEvents: sessionEvents, figures: figures, report: told.take)
    var window = LogConfiguration()
    window.windowBytes = 4 * 1024 * 1024
    station = NumberedLog(
      log: log ?? PacketLog(memoryOnly: window, at: .now()), seconds: seconds)
    try await server.start(mounts: [
      Mount(station: "jazz", paths: ["/Stream.mp3"], log: station.log, settings: settings)
    ])
    address = server.boundAddresses[0]
    if isFed { station.start() }
  }

  func fetch(
    _ path: String, _ fields: String = "", method: String = "GET"
  ) async throws -> StreamClient {
    try await StreamClient.fetch(path, fields, method: method, from: address)
  }

  func stop() async {
    station.stop()
    await server.drain()
  }
}

/// Runs `body` against a server and stops it whatever happens.
func withServer(
  seconds: Double = 10, threads: Int = 2, listenersMax: Int = 10_000, isFed: Bool = true,
  settings: ListenerSettings = .init(), log: PacketLog? = nil,
  change: (inout ServerConfiguration) -> Void = { _ in },
  _ body: (TestServer) async throws -> Void
) async throws {
  let server = try await TestServer(
    seconds: seconds, threads: threads, listenersMax: listenersMax, isFed: isFed,
    settings: settings, log: log, change: change)
  do {
    try await body(server)
  } catch {
    await server.stop()
    throw error
  }
  await server.stop()
}

@Suite(.serialized)
struct StreamingTests {
  @Test func `a live listener gets the burst and then every packet once`() async throws {
    try await withServer { server in
      let client = try StreamClient(to: server.address, get: "/jazz")
      let head = try client.head()
      #expect(head.statusLine == "HTTP/1.1 200 OK")
      #expect(head["content-type"] == "audio/mpeg")
      #expect(head["icy-name"] == "jazz")
      #expect(head["icy-metaint"] == nil)
      #expect(head["cache-control"] == "no-cache, no-store")
      // 4 s of burst are 153 packets; those behind it come as they are on air.
      try client.wait { $0.bodyCount > (153 + 40) * 418 }
      let numbers = try NumberedFrames.numbers(in: client.body)
      #expect(numbers == Array(numbers[0]...numbers[0] + UInt64(numbers.count - 1)))
      #expect(numbers[0] > 200)
    }
  }

  @Test func `titles change at the exact packet`() async throws {
    try await withServer { server in
      let client = try StreamClient(to: server.address, get: "/jazz", titles: true)
      let metaint = try #require(Int(try client.head()["icy-metaint"] ?? ""))
      try client.wait("two titles and what is behind them") {
        let heard = StreamClient.deinterleave($0.body, metaint: metaint)
        return heard.titles.count > 1 && heard.audio.count > heard.titles[1].at + 2 * 418
      }
      let (audio, titles) = StreamClient.deinterleave(client.body, metaint: metaint)
      let numbers = try NumberedFrames.numbers(in: audio, mayEndInFrame: false)
      #expect(titles.count >= 2)
      for (at, title) in titles {
        let number = numbers[0] + UInt64(at * 44_100 / (1152 / 8 * 128_000))
        // The packet in which the block stands, or the one that begins there.
        let expected = [number, number + 1].map { server.station.title(at: $0) }
        #expect(expected.contains(title), "title \(title) at packet \(number)")
      }
    }
  }

  @Test func `a shifted listener that reads as fast as it can stays where it asked to be`()
    async throws
  {
    try await withServer(seconds: 60) { server in
      var lags: [Double] = []
      // One that a busy machine keeps from reading for longer than its burst has another place from then on.
      while lags.count < 10, lags.last.map({ $0 > 29.5 }) ?? true {
        lags.append(try lagOfShifted(in: server))
      }
      #expect(lags[lags.count - 1] < 29.5, "lags \(lags)")
    }
  }

  /// How far behind the live edge a listener is who asked for 30 s and a burst of two; some seconds after it has come.
  private func lagOfShifted(in server: TestServer) throws -> Double {
    let (before, clock) = (server.station.next, MonotonicTime.now())
    let client = try StreamClient(to: server.address, get: "/jazz?offset=30&burst=2")
    let head = try client.head()
    let offset = try #require(Double(head["longwave-offset"] ?? ""))
    #expect((29.9...30.1).contains(offset))
    let after = server.station.next
    let frame = 1152 / 44_100.0
    var numbers: [UInt64] = []
    var lag = 0.0
    // It is ahead of its play point by the burst, never by more; and, whenever the machine lets it, by no less.
    for _ in 0..<4 {
      client.read(for: 1.5)
      numbers = try NumberedFrames.numbers(in: client.body, mayEndInFrame: true)
      #expect(numbers == Array(numbers[0]...numbers[0] + UInt64(numbers.count - 1)))
      let played = MonotonicTime.now().seconds(since: clock)
      #expect(Double(numbers.count) * frame < played + 2.5)
      lag = Double(server.station.next - numbers.last!) * frame
      if lag < 29.5 { break }
    }
    #expect((Double(before) - Double(numbers[0])) * frame < 30.5)
    #expect((Double(after) - Double(numbers[0])) * frame > 29.5)
    return lag
  }

  @Test func `offsets older than the window are clamped, and at means air time`() async throws {
    try await withServer(seconds: 20) { server in
      let old = try StreamClient(to: server.address, get: "/jazz?offset=1h")
      try old.wait { $0.bodyCount > 5_000 }
      #expect(try NumberedFrames.numbers(in: old.body, mayEndInFrame: true)[0] == 0)

      let edge = server.station.log.snapshot()
      let wall = edge.edgeAir.seconds - 10
      let at = try StreamClient(to: server.address, get: "/jazz?at=\(wall)")
      try at.wait { $0.bodyCount > 5_000 }
      let number = try NumberedFrames.numbers(in: at.body, mayEndInFrame: true)[0]
      let behind = (edge.edge.media - MediaTime(samples: Int(number) * 1152, rate: 44_100)).seconds
      #expect((9.9...10.2).contains(behind))
    }
  }

  @Test func `listeners that read nothing disturb nobody and lose nothing`() async throws {
    try await withServer(seconds: 30) { server in
      let stalled = try (0..<5).map { _ in
        try StreamClient(to: server.address, get: "/jazz?burst=30", titles: true)
      }
      let reading = try StreamClient(to: server.address, get: "/jazz")
      // 4 s of burst, and as much again.
      try reading.wait { $0.bodyCount > 300 * 418 }
      let numbers = try NumberedFrames.numbers(in: reading.body)
      #expect(numbers == Array(numbers[0]...numbers[0] + UInt64(numbers.count - 1)))
      for client in stalled {
        let metaint = try #require(Int(try client.head()["icy-metaint"] ?? ""))
        try client.wait { $0.bodyCount > 720 * 418 }
        let audio = StreamClient.deinterleave(client.body, metaint: metaint).audio
        let numbers = try NumberedFrames.numbers(in: audio, mayEndInFrame: true)
        #expect(numbers == Array(numbers[0]...numbers[0] + UInt64(numbers.count - 1)))
        #expect(numbers.count > 700)
      }
    }
  }

  @Test func `a listener too slow is dropped where the policy says so`() async throws {
    var settings = ListenerSettings()
    settings.behind = .drop
    settings.lagMax = MediaTime(seconds: 1)
    try await withServer(seconds: 60, settings: settings) { server in
      let client = try StreamClient(
        to: server.address,
        sending: "GET /jazz?offset=50&burst=6 HTTP/1.1\r\nHost: x\r\n\r\n", receiveBuffer: 4096)
      try client.wait { $0.received.count > 10 }
      #expect(await server.server.listeners().count == 1)
      try await eventually("it is dropped") { await server.server.listeners().isEmpty }
      // Held open to here: it is the server that ended it.
      withExtendedLifetime(client) {}
    }
  }

  @Test func `a playlist points at the stream with its query`() async throws {
    try await withServer { server in
      let m3u = try StreamClient(to: server.address, get: "/jazz.m3u?offset=5m")
      try m3u.wait { $0.isEnded }
      #expect(try m3u.head()["content-type"] == "audio/x-mpegurl")
      let text = String(decoding: m3u.body, as: UTF8.self)
      #expect(text.contains("http://relay.test:8000/jazz?offset=5m"))
      let pls = try StreamClient(to: server.address, get: "/jazz.pls")
      try pls.wait { $0.isEnded }
      #expect(
        String(decoding: pls.body, as: UTF8.self).contains("File1=http://relay.test:8000/jazz"))
    }
  }

  @Test func `further paths and the codec's ending are the stream, other endings are not`()
    async throws
  {
    try await withServer { server in
      for path in ["/Stream.mp3", "/jazz.mp3", "/jazz/"] {
        let client = try StreamClient(to: server.address, get: path)
        #expect(try client.head().status == 200)
        #expect(try client.head()["content-type"] == "audio/mpeg", "\(path)")
      }
      let other = try StreamClient(to: server.address, get: "/jazz.aac")
      try await other.until { $0.isEnded }
      #expect(String(decoding: other.body, as: UTF8.self) == "GET /jazz.aac 0")
    }
  }

  @Test func `HEAD tells what GET would and counts nobody`() async throws {
    try await withServer { server in
      let client = try StreamClient(
        to: server.address, get: "/jazz?offset=5", titles: true, method: "HEAD")
      try client.wait { $0.isEnded }
      let head = try client.head()
      #expect(head.status == 200)
      #expect(head["icy-metaint"] == "16000")
      #expect(head["longwave-offset"]?.hasPrefix("5.0") == true)
      #expect(client.bodyCount == 0)
      #expect(await server.server.figures().listeners == 0)
    }
  }

  @Test func `an HTTP 1_0 request without a host is answered in HTTP 1_0`() async throws {
    try await withServer { server in
      let client = try StreamClient(to: server.address, sending: "GET /jazz HTTP/1.0\r\n\r\n")
      #expect(try client.head().statusLine == "HTTP/1.0 200 OK")
      try client.wait { $0.bodyCount > 10_000 }
      #expect(try NumberedFrames.numbers(in: client.body, mayEndInFrame: true).count > 20)
    }
  }

  @Test(arguments: [
    ("GET /jazz?offset=x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 400),
    ("nonsense\r\n\r\n", 400),
    ("POST /jazz HTTP/1.0\r\nContent-Length: 0\r\n\r\n", 405),
    ("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n", 413),
    ("GET /x HTTP/3.0\r\nHost: a\r\n\r\n", 505),
    ("GET /jazz HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 9000))\r\n\r\n", 431),
  ])
  func `a request that cannot be answered is refused with the right status`(
    request: String, status: Int
  )
    async throws
  {
    try await withServer { server in
      let client = try StreamClient(to: server.address, sending: request)
      try client.wait { $0.isEnded }
      #expect(try client.head().status == status)
      #expect(String(decoding: client.body, as: UTF8.self).hasPrefix("{\"error\":{\"code\":"))
    }
  }

  @Test func `a request that does not come in time is ended`() async throws {
    try await withServer { server in
      let client = try StreamClient(to: server.address, sending: "GET /jazz HT")
      try client.wait { $0.isEnded }
      #expect(try client.head().status == 408)
    }
  }

  @Test func `a request in pieces and with a body reaches the API whole`() async throws {
    try await withServer { server in
      let client = try StreamClient(to: server.address, sending: "POST /a HT")
      usleep(50_000)
      client.send(Array("TP/1.0\r\nHost: x\r\nContent-Length: 5\r\n\r\nab".utf8))
      usleep(50_000)
      client.send(Array("cde".utf8))
      try await client.until { $0.isEnded }
      #expect(String(decoding: client.body, as: UTF8.self) == "POST /a 5")
    }
  }

  @Test func `the API works its answers out beside the loops`() async throws {
    try await withServer { server in
      let client = try StreamClient(to: server.address, get: "/thread")
      try await client.until { $0.isEnded }
      let name = String(decoding: client.body, as: UTF8.self)
      #expect(!name.isEmpty && !name.hasPrefix("loop."), "\(name)")
    }
  }

  @Test func `an empty log lets a request wait, then answers 503`() async throws {
    try await withServer(seconds: 0, isFed: false) { server in
      let late = try StreamClient(to: server.address, get: "/jazz")
      try late.wait { $0.isEnded }
      #expect(try late.head().status == 503)
      #expect(try late.head()["retry-after"] == "5")

      let early = try StreamClient(to: server.address, get: "/jazz")
      usleep(100_000)
      server.station.append(20, at: .now())
      try early.wait { $0.bodyCount >= 20 * 417 }
      #expect(try NumberedFrames.numbers(in: early.body, mayEndInFrame: true)[0] == 0)
    }
  }

  @Test func `a stopped station ends its listeners between packets and answers 503`() async throws {
    try await withServer { server in
      let client = try StreamClient(to: server.address, get: "/jazz")
      try client.wait { $0.bodyCount > 10_000 }
      await server.server.publish(mounts: [
        Mount(station: "jazz", log: server.station.log, isStopped: true)
      ])
      try client.wait { $0.isEnded }
      #expect(try NumberedFrames.numbers(in: client.body).count > 20)
      let again = try StreamClient(to: server.address, get: "/jazz")
      try again.wait { $0.isEnded }
      #expect(try again.head().status == 503)
      #expect(await server.server.figures().listeners == 0)
    }
  }

  @Test func `a listener beyond the server's limit is answered 503`() async throws {
    try await withServer(listenersMax: 2) { server in
      let clients = try (0..<2).map { _ in try StreamClient(to: server.address, get: "/jazz") }
      for client in clients { #expect(try client.head().status == 200) }
      let third = try StreamClient(to: server.address, get: "/jazz")
      try third.wait { $0.isEnded }
      #expect(try third.head().status == 503)
      // The optimiser would let them go, and so close them, after their last use.
      withExtendedLifetime(clients) {}
    }
  }

  @Test func `a kicked listener ends between packets, the others go on`() async throws {
    var settings = ListenerSettings()
    // Who is live stays so where nobody reads for a while.
    settings.behind = .skip
    settings.lagMax = MediaTime(seconds: 60)
    try await withServer(settings: settings) { server in
      let one = try StreamClient(to: server.address, get: "/jazz")
      try one.wait { $0.bodyCount > 10_000 }
      let id = try #require(await server.server.listeners().first?.id)
      let two = try StreamClient(to: server.address, get: "/jazz")
      try two.wait { $0.bodyCount > 10_000 }
      // One is told as the list tells it, and nobody in place of one who is not there.
      let listed = await server.server.listeners().first { $0.id == id }
      #expect(await server.server.listener(id)?.address == listed?.address)
      #expect(await server.server.listener(id)?.station == "jazz")
      #expect(await server.server.listener(999_999) == nil)
      #expect(await server.server.kick(listener: id))
      #expect(await !server.server.kick(listener: 999_999))
      try one.wait { $0.isEnded }
      #expect(try NumberedFrames.numbers(in: one.body).count > 20)
      let before = two.bodyCount
      try two.wait { $0.bodyCount > before + 5_000 }
      var left: [ListenerSnapshot] = []
      try await eventually("the other one is live") {
        two.drain()
        left = await server.server.listeners()
        return left.map(\.state) == [.live]
      }
      #expect(left[0].player == "test")
    }
  }

  @Test func `a client that closes its sending half goes on listening`() async throws {
    try await withServer { server in
      let client = try StreamClient(to: server.address, get: "/jazz")
      try client.wait { $0.bodyCount > 1_000 }
      Socket.shutdownWriting(client.fd)
      let before = client.bodyCount
      try client.wait { $0.bodyCount > before + 20_000 }
    }
  }

  @Test func `a listener that closed its sending half and is sent nothing gives its place back`()
    async throws
  {
    try await withServer { server in
      var mount = Mount(station: "jazz", log: server.station.log)
      mount.settings.listenersMax = 3
      await server.server.publish(mounts: [mount])
      server.station.pause(true)
      var gone: [StreamClient] = []
      for _ in 0..<3 {
        let client = try StreamClient(to: server.address, get: "/jazz")
        try await client.until("the burst") { $0.bodyCount > 1_000 }
        Socket.shutdownWriting(client.fd)
        gone.append(client)
      }
      let silent = try StreamClient(to: server.address, get: "/jazz")
      #expect(try await silent.answer().status == 503)
      try await eventually("the places are free", within: 90) {
        await server.server.listeners().isEmpty
      }
      let next = try StreamClient(to: server.address, get: "/jazz")
      #expect(try await next.answer().status == 200)
      withExtendedLifetime(gone) {}
    }
  }

  @Test func `events come as they happen`() async throws {
    try await withServer { server in
      let client = try StreamClient(to: server.address, get: "/events")
      #expect(try await client.answer()["content-type"] == "text/event-stream")
      try await client.until { $0.bodyCount > 5 }
      server.events.append(kind: "state", station: "jazz", json: "{\"kind\":\"state\"}")
      try await client.until("the event") {
        String(decoding: $0.body, as: UTF8.self)
          .contains("id: 1\nevent: state\ndata: {\"kind\":\"state\"}\n\n")
      }
    }
  }

  @Test(arguments: [EACCES, EADDRNOTAVAIL])
  func `an address that cannot be had is told with what to do`(code: Int32) {
    let error = ServerError.system(SystemError(call: "bind", on: "192.0.2.1:80", code: code))
    #expect(error.description.hasPrefix("bind 192.0.2.1:80: "))
    #expect(error.description.contains("; choose ") && error.description.contains("--listen"))
  }

  @Test func `a second server on the port is refused`() async throws {
    try await withServer { server in
      let configuration = ServerConfiguration(listen: [server.address], name: "second")
      let second = try RelayServer(
        configuration: configuration, api: EchoAPI(), events: EventRing(firstID: 1))
      await #expect(throws: ServerError.self) { try await second.start() }
    }
  }
}
