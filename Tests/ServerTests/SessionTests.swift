import Glibc
import Reactor
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Server

/// What a listener of a station of numbered packets got.
struct HeardPackets {
  /// Of each packet in order; nil: made silence.
  var numbers: [UInt64?] = []
  var titles: [(at: Int, title: String)] = []

  init(_ client: StreamClient) throws {
    let metaint = try client.head()["icy-metaint"].flatMap { Int($0) }
    var audio = client.body
    if let metaint { (audio, titles) = StreamClient.deinterleave(audio, metaint: metaint) }
    var scanner = PacketScanner()
    var from = 0
    while from < audio.count, let finding = scanner.next(in: audio.span, from: from, atEnd: false) {
      switch finding {
      case .packet(let packet):
        try #require(packet.range.lowerBound == from, "torn at \(from)")
        let frame = Array(audio[packet.range])
        let number = NumberedFrames.number(of: frame)
        try #require(number != nil || frame.dropFirst(4).allSatisfy { $0 == 0 }, "torn at \(from)")
        numbers.append(number)
        from = packet.range.upperBound
      case .skipped(let range, _): throw Torn(at: range.lowerBound)
      }
    }
  }

  struct Torn: Error { var at: Int }

  var packets: [UInt64] { numbers.compactMap { $0 } }

  /// Where a packet does not follow on the one before.
  var seams: [(from: UInt64, to: UInt64)] {
    zip(packets, packets.dropFirst()).filter { $1 != $0 + 1 }.map { (from: $0, to: $1) }
  }

  var silence: Int { numbers.count { $0 == nil } }
}

@Suite(.serialized)
struct SessionTests {
  private static let token = SessionToken("the-session_01")!

  private func done(_ outcome: SteeringOutcome) throws -> SessionSnapshot {
    guard case .done(let snapshot) = outcome else {
      Issue.record("\(outcome)")
      throw CancellationError()
    }
    return snapshot
  }

  private func listen(
    _ server: TestServer, _ query: String = "", titles: Bool = true
  ) async throws -> StreamClient {
    let client = try StreamClient(
      to: server.address, get: "/jazz?session=\(Self.token)\(query)", titles: titles)
    #expect(try await client.answer()["longwave-session"] == Self.token.text)
    try await client.until("the burst") { $0.bodyCount > 40_000 }
    return client
  }

  private func number(at position: UInt64) -> UInt64? {
    (0..<100_000).first { NumberedFrames.position(of: $0) == position }
  }

  @Test func `a paused listener gets silence, and goes on at the very next packet`() async throws {
    try await withServer { server in
      let client = try await listen(server)
      let paused = try done(await server.server.steer(session: Self.token, .pause))
      #expect(paused.state == .paused)
      try await client.until("silence") { try HeardPackets($0).silence > 60 }
      // Pausing again changes nothing.
      let again = try done(await server.server.steer(session: Self.token, .pause))
      #expect(again.position == paused.position)
      let before = try HeardPackets(client).packets
      #expect(before.last.map { NumberedFrames.position(of: $0 + 1) } == paused.position)
      let resumed = try done(await server.server.steer(session: Self.token, .resume))
      #expect(resumed.state == .playing && resumed.position == paused.position)
      try await client.until("more packets") {
        try HeardPackets($0).packets.count > before.count + 60
      }
      let heard = try HeardPackets(client)
      #expect(heard.seams.isEmpty)
      // It is as far behind as the pause was long.
      let now = try done(await server.server.steer(session: Self.token))
      #expect(now.offset > 4 + 1.5 && now.canForward)
      withExtendedLifetime(client) {}
    }
  }

  @Test
  func `short pauses are as long for the player as they were, so that its buffer stays as it is`()
    async throws
  {
    try await withServer { server in
      let client = try await listen(server)
      var paused = 0.0
      for _ in 0..<6 {
        _ = try done(await server.server.steer(session: Self.token, .pause))
        let since = ContinuousClock.now
        try await Task.sleep(for: .milliseconds(400))
        // Less what the loop's own clock may lag, and never more than is made up for at once.
        paused += min(2, max(0, (ContinuousClock.now - since) / .seconds(1) - 0.1))
        _ = try done(await server.server.steer(session: Self.token, .resume))
      }
      let frames = Int(paused * 44_100 / 1152) - 6
      try await client.until("silence for all of it") { try HeardPackets($0).silence >= frames }
      #expect(try HeardPackets(client).seams.isEmpty)
    }
  }

