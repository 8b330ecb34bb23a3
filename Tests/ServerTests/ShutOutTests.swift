import Reactor
import Synchronization
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Server

/// Makes samples without end, as soon as it may.
private final class EndlessMaker: SampleMaking {
  let asked = Atomic<Int>(0)
  let isOpen = Atomic<Bool>(true)

  func open(_ order: SampleOrder) async -> Result<any SampleSource, SampleRefusal> {
    asked.add(1, ordering: .relaxed)
    while !isOpen.load(ordering: .acquiring), !Task.isCancelled {
      try? await Task.sleep(for: .milliseconds(5))
    }
    return .success(Samples())
  }

  func reverse(_ order: ReverseOrder) async -> Result<any ReverseSource, SampleRefusal> {
    .success(Minutes())
  }

  private final class Samples: SampleSource {
    let format = SampleFormat(sampleRate: 8000, channels: 1, encoding: .s16le)
    let offset = 0.0
    func next() async -> SampleBlock? {
      SampleBlock(bytes: [UInt8](repeating: 0, count: 1600), length: MediaTime(seconds: 0.1))
    }
  }

  private final class Minutes: ReverseSource {
    let isCutShort = false
    func next() async -> SampleBlock? {
      SampleBlock(bytes: [UInt8](repeating: 0, count: 1000), length: MediaTime(seconds: 60))
    }
  }
}

/// Samples, clips and what is told of sound end where a listener does.
@Suite(.serialized) struct ShutOutTests {
  private static let proxies = [AddressRange("127.0.0.0/8")!]
  private static let paths = [
    "/jazz", "/jazz/pcm", "/jazz/clip?from=-1h", "/jazz/clip?from=-1h&reverse=1",
    "/events?station=jazz&kinds=levels",
  ]

  /// - Parameter body: gets the mount as it is published.
  private func withStation(
    _ maker: EndlessMaker = EndlessMaker(), settings: ListenerSettings = .init(),
    _ body: (TestServer, Mount) async throws -> Void
  ) async throws {
    var window = LogConfiguration()
    window.windowBytes = 32 << 20
    let log = PacketLog(memoryOnly: window, at: .now())
    try await withServer(
      seconds: 600, settings: settings, log: log,
      change: {
        $0.clients.trustedProxies = Self.proxies
        $0.clipsPerAddress = 8
      }
    ) { server in
      var mount = Mount(station: "jazz", log: log, settings: settings)
      mount.samples = maker
      await server.server.publish(mounts: [mount])
      try await body(server, mount)
    }
  }

  private func open(
    _ server: TestServer, _ path: String, from address: String = "203.0.113.7",
    by player: String = "mpv"
  ) async throws -> StreamClient {
    let client = try StreamClient(
      to: server.address,
      sending: "GET \(path) HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: \(address)\r\n"
        + "User-Agent: \(player)\r\n\r\n", receiveBuffer: 8 * 1024)
    #expect(try await client.answer().status == 200, "\(path)")
    return client
  }

  private func expectEnd(_ clients: [StreamClient]) async throws {
    for (client, path) in zip(clients, Self.paths) {
      try await client.until("the end of \(path)") { $0.isEnded }
      if let length = try client.head()["content-length"].flatMap({ Int($0) }) {
        #expect(client.bodyCount < length)
      }
    }
  }

  enum Way: CaseIterable {
    case ban, rules, rulesOfStation, playersOfStation
  }

  @Test(arguments: Way.allCases)
  func `a client that may hear a station no more gets no samples or sound of it`(
    way: Way
  ) async throws {
    try await withStation { server, mount in
      var (gone, others): ([StreamClient], [StreamClient]) = ([], [])
      for path in Self.paths {
        gone.append(try await open(server, path))
        others.append(try await open(server, path, from: "198.51.100.1", by: "vlc"))
      }
      let state = try await open(server, "/events?station=jazz&kinds=state")
      var mount = mount
      let range = AddressRange("203.0.113.0/24")!
      switch way {
      case .ban: await server.server.publish(bans: [Ban(range)])
      case .rules:
        var settings = ServerConfiguration(listen: [], name: "test")
        settings.clients.trustedProxies = Self.proxies
        settings.access.deny = [range]
        await server.server.publish(settings)
      case .rulesOfStation:
        mount.access.deny = [range]
        await server.server.publish(mounts: [mount])
      case .playersOfStation:
        mount.access.denyAgents = [Glob("mpv*")]
        await server.server.publish(mounts: [mount])
      }
      try await expectEnd(gone)
      let figures = await server.server.figures()
      #expect(figures.listeners == 1 && figures.clips == 2)
      // What is no sound is told to everybody who is not banned.
      #expect(figures.watchers == (way == .ban ? 1 : 2))
      let before = others[1].bodyCount
      try await others[1].until("more samples") { $0.bodyCount > before + 10_000 }
      _ = try await open(server, "/jazz/pcm", from: "198.51.100.1", by: "vlc")
      withExtendedLifetime((others, state)) {}
    }
  }

