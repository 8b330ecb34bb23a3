import Reactor
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Server

/// Stations whose past is not for everybody, or not all of it.
@Suite(.serialized)
struct RightsTests {
  private static let token = SessionToken("the-session_01")!

  /// A minute of numbered packets that nobody adds to.
  private func withMinute(
    _ settings: ListenerSettings, change: (inout ServerConfiguration) -> Void = { _ in },
    _ body: (TestServer) async throws -> Void
  ) async throws {
    var window = LogConfiguration()
    window.windowBytes = 4 << 20
    try await withServer(
      seconds: 60, isFed: false, settings: settings,
      log: PacketLog(memoryOnly: window, at: .now()), change: change, body)
  }

  private var liveOnly: ListenerSettings {
    var settings = ListenerSettings()
    settings.allowsShift = false
    return settings
  }

  @Test(
    arguments: [
      "?offset=30", "?offset=-5m", "?at=2026-11-20T18:00:00Z", "?at=track-start",
      "?session=the-session_02&offset=10", "/clip?from=-30s", "/clip?from=-30s&to=-20s",
    ], ["GET", "HEAD"])
  func `a station without shift is heard live only`(place: String, method: String) async throws {
    try await withMinute(liveOnly) { server in
      let refused = try await server.fetch("/jazz" + place, method: method)
      #expect(try refused.head().status == 403)
      if method == "GET" {
        let text = String(decoding: refused.body, as: UTF8.self)
        #expect(text.contains("shift-off") || text.contains("clip-off"), "\(text)")
      }
      for live in ["/jazz", "/jazz?offset=0"] {
        let client = try StreamClient(to: server.address, get: live)
        #expect(try await client.answer().status == 200)
      }
    }
  }

  @Test func `a live-only station moves no listener back, and a paused one goes on live`()
    async throws
  {
    try await withServer(seconds: 60, settings: liveOnly) { server in
      let client = try StreamClient(to: server.address, get: "/jazz?session=\(Self.token)")
      try await client.until { $0.bodyCount > 40_000 }
      for steering: Steering in [
        .rewind(MediaTime(seconds: 5)), .behind(MediaTime(seconds: 5)), .track(.start),
        .at(WallTime(nanoseconds: 0)), .forward(MediaTime(seconds: 1)),
      ] {
        guard case .forbidden = await server.server.steer(session: Self.token, steering) else {
          Issue.record("\(steering) is not forbidden")
          continue
        }
      }
      guard case .done(let live) = await server.server.steer(session: Self.token) else {
        throw CancellationError()
      }
      #expect(!live.canRewind)
      let listener = try #require(await server.server.listeners().first?.id)
      guard
        case .forbidden = await server.server.steer(
          listener: listener, .rewind(MediaTime(seconds: 1)))
      else { throw CancellationError() }
      // Nobody is connected: the same.
      client.hangUp()
      try await eventually("it is gone") { await server.server.listeners().isEmpty }
      guard
        case .forbidden = await server.server.steer(
          session: Self.token, .rewind(MediaTime(seconds: 5)))
      else { throw CancellationError() }
    }
  }

  @Test func `clips can be given without shift, and kept with it`() async throws {
    var clipsOnly = liveOnly
    clipsOnly.allowsClips = true
    try await withMinute(clipsOnly) { server in
      let clip = try await server.fetch("/jazz/clip?from=-1h")
      #expect(try clip.head().status == 200)
      let shifted = try await server.fetch("/jazz?offset=30")
      #expect(try shifted.head().status == 403)
    }
    var noClips = ListenerSettings()
    noClips.allowsClips = false
    try await withMinute(noClips) { server in
      let refused = try await server.fetch("/jazz/clip?from=-1h")
      #expect(try refused.head().status == 403)
      #expect(String(decoding: refused.body, as: UTF8.self).contains("clip-off"))
      let client = try StreamClient(to: server.address, get: "/jazz?offset=30")
      #expect(try await client.answer().status == 200)
    }
  }

  @Test func `a listener gets no further back than the farthest offset`() async throws {
    var settings = ListenerSettings()
    settings.offsetMax = MediaTime(seconds: 20)
    try await withMinute(settings) { server in
      for asked in ["offset=50", "offset=1h", "at=2001-01-01T00:00:00Z", "at=track-start"] {
        let client = try StreamClient(to: server.address, get: "/jazz?\(asked)")
        let offset = try await client.answer()["longwave-offset"].flatMap(Double.init)
        #expect(try #require(offset) <= 20.1, "\(asked)")
      }
      let near = try StreamClient(to: server.address, get: "/jazz?offset=15")
      let offset = try await near.answer()["longwave-offset"].flatMap(Double.init)
      #expect(abs(try #require(offset) - 15) < 0.1)
      let whole = try await server.fetch("/jazz/clip?from=2001-01-01T00:00:00Z")
      #expect(try NumberedFrames.numbers(in: whole.body).count <= 767)
      let before = try await server.fetch(
        "/jazz/clip?from=2001-01-01T00:00:00Z&to=2001-01-02T00:00:00Z")
      #expect(try before.head().status == 404)
    }
  }