  @Test func `a paused listener who is held gets nothing at all, and nothing is lost`() async throws
  {
    var settings = ListenerSettings()
    settings.paused = .hold
    try await withServer(settings: settings) { server in
      let client = try await listen(server)
      let paused = try done(await server.server.steer(session: Self.token, .pause))
      let live = server.station.log.snapshot().edge.position
      try await eventually("three seconds of packets") {
        server.station.log.snapshot().edge.position > live + 48_000
      }
      client.drain()
      let heard = try HeardPackets(client)
      #expect(heard.packets.last.map { NumberedFrames.position(of: $0 + 1) } == paused.position)
      _ = try done(await server.server.steer(session: Self.token, .resume))
      try await client.until("more") {
        try HeardPackets($0).packets.count > heard.packets.count + 100
      }
      let all = try HeardPackets(client)
      #expect(all.seams.isEmpty && all.silence == 0)
    }
  }

  @Test func `every jump lands on the packet that the answer names, whole, with its title`()
    async throws
  {
    var settings = ListenerSettings()
    // Who is live stays so where nobody reads for a while.
    settings.behind = .skip
    settings.lagMax = MediaTime(seconds: 60)
    try await withServer(seconds: 100, settings: settings) { server in
      let client = try await listen(server)
      var expected: [UInt64] = []
      let start = Moment.now().wall.seconds
      let steerings: [Steering] = [
        .rewind(MediaTime(seconds: 30)), .forward(MediaTime(seconds: 10)),
        .behind(MediaTime(seconds: 60)), .at(WallTime(seconds: start - 40)),
        .rewind(MediaTime(seconds: 1000)), .track(.next), .live,
      ]
      for steering in steerings {
        let snapshot = try done(await server.server.steer(session: Self.token, steering))
        let target = try #require(number(at: snapshot.position), "\(steering)")
        try await client.until("\(steering)") { try HeardPackets($0).packets.contains(target) }
        expected.append(target)
        switch steering {
        case .behind: #expect(abs(snapshot.offset - 60) < 0.1)
        case .at:
          let reader = LogReader(server.station.log)
          reader.refresh()
          let media = try #require(reader.media(at: snapshot.position))
          #expect(abs(reader.air(at: media).seconds - (start - 40)) < 0.1)
        case .rewind(MediaTime(seconds: 1000)):
          #expect(snapshot.position == server.station.log.snapshot().oldest.position)
          #expect(snapshot.canForward && !snapshot.canRewind)
        case .track: #expect(snapshot.title != nil)
        case .live: #expect(!snapshot.canForward)
        default: #expect(snapshot.canForward && snapshot.canRewind)
        }
      }
      try await client.until("what is live") {
        try HeardPackets($0).packets.last.map {
          NumberedFrames.position(of: $0 + 8) > server.station.log.snapshot().edge.position
        } == true
      }
      let heard = try HeardPackets(client)
      #expect(heard.seams.map(\.to) == expected)
    }
  }

  @Test func `a session that reconnects by its token goes on at the very next packet`() async throws
  {
    try await withServer(seconds: 60) { server in
      let first = try await listen(server, "&offset=30")
      try await first.until("some more") { $0.bodyCount > 100_000 }
      first.hangUp()
      try await eventually("nobody is there") {
        try self.done(await server.server.steer(session: Self.token)).state == .disconnected
      }
      // What came before it hung up is heard, too.
      first.drain()
      let stopped = try HeardPackets(first)
      // The place of the session wins.
      let second = try await listen(server, "&offset=10")
      try await second.until("some more") { $0.bodyCount > 100_000 }
      let went = try HeardPackets(second)
      let last = try #require(stopped.packets.last)
      // What was on its way when the player hung up was not heard.
      let lost = try #require(went.packets.first) - last
      #expect((1...2).contains(lost), "\(last) and then \(went.packets.first ?? 0)")
      #expect(stopped.seams.isEmpty && went.seams.isEmpty)
      withExtendedLifetime((first, second)) {}
    }
  }

