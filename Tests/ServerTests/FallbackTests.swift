import TestSupport
import Testing
import Timeshift
import Wire

@testable import Server

/// A station of numbered packets and its fallback, whose numbers are a million more.
private final class FallbackScene: Sendable {
  static let first: UInt64 = 1_000_000
  let server: TestServer
  let other: NumberedLog
  private let counters = MountCounters()
  private let settings: ListenerSettings

  init(_ server: TestServer, settings: ListenerSettings = ListenerSettings()) {
    self.server = server
    self.settings = settings
    other = NumberedLog(
      log: PacketLog(memoryOnly: LogConfiguration(), at: .now()), seconds: 3, first: Self.first)
    other.start()
  }

  deinit { other.stop() }

  /// The upstream is away, and listeners get `log`.
  func begin(_ log: PacketLog? = nil, waitsUntilDry: Bool = false) async throws {
    let edge = try await pause()
    await publish(Fallback(log: log ?? other.log, edge: edge, waitsUntilDry: waitsUntilDry))
  }

  /// The upstream brings nothing more.
  /// - Returns: where the log ends.
  @discardableResult
  func pause() async throws -> UInt64 {
    server.station.pause(true)
    var edge = UInt64.max
    try await eventually("the log stands still") {
      defer { edge = server.station.log.edgePosition }
      return edge == server.station.log.edgePosition
    }
    return edge
  }

  /// The upstream is there again; nobody has noticed yet.
  func end() { server.station.pause(false) }

  func publish(_ fallback: Fallback?) async {
    var mount = Mount(
      station: "jazz", log: server.station.log, settings: settings, counters: counters)
    mount.fallback = fallback
    await server.server.publish(mounts: [mount])
  }

  var listening: Int { counters.now }
  var places: Int { counters.places }
  func isAwaited(in seconds: Double) -> Bool { counters.isAwaited(at: .now().adding(seconds)) }
}

extension HeardPackets {
  /// Of the station itself.
  fileprivate var own: [UInt64] { packets.filter { $0 < FallbackScene.first } }
  fileprivate var fallback: [UInt64] { packets.filter { $0 >= FallbackScene.first } }
  /// The station's packets are all there, in order, once.
  fileprivate var isWhole: Bool { zip(own, own.dropFirst()).allSatisfy { $1 == $0 + 1 } }
  /// From station to fallback and the other way.
  fileprivate var changes: Int {
    zip(packets, packets.dropFirst()).count {
      ($0 < FallbackScene.first) != ($1 < FallbackScene.first)
    }
  }
}

@Suite(.serialized)
struct FallbackTests {
  private static let token = SessionToken("fallback-session")!

  private func withScene(
    seconds: Double = 10, threads: Int = 2, settings: ListenerSettings = ListenerSettings(),
    isFed: Bool = true, log: PacketLog? = nil, _ body: (FallbackScene) async throws -> Void
  ) async throws {
    try await withServer(
      seconds: seconds, threads: threads, isFed: isFed, settings: settings, log: log
    ) { server in
      let scene = FallbackScene(server, settings: settings)
      await scene.publish(nil)
      try await body(scene)
      withExtendedLifetime(scene) {}
    }
  }

  private func done(_ outcome: SteeringOutcome) throws -> SessionSnapshot {
    guard case .done(let snapshot) = outcome else {
      Issue.record("\(outcome)")
      throw CancellationError()
    }
    return snapshot
  }

  private func own(_ client: StreamClient) throws -> Int { try HeardPackets(client).own.count }

  @Test(arguments: ["GET", "HEAD"])
  func `who has just asked for the stream waits for it, with or without a connection`(
    method: String
  ) async throws {
    try await withScene { scene in
      #expect(!scene.isAwaited(in: 0))
      var client: StreamClient? = try StreamClient(
        to: scene.server.address, get: "/jazz", method: method)
      #expect(try await client?.answer().status == 200)
      #expect(scene.isAwaited(in: 0))
      #expect(scene.isAwaited(in: 60) == (method == "GET"))
      client = nil
      try await eventually("it is gone") { scene.places == 0 }
      #expect(scene.isAwaited(in: 0) && !scene.isAwaited(in: 60))
    }
  }