  @Test func `remote control ends at the farthest offset`() async throws {
    var settings = ListenerSettings()
    settings.offsetMax = MediaTime(seconds: 20)
    try await withServer(seconds: 60, settings: settings) { server in
      let client = try StreamClient(to: server.address, get: "/jazz?session=\(Self.token)")
      try await client.until { $0.bodyCount > 40_000 }
      for steering: Steering in [
        .rewind(MediaTime(seconds: 50)), .behind(MediaTime(seconds: 50)),
        .at(WallTime(nanoseconds: 0)),
      ] {
        guard case .done(let moved) = await server.server.steer(session: Self.token, steering)
        else { throw CancellationError() }
        // What its player has in hand comes on top.
        #expect(moved.offset <= 25, "\(steering): \(moved.offset)")
        #expect(moved.live.seconds - moved.oldest.seconds < 20.1)
      }
      withExtendedLifetime(client) {}
    }
  }

  // MARK: Clips

  @Test func `an address is sent so many clips at once, and they are counted`() async throws {
    try await withMinute(ListenerSettings(), change: { $0.clipsPerAddress = 2 }) { server in
      // Sent to nobody who reads.
      var open: [StreamClient] = []
      for _ in 0..<2 {
        let client = try StreamClient(
          to: server.address, sending: "GET /jazz/clip?from=-1h HTTP/1.1\r\nHost: a\r\n\r\n")
        open.append(client)
      }
      try await eventually("both are sent") { await server.server.figures().clips == 2 }
      let refused = try await server.fetch("/jazz/clip?from=-1h")
      #expect(try refused.head().status == 429)
      #expect(try refused.head()["Retry-After"] != nil)
      open[0].hangUp()
      open[1].hangUp()
      try await eventually("they are gone", within: 60) {
        await server.server.figures().clips == 0
      }
      for path in ["/jazz/clip?from=-1h", "/jazz/clip?from=2199-01-01T00:00:00Z"] {
        for method in ["GET", "HEAD"] { _ = try await server.fetch(path, method: method) }
      }
      let figures = await server.server.figures()
      #expect(figures.clips == 0)
      #expect(figures.clipsTotal == 6)
      #expect(figures.clipBytes >= 900_000)
    }
  }

  @Test func `a clip goes at its pace behind its first minute`() async throws {
    // Two minutes at ten times as fast: the second takes six seconds at least.
    var window = LogConfiguration()
    window.windowBytes = 8 << 20
    try await withServer(
      seconds: 120, isFed: false, log: PacketLog(memoryOnly: window, at: .now()),
      change: { $0.clipSpeed = 10 }
    ) { server in
      let start = MonotonicTime.now()
      let client = try await server.fetch("/jazz/clip?from=-1h")
      let seconds = Double(MonotonicTime.now().nanoseconds - start.nanoseconds) / 1e9
      // The last packet is not a clip's; a piece is sent as a whole.
      #expect(client.bodyCount > 119 * 16_000)
      #expect(seconds >= 5)
    }
  }
}

@Suite struct ClipPaceTests {
  private let one = AddressBlock(.tcp(.ipv4(1, port: 1)))
  private let other = AddressBlock(.tcp(.ipv4(2, port: 1)))

  @Test func `the clips of an address go at one pace together, after a minute in front`() {
    let pace = ClipPace()
    pace.set(speed: 20)
    #expect(pace.due(one) <= 0)
    pace.sent(MediaTime(seconds: 60), to: one, now: 0)
    #expect(pace.due(one) == 0)
    pace.sent(MediaTime(seconds: 40), to: one, now: 0)
    #expect(pace.due(one) == 2_000_000_000)
    #expect(pace.due(other) <= 0)
    #expect(pace.due(nil) == .min)
    // An hour later it has its minute again, and not more.
    pace.sent(MediaTime(seconds: 80), to: one, now: 3_600_000_000_000)
    #expect(pace.due(one) == 3_601_000_000_000)
  }

  @Test func `the addresses of a /48 have together what eight of them have`() {
    let pace = ClipPace()
    pace.set(speed: 20)
    func six(_ high: UInt64) -> AddressBlock? { AddressBlock(.tcp(.ipv6(high, 1, port: 1))) }
    for block in 0..<16 {
      pace.sent(MediaTime(seconds: 60), to: six(UInt64(0x1_0000 + block)), now: 0)
    }
    // Twice the minutes of eight.
    #expect(pace.due(six(0x1_0000)) == 3_000_000_000)
    #expect(pace.due(six(0x1_FFFF)) == 3_000_000_000)
    #expect(pace.due(six(0x2_0000)) == .min)
  }

  @Test func `a crowd of addresses does not make the pace forget who had most`() {
    let pace = ClipPace()
    pace.set(speed: 20)
    pace.sent(MediaTime(seconds: 3600), to: one, now: 0)
    let due = pace.due(one)
    for address in 10..<50_000 {
      pace.sent(
        MediaTime(seconds: 1), to: AddressBlock(.tcp(.ipv4(UInt32(address), port: 1))), now: 0)
    }
    #expect(pace.due(one) == due)
  }

  @Test func `the clips of a /48 are as many as eight of its addresses have`() {
    let places = AddressPlaces(countsSites: true)
    places.setMax(2)
    func six(_ high: UInt64) -> AddressBlock? { AddressBlock(.tcp(.ipv6(high, 1, port: 1))) }
    #expect((0..<100).count { places.reserve(six(UInt64(0x1_0000 + $0))) } == 16)
    #expect(places.reserve(six(0x2_0000)))
    places.release(six(0x1_0003))
    #expect(places.reserve(six(0x1_0050)))
    #expect(!places.reserve(six(0x1_0051)))
  }

  @Test func `a clip without a pace never waits`() {
    let pace = ClipPace()
    pace.sent(MediaTime(seconds: 1_000_000), to: one, now: 0)
    #expect(pace.due(one) == .min)
  }
}
