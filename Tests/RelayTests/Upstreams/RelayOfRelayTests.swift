import Longwave
import TestSupport
import Testing

/// A relay of a relay knows where it goes on: nothing is heard twice, nothing is missing that is there.
@Suite struct RelayOfRelayTests {
  /// Longer than its burst, and than a stitcher believes without a clock that agrees.
  private static let long = Duration.seconds(7)

  private static func numbered(burst: Double) throws -> FakeUpstream {
    let titles = (0..<400).map { FakeProgramme.TitleChange(packet: $0 * 60, "Song \($0)") }
    let upstream = try FakeUpstream(.numbered(before: 100, titles: titles))
    var stream = FakeStream(burst: burst)
    stream.metaint = 3000
    upstream.reply("/live", with: .stream(stream))
    return upstream
  }

  /// Nothing is heard twice, and something is missing at one place.
  private func expectOneGap(in child: RelayLink) async throws {
    try await eventually("more") { try await child.server.api.seconds("jazz") > 9 }
    let numbers = try NumberedFrames.numbers(in: try await child.whole(), mayEndInFrame: true)
    let missing = zip(numbers, numbers.dropFirst()).map { Int($1) - Int($0) - 1 }
    #expect(missing.allSatisfy { $0 >= 0 } && missing.count { $0 > 0 } == 1)
  }

  @Test(arguments: ["4s", "10s"])
  func `a listener hears each packet once when the relay in between was killed`(
    burst: String
  ) async throws {
    let upstream = try Self.numbered(burst: 40)
    defer { upstream.stop() }
    let parent = RelayLink([upstream.url("/live")], "burst: \(burst)")
    let child = RelayLink([parent.url()])
    try await parent.start()
    try await child.start()
    try await child.server.api.until("jazz", is: "playing")
    let listener = try child.listener()
    try await listener.until("six seconds") { try $0.numbers().count > 6 * 38 }
    try await parent.kill()
    try await Task.sleep(for: Self.long)
    let before = try listener.numbers().count
    try await parent.start()
    try await listener.until("what was on air meanwhile") {
      try $0.numbers().count > before + 12 * 38
    }
    #expect(areUnbroken(try listener.numbers()))
    let told = try await child.firstReturn()
    #expect(told["lostSeconds"]?.double == 0 && told["repeatedSeconds"]?.double ?? 0 == 0)
    let titles = try await child.server.api.history("jazz").sorted { $0.key < $1.key }
      .compactMap { $0.value.split(separator: " ").last.flatMap { Int($0) } }
    #expect(titles.count > 5 && zip(titles, titles.dropFirst()).allSatisfy { $0 + 1 == $1 })
  }