  @Test
  func
    `live listeners hear the fallback, and come back to the very packet they left, on all loops`()
    async throws
  {
    var settings = ListenerSettings()
    // Who is live stays so where nobody reads for a while.
    settings.behind = .skip
    settings.lagMax = MediaTime(seconds: 60)
    try await withScene(settings: settings) { scene in
      let clients = try (0..<12).map {
        try StreamClient(to: scene.server.address, get: "/jazz?burst=1", titles: $0 % 2 == 0)
      }
      for client in clients { try await client.until("the burst") { $0.bodyCount > 12_000 } }
      for round in 1...2 {
        try await scene.begin()
        for client in clients {
          try await client.until("the fallback") {
            try HeardPackets($0).changes == round * 2 - 1
              && HeardPackets($0).fallback.count > round * 40
          }
        }
        var listeners: [ListenerSnapshot] = []
        try await eventually("all hear the fallback") {
          for client in clients { client.drain() }
          listeners = await scene.server.server.listeners()
          return listeners.allSatisfy { $0.state == .fallback }
        }
        #expect(listeners.allSatisfy { $0.station == "jazz" })
        // Where it is already.
        let moved = await scene.server.server.move(listener: listeners[0].id, to: "jazz")
        #expect(moved == .moved)
        let edge = scene.server.station.log.edge.media
        #expect(listeners.allSatisfy { ($0.lag ?? 9) == 0 && ($0.offset ?? 0) < 2 })
        #expect(scene.listening == 12 && scene.places == 12)
        scene.end()
        for client in clients {
          try await client.until("the station") {
            try HeardPackets($0).changes == round * 2 && own($0) > 60 * round
          }
        }
        #expect(scene.server.station.log.edge.media > edge)
      }
      for (index, client) in clients.enumerated() {
        let heard = try HeardPackets(client)
        #expect(heard.isWhole && heard.silence == 0 && heard.changes == 4)
        if index % 2 > 0 { continue }
        // A block's title is that of the packet it stands in, or of the one that begins there.
        for title in heard.titles where !title.title.isEmpty {
          let at = min(title.at * 49 / 20_480, heard.packets.count - 1)
          let near = heard.packets[max(0, at - 1)...min(at + 1, heard.packets.count - 1)]
          #expect(near.contains { scene.server.station.title(at: $0) == title.title })
        }
        #expect(heard.titles.contains { $0.title.hasPrefix("Title 200") })
      }
      try await eventually("all are live") {
        for client in clients { client.drain() }
        return await scene.server.server.listeners().allSatisfy { $0.state == .live }
      }
      #expect(scene.listening == 12 && scene.places == 12)
      for client in clients { client.hangUp() }
      try await eventually("nobody is left") { scene.listening == 0 && scene.places == 0 }
    }
  }

  @Test func `a newcomer after hours without listeners hears the fallback once the station is dry`()
    async throws
  {
    try await withScene(threads: 1) { scene in
      let first = try StreamClient(to: scene.server.address, get: "/jazz?burst=2")
      try await first.until("the burst") { $0.bodyCount > 24_000 }
      first.hangUp()
      try await eventually("nobody listens") { scene.listening == 0 }
      // An hour for nobody, and a second of it by the clock.
      try await scene.pause()
      scene.server.station.append(38 * 3600, at: .now())
      try await Task.sleep(for: .seconds(1.5))
      scene.end()
      let next = try StreamClient(to: scene.server.address, get: "/jazz?burst=2")
      try await next.until("the burst, and what comes") { try own($0) > 100 }
      try await scene.begin(waitsUntilDry: true)
      try await next.until("the fallback") { try HeardPackets($0).fallback.count > 20 }
      scene.end()
      try await next.until("the station") { try HeardPackets($0).changes == 2 }
      #expect(try HeardPackets(next).isWhole)
    }
  }

  @Test func `a fallback that nobody has heard yet leaves no listener with more than its burst`()
    async throws
  {
    try await withScene(threads: 1) { scene in
      let client = try StreamClient(to: scene.server.address, get: "/jazz?burst=4")
      try await client.until("the burst") { try own($0) > 160 }
      scene.other.pause(true)
      try await scene.begin(waitsUntilDry: true)
      // The loop looks at the fallback, and five minutes of it pass while the listener has its burst left. To append more
      // takes longer than the burst on a busy machine.
      try await Task.sleep(for: .seconds(0.5))
      scene.other.append(38 * 300, at: .now())
      scene.other.pause(false)
      for round in 1...2 {
        try await client.until("the fallback") { try HeardPackets($0).changes == round * 2 - 1 }
        scene.end()
        try await client.until("the station") { try HeardPackets($0).changes == round * 2 }
        try await scene.begin(waitsUntilDry: true)
      }
      withExtendedLifetime(client) {}
    }
  }

