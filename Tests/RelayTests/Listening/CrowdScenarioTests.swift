import Longwave
import TestSupport
import Testing

@Suite struct CrowdScenarioTests {
  @Test func `200 listeners get every packet once while 20 others read nothing`() async throws {
    let titles = (0..<400).map { FakeProgramme.TitleChange(packet: $0 * 61, "Song \($0)") }
    let programme = FakeProgramme.numbered(before: 100, titles: titles)
    let upstream = try FakeUpstream(programme)
    defer { upstream.stop() }
    var stream = FakeStream(burst: 10)
    stream.metaint = 5000
    upstream.reply("/live", with: .stream(stream))
    var station = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
    station.metaint = 4096
    try await Scenario.withRelay([station]) { relay in
      try await relay.until("jazz", has: 8)
      let wishes =
        (0..<200).map { Crowd.Wish("/jazz", titles: $0 % 2 == 0) }
        + (0..<20).map { Crowd.Wish("/jazz", titles: $0 % 2 == 0, reads: false) }
        // Who hears the log from its first packet knows where the upstream's connection began.
        + [Crowd.Wish("/jazz?offset=1h&burst=60")]
      let crowd = try Crowd(at: relay.address, wishes)
      try await Task.sleep(for: .seconds(Scenario.isLong ? 60 : 20))
      let listeners = try await RelayAPI(address: relay.address).json("/api/v1/listeners")
      #expect(listeners["listeners"]?.items.count == wishes.count)
      // The edge stands still from here on, and everybody comes to it.
      upstream.goAway()
      try await crowd.quiet()
      #expect(crowd.endedCount == 0)
      let edge = try await relay.station("jazz")["window"]?["livePosition"]?.integer ?? 0
      try check(crowd.finish(), edge: UInt64(edge), programme)
    }
  }

  @Test func `a player that stops reading for a while goes on where it stopped`() async throws {
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: 20)))
    let station = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
    try await Scenario.withRelay([station]) { relay in
      try await relay.until("jazz", has: 15)
      let player = try StreamClient(
        to: relay.address, sending: "GET /jazz HTTP/1.1\r\nHost: relay.test\r\n\r\n",
        receiveBuffer: 8192)
      try await player.until("the burst") { try $0.numbers().count > 150 }
      try await Task.sleep(for: .seconds(10))
      let listeners = try await RelayAPI(address: relay.address).json("/api/v1/listeners")
      #expect(listeners["listeners"]?.items.first?["lag"]?.double ?? 0 > 3)
      // What waited comes at its burst and then in real time; nothing is missing.
      let before = try player.numbers().count
      try await player.until("all it is owed") { try $0.numbers().count > before + 5 * 38 }
      #expect(areUnbroken(try player.numbers()))
    }
  }

  @Test func `a line that is too slow for its station is told of, and no other`() async throws {
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: 20)))
    let station = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
    try await Scenario.withRelay([station]) { relay in
      try await relay.until("jazz", has: 15)
      let events = try relay.events("?station=jazz&kinds=exhausted")
      func listen(_ player: String) throws -> StreamClient {
        try StreamClient(
          to: relay.address,
          sending:
            "GET /jazz?burst=1 HTTP/1.1\r\nHost: relay.test\r\nUser-Agent: \(player)\r\n\r\n",
          receiveBuffer: 4096)
      }
      let (slow, paused, other) = (try listen("slow"), try listen("paused"), try listen("other"))
      let listeners = try await eventually("all three listen") {
        let listeners = try await RelayAPI(address: relay.address).json("/api/v1/listeners")
        return listeners["listeners"]?.items.count == 3 ? listeners["listeners"]?.items : nil
      }
      let id = listeners.first { $0["player"]?.string?.contains("slow") == true }?["id"]?.integer
      let start = ContinuousClock.now
      let told = try await eventually("it is told of", within: 120) {
        other.drain()
        // Half of 128 kbit/s.
        let owed = Int((ContinuousClock.now - start) / .seconds(1) * 8000) - slow.received.count
        if owed > 0 { slow.drain(atMost: owed) }
        return events.events.first
      }
      #expect(told.kind == "exhausted" && told.json["listener"]?.integer == id, "\(told.data)")
      #expect(told.json["seconds"]?.double ?? 0 >= 15, "\(told.data)")
      #expect(events.events.count == 1)
      #expect(!paused.isEnded && !other.isEnded)
    }
  }

  private func check(
    _ members: [Crowd.Member], edge: UInt64, _ programme: FakeProgramme
  ) throws {
    let whole = try members.last!.heard().numbers()
    let first = try #require(whole.first)
    let last = try #require(whole.last)
    #expect(areUnbroken(whole))
    #expect(NumberedFrames.position(of: last + 1) - NumberedFrames.position(of: first) == edge)
    let plan = TitlePlan(programme, metaint: 5000, first: first, through: last)
    #expect(plan.marks.count > 5)
    var right = 0
    for member in members where member.wish.reads {
      let heard = try member.heard()
      // Whole packets only, to the very last.
      let numbers = try heard.numbers(mayEndInFrame: false)
      let start = try #require(numbers.first)
      #expect(areUnbroken(numbers) && numbers.last == last && numbers.count > 20 * 38)
      right += 1
      guard member.wish.wantsTitles else { continue }
      let told = heard.titles.filter { $0.at < heard.audio.count }
      let expected = plan.heard(first: start, bytes: heard.audio.count, metaint: 4096)
      #expect(told.map(\.at) == expected.map(\.at))
      #expect(told.map(\.title) == expected.map(\.title))
      #expect(told.count > 5)
    }
    #expect(right == members.count - 20)
  }
}