  @Test(arguments: [true, false])
  func `samples and clips end with their station`(isRemoved: Bool) async throws {
    try await withStation { server, mount in
      var clients: [StreamClient] = []
      for path in Self.paths.dropLast() { clients.append(try await open(server, path)) }
      var mount = mount
      // Anything else of it may change.
      mount.description.name = "Jazz"
      await server.server.publish(mounts: [mount])
      let before = clients[1].bodyCount
      try await clients[1].until("more samples") { $0.bodyCount > before + 10_000 }
      mount.isStopped = true
      await server.server.publish(mounts: isRemoved ? [] : [mount])
      try await expectEnd(clients)
      let figures = await server.server.figures()
      #expect(figures.listeners == 0 && figures.clips == 0)
    }
  }

  /// Lets everybody in for so many seconds.
  private final class Doorman: ListenerAuthorizing {
    let seconds: Double?
    let asked = Atomic<Int>(0)

    init(seconds: Double?) { self.seconds = seconds }

    func admit(_ request: ListenerRequest) async -> ListenerVerdict {
      asked.add(1, ordering: .relaxed)
      return .admitted(ListenerTicket(timeMax: seconds))
    }
  }

  @Test(arguments: [true, false])
  func `the time of a ticket or a station ends samples and clips as it ends a stream`(
    isTicket: Bool
  ) async throws {
    var settings = ListenerSettings()
    settings.listeningTimeMax = isTicket ? 3600 : 3
    try await withStation(settings: settings) { server, mount in
      var mount = mount
      if isTicket { mount.authority = Doorman(seconds: 3) }
      await server.server.publish(mounts: [mount])
      var clients: [StreamClient] = []
      for path in Self.paths.dropLast() { clients.append(try await open(server, path)) }
      try await expectEnd(clients)
      #expect(await server.server.figures().clips == 0)
      // What was sent at once was all there was time for.
      #expect(clients[1].bodyCount > 10_000)
    }
  }

  @Test func `a client that may hear a station is told for how long`() async throws {
    var settings = ListenerSettings()
    settings.listeningTimeMax = 100
    try await withStation(settings: settings) { server, mount in
      let client = Peer.tcp(try #require(SocketAddress("203.0.113.7:1")))
      func seconds(_ origin: Peer = client) async throws -> Double? {
        let head = HTTPRequestHead(method: "GET", target: "/events", path: "/events")
        return try await server.server.hearing(
          of: "jazz", at: .live, for: APIRequest(head: head, origin: origin)
        ).seconds
      }
      #expect(try await seconds() == 100)
      #expect(try await seconds(.unixSocket) == nil)
      var mount = mount
      let (short, endless) = (Doorman(seconds: 50), Doorman(seconds: nil))
      mount.authority = short
      await server.server.publish(mounts: [mount])
      let first = try #require(try await seconds())
      // From the answer that is remembered on, not from the question.
      try await eventually("a shorter time") { try #require(try await seconds()) < 49.9 }
      #expect(first == 50 && short.asked.load(ordering: .relaxed) == 1)
      mount.authority = endless
      await server.server.publish(mounts: [mount])
      for _ in 0..<2 { #expect(try await seconds() == 100) }
      mount.settings.listeningTimeMax = 0
      await server.server.publish(mounts: [mount])
      #expect(try await seconds() == nil)
      #expect(endless.asked.load(ordering: .relaxed) == 1)
    }
  }

  @Test func `samples that are still being found for a banned address are not sent`() async throws {
    let maker = EndlessMaker()
    maker.isOpen.store(false, ordering: .releasing)
    try await withStation(maker) { server, _ in
      let client = try StreamClient(
        to: server.address,
        sending: "GET /jazz/pcm HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 203.0.113.7\r\n\r\n")
      try await eventually("they are asked for") { maker.asked.load(ordering: .relaxed) == 1 }
      await server.server.publish(bans: [Ban(AddressRange("203.0.113.7")!)])
      try await client.until("its end") { $0.isEnded }
      maker.isOpen.store(true, ordering: .releasing)
      #expect(client.received.isEmpty)
    }
  }
}