  @Test func `a shifted listener goes on in the window, and goes over at its end`() async throws {
    try await withScene(seconds: 20) { scene in
      try await scene.begin()
      let client = try StreamClient(to: scene.server.address, get: "/jazz?offset=5&burst=1")
      try await client.until("the window's end and the fallback") {
        try HeardPackets($0).fallback.count > 20
      }
      #expect(try HeardPackets(client).own.last == scene.server.station.next - 1)
      scene.end()
      try await client.until("the station") { try HeardPackets($0).changes == 2 }
      #expect(try HeardPackets(client).isWhole)
      withExtendedLifetime(client) {}
    }
  }

  @Test func `a listener whose socket is always full comes back from the fallback`() async throws {
    var settings = ListenerSettings()
    // It is owed everything at once, however late it is.
    settings.behind = .skip
    settings.lagMax = MediaTime(seconds: 60)
    try await withScene(settings: settings) { scene in
      let fallback = PacketLog(memoryOnly: LogConfiguration(), at: .now())
      var next = FallbackScene.first
      func append(_ count: Int) {
        let format = AudioFormat(codec: .mp3, sampleRate: 44_100, channels: 2)
        for _ in 0..<count {
          fallback.append(NumberedFrames.frame(next).span, samples: 1152, format: format)
          next += 1
        }
        fallback.publish(at: .now())
      }
      append(60)
      let client = try StreamClient(
        to: scene.server.address, sending: "GET /jazz?burst=1 HTTP/1.0\r\n\r\n",
        receiveBuffer: 4096)
      try await client.until("the burst") { $0.bodyCount > 12_000 }
      try await scene.begin(fallback)
      try await client.until("the fallback") { try !HeardPackets($0).fallback.isEmpty }
      // 335 kB, several times what the kernel takes for it.
      append(800)
      try await eventually("its socket is full") {
        await scene.server.server.figures().blocked == 1
      }
      let edge = scene.server.station.log.edgePosition
      scene.end()
      try await eventually("something new") { scene.server.station.log.edgePosition > edge }
      try await eventually("the station") {
        client.drain(atMost: 2048)
        return try HeardPackets(client).changes == 2
      }
      let heard = try HeardPackets(client)
      #expect(heard.isWhole)
      #expect(heard.fallback.count < 500, "it left before the fallback's end")
    }
  }

  @Test func `a newcomer gets what there is, or else the fallback at once`() async throws {
    try await withScene(seconds: 0, isFed: false) { scene in
      await scene.publish(Fallback(log: scene.other.log, edge: 0))
      let client = try StreamClient(
        to: scene.server.address, get: "/jazz?session=\(Self.token)", titles: true)
      try await client.until("the fallback") { try HeardPackets($0).fallback.count > 80 }
      let place = try done(await scene.server.server.steer(session: Self.token))
      #expect(place.position == 0 && place.state == .playing)
      scene.server.station.append(100, at: .now())
      try await client.until("the station's first packets") { try own($0) == 100 }
      let heard = try HeardPackets(client)
      #expect(heard.own.first == 0 && heard.isWhole && heard.changes == 1)

      await scene.publish(
        Fallback(log: scene.other.log, edge: scene.server.station.log.edgePosition))
      let second = try StreamClient(to: scene.server.address, get: "/jazz?burst=1")
      try await second.until("the burst and the fallback") {
        try HeardPackets($0).fallback.count > 20
      }
      let packets = try HeardPackets(second)
      #expect(packets.own.count > 30 && packets.own.last == 99 && packets.changes == 1)
      withExtendedLifetime((client, second)) {}
    }
  }