  /// As a player whose own buffer is full, or that is slower than it should be.
  @Test func `a listener who stops reading and is closed hears what it had not read`() async throws
  {
    try await withServer(seconds: 60) { server in
      let path = "/jazz?session=the-session_05&burst=20"
      let first = try StreamClient(
        to: server.address, sending: "GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n",
        receiveBuffer: 4096)
      try await first.until { $0.bodyCount > 10_000 }
      try await eventually("its socket is full") {
        await server.server.figures().blocked == 1
      }
      // By the clock it would have played all that by now.
      try await Task.sleep(for: .seconds(3))
      first.reset()
      try await eventually("it has left") { await server.server.listeners().isEmpty }
      let second = try StreamClient(to: server.address, get: path)
      try await second.until { $0.bodyCount > 10_000 }
      let last = try #require(NumberedFrames.numbers(in: first.body, mayEndInFrame: true).last)
      let next = try NumberedFrames.numbers(in: second.body, mayEndInFrame: true)[0]
      // 2 s are 77 packets.
      #expect((last - 77...last + 1).contains(next), "\(next) behind \(last)")
    }
  }

  @Test func `two connections with one token: the newer goes on, the older ends`() async throws {
    try await withServer(threads: 3, listenersMax: 1) { server in
      var heard: [UInt64] = []
      for _ in 0..<6 {
        let client = try await listen(server)
        let newer = try StreamClient(
          to: server.address, get: "/jazz?session=\(Self.token)", titles: true)
        try await client.until("its end") { $0.isEnded }
        #expect(try await newer.answer().status == 200)
        let packets = try HeardPackets(client).packets
        if let last = heard.last { #expect(packets.first == last + 1) }
        heard += packets
        try await newer.until("a packet") { try !HeardPackets($0).packets.isEmpty }
        newer.hangUp()
        try await eventually("it is gone") {
          try self.done(await server.server.steer(session: Self.token)).state == .disconnected
        }
        // What came before it hung up is heard, too.
        newer.drain()
        heard += try HeardPackets(newer).packets
        withExtendedLifetime((client, newer)) {}
      }
      #expect(heard == Array(heard[0]..<heard[0] + UInt64(heard.count)))
    }
  }

  @Test func `a session that nobody is connected to is moved all the same`() async throws {
    try await withServer(seconds: 60) { server in
      try await listen(server).hangUp()
      let away = { try self.done(await server.server.steer(session: Self.token, $0)) }
      try await eventually("nobody is there") { try await away(nil).state == .disconnected }
      let moved = try await away(.behind(MediaTime(seconds: 40)))
      #expect(abs(moved.offset - 40) < 0.1 && moved.canRewind && moved.canForward)
      let client = try await listen(server)
      #expect(try HeardPackets(client).packets.first == number(at: moved.position))
      client.hangUp()
      try await eventually("nobody is there") { try await away(nil).state == .disconnected }
      #expect(try await away(.live).offset == 0)
      let live = try await listen(server)
      #expect(try live.head()["longwave-offset"].flatMap { Double($0) }.map { $0 < 5 } == true)
      guard case .unknown = await server.server.steer(session: SessionToken("nobody-knows")!) else {
        Issue.record("an unknown token was found")
        return
      }
    }
  }

  @Test func `a probe leaves the session where it is`() async throws {
    try await withServer(seconds: 60) { server in
      let client = try await listen(server, "&offset=30")
      client.hangUp()
      try await eventually("nobody is there") {
        try self.done(await server.server.steer(session: Self.token)).state == .disconnected
      }
      let before = server.server.sessions[Self.token]
      let head = try StreamClient(
        to: server.address, get: "/jazz?session=\(Self.token)", method: "HEAD")
      _ = try await head.answer()
      #expect(server.server.sessions[Self.token] == before)
    }
  }

  @Test func `a token is eight to sixty-four letters, digits, hyphens and underscores`()
    async throws
  {
    try await withServer { server in
      for token in [
        "short", "with%20blank1", "", String(repeating: "x", count: 65), "n%C3%A4mlich1",
      ] {
        let refused = try StreamClient(to: server.address, get: "/jazz?session=\(token)")
        let head = try await refused.answer()
        #expect(head.status == 400)
        try await refused.until("the field") {
          String(decoding: $0.received, as: UTF8.self).contains(#""field":"session""#)
        }
      }
    }
  }
}
