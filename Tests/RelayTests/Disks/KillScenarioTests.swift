import Glibc
import Longwave
import TestSupport
import Testing

@Suite struct KillScenarioTests {
  /// Of the upstream.
  private static let metaint = 3000

  private static func upstream() throws -> FakeUpstream {
    let titles = (0..<200).map { FakeProgramme.TitleChange(packet: $0 * 45, "Song \($0)") }
    let upstream = try FakeUpstream(.numbered(before: 100, titles: titles))
    // More than a minute, so that there is a sealed segment besides the active one, and so that nothing is lost where
    // nobody looks for a while.
    var stream = FakeStream(burst: 75)
    stream.metaint = metaint
    upstream.reply("/live", with: .stream(stream))
    return upstream
  }

  private static func configure(_ data: TemporaryDirectory, _ upstream: FakeUpstream) -> String {
    let text = """
      timeshift: { window: 1h }
      admin: { token: \(Scenario.token) }
      stations:
        - id: jazz
          upstream: [\(upstream.url("/live"))]
          metaint: 2048
      """
    data.write("longwave.yml", Array(text.utf8))
    return data.path + "/longwave.yml"
  }

  /// What must be the same after a restart.
  private struct Before {
    var oldest = 0
    var live = 0
    var titles: [UInt64: String] = [:]
    var eventID: UInt64 = 0
  }

  private static let wishes = [
    Crowd.Wish("/jazz?offset=1h&burst=60"), Crowd.Wish("/jazz?offset=60&burst=60"),
    Crowd.Wish("/jazz"), Crowd.Wish("/jazz", titles: true),
    Crowd.Wish("/jazz?offset=5", titles: true), Crowd.Wish("/jazz", reads: false),
  ]

  @Test(arguments: UInt64(1)...(Scenario.isLong ? 8 : 1))
  func `the window is there after kill -9 at any moment, and goes on without a seam`(seed: UInt64)
    async throws
  {
    let upstream = try Self.upstream()
    defer { upstream.stop() }
    let folder = TemporaryDirectory()
    let data = TemporaryDirectory()
    let file = Self.configure(folder, upstream)
    var random = SplitMix(seed: seed)
    var before = Before()
    var first: UInt64?
    for round in 0..<5 {
      let arguments = ["serve", "--config", file]
      let server = try await LongwaveProcess(arguments, data: data.path)
      try await Self.check(server, after: before)
      let crowd = try Crowd(at: server.address, Self.wishes)
      // The killing moment; every other round while recovery and stitching are hardly over.
      let most = round % 2 == 0 ? 2.5 : 0.4
      try await Task.sleep(for: .seconds(Double.random(in: 0.1...most, using: &random)))
      before = try await Self.remember(server)
      try await server.kill()
      let members = crowd.finish()
      try Self.checkListeners(members, &first, round: round)
    }
    try await Self.checkPast(file, data, upstream, before, &first)
  }

  /// With its upstream away a restarted server has nothing but the disk.
  private static func checkPast(
    _ file: String, _ data: TemporaryDirectory, _ upstream: FakeUpstream, _ before: Before,
    _ first: inout UInt64?
  ) async throws {
    upstream.goAway()
    let server = try await LongwaveProcess(["serve", "--config", file], data: data.path)
    let live = try await server.api.station("jazz")["window"]?["livePosition"]?.integer ?? 0
    print("of \(before.live) bytes \(live) were on disk at the last kill")
    // Written four times a second; generously two seconds.
    #expect(live > before.live - 2 * 16_000)
    let crowd = try Crowd(at: server.address, wishes)
    try await crowd.quietBurst()
    try checkListeners(crowd.finish(), &first, round: 5)
    try upstream.comeBack()
    try await check(server, after: before)
  }

  /// A restarted server has what the killed one had, and comes to where that one was.
  private static func check(_ server: LongwaveProcess, after before: Before) async throws {
    let api = server.api
    let found = try await api.station("jazz")
    if before.live > 0 {
      #expect(found["window"]?["oldestPosition"]?.integer == before.oldest)
      #expect(found["window"]?["livePosition"]?.integer ?? 0 > 0)
      #expect(found["window"]?["storage"]?.string == "healthy")
    }
    try await api.until("jazz", is: "playing")
    try await eventually("a live edge beyond \(before.live)") {
      try await api.station("jazz")["window"]?["livePosition"]?.integer ?? 0 > before.live
    }
    try await checkTitles(api, before)
    let events = try EventClient(at: server.address, after: 0)
    let event = try await events.first("any") { _ in true }
    #expect(event.id > before.eventID)
  }