  @Test func `a session's place is in its station, and pausing and rewinding leave the fallback`()
    async throws
  {
    try await withScene(seconds: 30) { scene in
      let server = scene.server.server
      let path = "/jazz?burst=1&session=\(Self.token)"
      let client = try StreamClient(to: scene.server.address, get: path, titles: true)
      try await client.until("the burst") { $0.bodyCount > 12_000 }
      try await scene.begin()
      let edge = scene.server.station.log.edgePosition
      func isAway(_ more: Int) async throws {
        let before = try HeardPackets(client).fallback.count
        try await client.until("the fallback") {
          try HeardPackets($0).fallback.count > before + more
        }
      }
      try await isAway(40)
      #expect(try done(await server.steer(session: Self.token)).position == edge)
      // Live is where it is already.
      #expect(try done(await server.steer(session: Self.token, .live)).position == edge)
      #expect(try done(await server.steer(session: Self.token, .resume)).position == edge)

      let paused = try done(await server.steer(session: Self.token, .pause))
      #expect(paused.position == edge && paused.state == .paused)
      try await client.until("silence") { try HeardPackets($0).silence > 30 }
      let fallbacks = try HeardPackets(client).fallback.count
      _ = try done(await server.steer(session: Self.token, .resume))
      try await isAway(20)
      #expect(try HeardPackets(client).fallback.count > fallbacks)

      let rewound = try done(
        await server.steer(session: Self.token, .rewind(MediaTime(seconds: 5))))
      #expect(rewound.position < edge)
      let number = try #require(
        (0..<100_000).first { NumberedFrames.position(of: $0) == rewound.position })
      try await client.until("the rewound packets") {
        try HeardPackets($0).own.contains(number + 20)
          && HeardPackets($0).own.contains(number)
      }
      // It gets to the end again, and goes over again.
      try await isAway(20)
      client.hangUp()
      try await eventually("it has gone") { scene.listening == 0 }

      // Who was on the fallback comes back to its own place, once the station goes on.
      scene.end()
      let again = try StreamClient(to: scene.server.address, get: path)
      try await again.until("its next packet") { try own($0) > 20 }
      let next = try #require(try HeardPackets(again).own.first)
      #expect(NumberedFrames.position(of: next) == edge)
      withExtendedLifetime((client, again)) {}
    }
  }

  @Test func `a listener that cannot take the fallback's format stays with the station`()
    async throws
  {
    try await withScene { scene in
      let client = try StreamClient(to: scene.server.address, get: "/jazz?burst=1")
      try await client.until("the burst") { $0.bodyCount > 12_000 }
      let mono = PacketLog(memoryOnly: LogConfiguration(), at: .now())
      func append(_ channels: Int) {
        let format = AudioFormat(codec: .mp3, sampleRate: 44_100, channels: channels)
        for number in 0..<60 {
          let frame = NumberedFrames.frame(FallbackScene.first + UInt64(number))
          mono.append(frame.span, samples: 1152, format: format)
        }
        mono.publish(at: .now())
      }
      append(1)
      try await scene.begin(mono)
      let edge = scene.server.station.log.edgePosition
      try await Task.sleep(for: .milliseconds(300))
      #expect(await scene.server.server.listeners().map(\.state) == [.live])
      append(2)
      try await client.until("the fallback") { try !HeardPackets($0).fallback.isEmpty }
      append(1)
      try await eventually("it is back") {
        await scene.server.server.listeners().map(\.state) == [.live]
      }
      scene.end()
      try await client.until("the station") {
        try HeardPackets($0).own.contains { NumberedFrames.position(of: $0) == edge }
      }
      #expect(try HeardPackets(client).isWhole)
      withExtendedLifetime(client) {}
    }
  }

  @Test func `a fallback that comes and goes at random loses nobody a packet`() async throws {
    let seed = UInt64.random(in: 1...1_000_000)
    print("seed \(seed)")
    var random = SplitMix(seed: seed)
    try await withScene(seconds: 30) { scene in
      var clients: [StreamClient] = []
      for number in 0..<60 {
        clients.append(
          try StreamClient(
            to: scene.server.address,
            get: "/jazz?burst=1&session=listener-\(number)",
            titles: Bool.random(using: &random)))
      }
      for client in clients { try await client.until("the burst") { $0.bodyCount > 8000 } }
      for _ in 0..<150 {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: try await scene.begin()
        case 1: scene.end()
        case 2: await scene.publish(nil)
        default:
          let number = Int.random(in: 0..<60, using: &random)
          let steering: Steering = Bool.random(using: &random) ? .pause : .resume
          _ = await scene.server.server.steer(
            session: SessionToken("listener-\(number)")!, steering)
        }
        for client in clients { client.drain() }
        try await Task.sleep(for: .milliseconds(Int.random(in: 1...60, using: &random)))
      }
      scene.end()
      for number in 0..<60 {
        _ = await scene.server.server.steer(
          session: SessionToken("listener-\(number)")!, .resume)
      }
      let last = scene.server.station.next + 20
      for client in clients {
        try await client.until("the newest packets") { try HeardPackets($0).own.last! >= last }
        let heard = try HeardPackets(client)
        #expect(heard.isWhole, "seed \(seed)")
      }
      #expect(try clients.contains { try HeardPackets($0).changes > 2 })
    }
  }
}