  @Test func `a relay that was killed gets all that the one before it has`() async throws {
    let upstream = try Self.numbered(burst: 4)
    defer { upstream.stop() }
    let parent = RelayLink([upstream.url("/live")])
    let child = RelayLink([parent.url()])
    try await parent.start()
    try await child.start()
    try await eventually("six seconds") { try await child.server.api.seconds("jazz") > 6 }
    try await child.kill()
    try await Task.sleep(for: .seconds(12))
    try await child.start()
    try await eventually("the time away") { try await child.server.api.seconds("jazz") > 20 }
    #expect(
      areUnbroken(try NumberedFrames.numbers(in: try await child.whole(), mayEndInFrame: true)))
    #expect(try await child.firstReturn()["lostSeconds"]?.double == 0)
  }

  @Test func `a gap of the relay in between is told with its true length`() async throws {
    // Without a burst, what is on air while the first relay is away is lost.
    let upstream = try Self.numbered(burst: 0)
    defer { upstream.stop() }
    let parent = RelayLink([upstream.url("/live")])
    let child = RelayLink([parent.url()])
    try await parent.start()
    try await child.start()
    try await eventually("six seconds") { try await child.server.api.seconds("jazz") > 6 }
    try await parent.kill()
    try await Task.sleep(for: .seconds(3))
    try await parent.start()
    let lost = try #require(try await child.firstReturn()["lostSeconds"]?.double)
    let length = try #require(try await parent.firstReturn()["lostSeconds"]?.double)
    #expect(length > 2 && abs(lost - length) < 0.5, "\(lost) of \(length)")
    try await expectOneGap(in: child)
  }

  @Test func `a gap that a relay notes while another hears it has its length there too`()
    async throws
  {
    let upstream = try Self.numbered(burst: 0)
    defer { upstream.stop() }
    let parent = RelayLink([upstream.url("/live")])
    let child = RelayLink([parent.url()])
    try await parent.start()
    try await child.start()
    try await eventually("six seconds") { try await child.server.api.seconds("jazz") > 6 }
    upstream.goAway()
    try await Task.sleep(for: .seconds(4))
    try upstream.comeBack()
    let length = try #require(try await parent.firstReturn()["lostSeconds"]?.double)
    let lost = try #require(try await child.firstReturn()["lostSeconds"]?.double)
    #expect(length > 3 && abs(lost - length) < 0.01, "\(lost) of \(length)")
    try await expectOneGap(in: child)
  }

  @Test func `a relay that has just come back repeats nothing of what was before`() async throws {
    let upstream = try Self.numbered(burst: 0)
    defer { upstream.stop() }
    let one = RelayLink([upstream.url("/live")])
    let other = RelayLink([upstream.url("/live")])
    let child = RelayLink([one.url(), other.url()])
    for link in [one, other, child] { try await link.start() }
    try await child.server.api.until("jazz", is: "playing")
    let listener = try child.listener()
    try await listener.until("six seconds") { try $0.numbers().count > 6 * 38 }
    try await other.kill()
    try await Task.sleep(for: .seconds(9))
    try await other.start()
    try await one.kill()
    let before = try listener.numbers().count
    try await listener.until("the other one") { try $0.numbers().count > before + 4 * 38 }
    let numbers = try listener.numbers()
    #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test func `a relay's own audio goes on whole behind its fallback`() async throws {
    let upstream = try Self.numbered(burst: 4)
    defer { upstream.stop() }
    let other = try FakeUpstream(.numbered(before: 5000))
    defer { other.stop() }
    other.reply("/live", with: .stream(FakeStream(burst: 4)))
    let parent = RelayLink(
      [upstream.url("/live")], "fallback: station:other",
      "\n  - id: other\n    upstream: \"\(other.url("/live"))\"")
    let child = RelayLink([parent.url()])
    try await parent.start()
    try await parent.server.api.until("other", is: "playing")
    try await child.start()
    let listener = try child.listener()
    try await listener.until("six seconds") { try $0.numbers().count > 6 * 38 }
    func own() throws -> [UInt64] { try listener.numbers().filter { $0 < 100_000 } }
    upstream.goAway()
    try await listener.until("the fallback") { try $0.numbers().contains { $0 > 100_000 } }
    try upstream.comeBack()
    let before = try own().count
    try await listener.until("its own audio") { _ in try own().count > before + 6 * 38 }
    let last = try #require(try own().last)
    try await child.kill()
    try await child.start()
    try await eventually("more") { try await child.server.api.seconds("jazz") > 9 }
    try await Task.sleep(for: .seconds(4))
    let numbers = try NumberedFrames.numbers(in: try await child.whole(), mayEndInFrame: true)
      .filter { $0 < 100_000 && $0 + 38 > last }
    #expect(numbers.count > 38 && areUnbroken(numbers))
  }

  @Test func `a relay of another one's past goes on there at once after a kill`() async throws {
    let upstream = try Self.numbered(burst: 60)
    defer { upstream.stop() }
    let parent = RelayLink([upstream.url("/live")])
    let child = RelayLink([parent.url("/jazz?offset=20")])
    try await parent.start()
    try await eventually("a past") { try await parent.server.api.seconds("jazz") > 50 }
    try await child.start()
    try await eventually("six seconds") { try await child.server.api.seconds("jazz") > 6 }
    try await child.kill()
    try await Task.sleep(for: Self.long)
    try await child.start()
    let listener = try child.listener()
    try await listener.until("the time away") { try $0.numbers().count > 12 * 38 }
    try await eventually("more") { try await child.server.api.seconds("jazz") > 15 }
    #expect(
      areUnbroken(try NumberedFrames.numbers(in: try await child.whole(), mayEndInFrame: true)))
  }

  @Test func `another address of the same relay goes on where the first one stopped`()
    async throws
  {
    let upstream = try Self.numbered(burst: 40)
    defer { upstream.stop() }
    let parent = RelayLink([upstream.url("/live")])
    let gate = try FakeUpstream(.numbered())
    defer { gate.stop() }
    gate.reply("/", with: .redirect(to: parent.url()), .status(404))
    let child = RelayLink([gate.url("/"), parent.url("/jazz?burst=6")])
    try await parent.start()
    try await child.start()
    let listener = try child.listener()
    try await listener.until("six seconds") { try $0.numbers().count > 6 * 38 }
    try await parent.kill()
    try await Task.sleep(for: Self.long)
    let before = try listener.numbers().count
    try await parent.start()
    try await listener.until("what was on air meanwhile") {
      try $0.numbers().count > before + 10 * 38
    }
    #expect(areUnbroken(try listener.numbers()))
  }

  @Test(arguments: [Fixtures.OggCodec.vorbis, .opus])
  func `pages of Ogg go on at their positions`(codec: Fixtures.OggCodec) async throws {
    let ogg = try await offPool {
      try FakeOgg(codec, links: [.init(page: 0, artist: "Nina Simone", title: "Sinnerman")])
    }
    let upstream = try FakeUpstream(ogg.programme(before: 60))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(ogg.stream(burst: 40), mediaType: "application/ogg"))
    let parent = RelayLink([upstream.url("/live")])
    let child = RelayLink([parent.url()])
    try await parent.start()
    try await child.start()
    try await eventually("six seconds") { try await child.server.api.seconds("jazz") > 6 }
    let listener = try child.listener()
    try await listener.until("pages") { ogg.hear($0.body).numbers.count > 10 }
    try await parent.kill()
    try await Task.sleep(for: Self.long)
    let before = ogg.hear(listener.body).numbers.count
    try await parent.start()
    try await listener.until("what was on air meanwhile") {
      ogg.hear($0.body).numbers.count > before + 50
    }
    let heard = ogg.hear(listener.body)
    #expect(heard.garbage == 0 && heard.isUnbroken)
    let told = try await child.firstReturn()
    #expect(told["lostSeconds"]?.double == 0 && told["repeatedSeconds"]?.double ?? 0 == 0)
  }
}