  /// Titles stand where they stood. Those that the disk did not have yet come from the upstream again, whose blocks now
  /// stand elsewhere: up to one `metaint` from where they were.
  private static func checkTitles(_ api: RelayAPI, _ before: Before) async throws {
    for (position, title) in before.titles {
      if position + 2 * 16_000 < before.live {
        #expect(try await api.history("jazz")[position] == title)
        continue
      }
      try await eventually("the title \(title) near \(position)") {
        try await api.history("jazz").contains { place, text in
          text == title && abs(Int(place) - Int(position)) < metaint + 418
        }
      }
    }
  }

  private static func remember(_ server: LongwaveProcess) async throws -> Before {
    let titles = try await server.api.history("jazz")
    let events = try EventClient(at: server.address, after: 0)
    try await events.first("playing") { $0.kind == "playing" }
    let window = try await server.api.station("jazz")["window"]
    return Before(
      oldest: window?["oldestPosition"]?.integer ?? 0, live: window?["livePosition"]?.integer ?? 0,
      titles: titles, eventID: events.events.last?.id ?? 0)
  }

  /// Nobody's stream is torn, and the log still begins where it began, without a packet missing or twice.
  private static func checkListeners(
    _ members: [Crowd.Member], _ first: inout UInt64?, round: Int
  ) throws {
    for member in members where member.wish.reads && !member.received.isEmpty {
      let numbers = try member.heard().numbers()
      #expect(areUnbroken(numbers), "round \(round), \(member.wish.path)")
    }
    guard let oldest = try members[0].heard().numbers().first else { return }
    if first == nil { first = oldest }
    #expect(oldest == first, "round \(round)")
  }

  @Test func `SIGTERM lets every listener go between two packets and keeps the last packet`()
    async throws
  {
    let upstream = try Self.upstream()
    defer { upstream.stop() }
    let data = TemporaryDirectory()
    let arguments = ["relay", upstream.url("/live"), "--id", "jazz"]
    let server = try await LongwaveProcess(arguments, data: data.path)
    let api = server.api
    try await eventually("five seconds of jazz") { try await api.seconds("jazz") > 5 }
    let crowd = try Crowd(
      at: server.address,
      (0..<20).map { Crowd.Wish($0 % 3 == 0 ? "/jazz?offset=4" : "/jazz", titles: $0 % 2 == 0) }
        + [Crowd.Wish("/jazz", reads: false)])
    try await eventually("packets for all") {
      crowd.now.allSatisfy { !$0.wish.reads || $0.received.count > 50_000 }
    }
    server.process.signal(SIGTERM)
    // Three seconds for who does not read, and generously more.
    #expect(try await server.process.end() == 0)
    try await eventually("all ends") { crowd.endedCount == 20 }
    for member in crowd.finish() where member.wish.reads {
      let numbers = try member.heard().numbers(mayEndInFrame: false)
      #expect(areUnbroken(numbers) && numbers.count > 38)
    }
    // Nothing that a listener heard is lost.
    let again = try await LongwaveProcess(arguments, data: data.path)
    try await eventually("more than before") { try await again.api.seconds("jazz") > 7 }
    let whole = try Crowd(at: again.address, [Crowd.Wish("/jazz?offset=1h&burst=60")])
    try await whole.quietBurst()
    #expect(areUnbroken(try whole.finish()[0].heard().numbers()))
    again.process.signal(SIGINT)
    #expect(try await again.process.end() == 0)
  }
}

@Suite struct StandstillScenarioTests {
  @Test func `a relay that stood still for longer than its timeouts reads on where it was`()
    async throws
  {
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: 10)))
    let (folder, data) = (TemporaryDirectory(), TemporaryDirectory())
    let text = """
      stations:
        - id: jazz
          upstream: [\(upstream.url("/live"))]
          data-timeout: 10s
      """
    folder.write("longwave.yml", Array(text.utf8))
    let arguments = ["serve", "--config", folder.path + "/longwave.yml"]
    let server = try await LongwaveProcess(arguments, data: data.path)
    try await server.api.until("jazz", is: "playing")
    let events = try EventClient(at: server.address, "?station=jazz")
    let crowd = try Crowd(at: server.address, [Crowd.Wish("/jazz")])
    try await crowd.quietBurst()
    server.process.signal(SIGSTOP)
    try await Task.sleep(for: .seconds(15))
    server.process.signal(SIGCONT)
    let before = crowd.now[0].received.count
    try await eventually("what was on air meanwhile") {
      crowd.now[0].received.count > before + 8 * 16_000
    }
    #expect(upstream.requests.count == 1)
    #expect(!events.events.contains { $0.kind == "gap" || $0.kind == "http-error" })
    #expect(areUnbroken(try crowd.finish()[0].heard().numbers()))
  }
}

extension RelayAPI {
  /// How much of a station there is.
  func seconds(_ id: String) async throws -> Double {
    try await json("/api/v1/stations/\(id)")["window"]?["seconds"]?.double ?? 0
  }
}
