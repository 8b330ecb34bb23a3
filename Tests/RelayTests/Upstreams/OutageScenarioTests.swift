import Longwave
import TestSupport
import Testing

@Suite struct OutageScenarioTests {
  /// Packets: 4 s of burst, and 10 s of time in which 6 s of outage lie.
  private static let enough = 14 * 39

  @Test func `a listener 60 s behind hears nothing of an outage and live ones go on after it`()
    async throws
  {
    let upstream = try FakeUpstream(.numbered(before: 1000))
    defer { upstream.stop() }
    // More than it is away for, also where nobody looks for a while.
    upstream.reply("/live", with: .stream(FakeStream(burst: 75)))
    let station = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
    try await Scenario.withRelay([station]) { relay in
      try await relay.until("jazz", has: 70)
      let events = try relay.events("?station=jazz")
      let joined = secondsNow()
      let wishes = (0..<10).map { Crowd.Wish("/jazz", titles: $0 % 2 == 0) }
      let crowd = try Crowd(at: relay.address, [Crowd.Wish("/jazz?offset=60")] + wishes)
      try await eventually("each one's burst") {
        crowd.now.allSatisfy { $0.received.count > 4 * 16_000 }
      }
      let away = secondsNow()
      upstream.goAway()
      try await relay.until("jazz", is: "connecting")
      try await Task.sleep(for: .seconds(6))
      let back = secondsNow()
      try upstream.comeBack()
      try await relay.until("jazz", is: "playing")
      try await eventually("fourteen seconds for each") {
        crowd.now.allSatisfy { $0.received.count > Self.enough * 418 }
      }
      let listeners = try await RelayAPI(address: relay.address).json("/api/v1/listeners")
      // A live one whose process stood still is shifted too, by seconds.
      let shifted =
        listeners["listeners"]?.items.filter { $0["offset"]?.double ?? 0 > 30 } ?? []
      try #require(shifted.count == 1)
      #expect(shifted[0]["state"]?.string == "shifted")
      #expect((58...62).contains(shifted[0]["offset"]?.double ?? 0))
      #expect(crowd.endedCount == 0)
      let asked = secondsNow()
      let members = crowd.finish()
      try checkShifted(members[0], joined: joined, away: away, back: back, asked: asked)
      try checkLive(members.dropFirst(), back: back)
      // An upstream that goes may be asked once more, and answer, before it is gone.
      let reconnected = try await events.first("reconnected after the outage") {
        $0.kind == "reconnected" && $0.json["stitchedSeconds"]?.double ?? 0 > 5
      }.json
      #expect(reconnected["lostSeconds"]?.double == 0)
      #expect(!events.events.contains { $0.kind == "gap" })
    }
  }

  private func checkShifted(
    _ member: Crowd.Member, joined: Double, away: Double, back: Double, asked: Double
  ) throws {
    let heard = try member.heard()
    let offset = try #require(Double(heard.head["longwave-offset"] ?? ""))
    #expect((59.5...60.5).contains(offset))
    let numbers = try heard.numbers()
    #expect(areUnbroken(numbers))
    // The burst at once, then real time, however fast it reads.
    let seconds = Double(numbers.count) * 1152 / 44_100
    #expect(seconds < asked - joined + 4 + 1.5 && seconds > asked - joined - 2)
    // A write every half second; an outage of 6 s that came through would be silence of 6 s.
    let silence = member.longestSilence(from: away, to: back)
    print("the shifted listener's longest silence during the outage: \(silence) s")
    #expect(silence < 4)
  }

  private func checkLive(_ members: ArraySlice<Crowd.Member>, back: Double) throws {
    var waits: [Double] = []
    for member in members {
      let numbers = try member.heard().numbers()
      #expect(areUnbroken(numbers))
      #expect(numbers.count > Self.enough - 20)
      waits.append(try #require(member.firstArrival(after: back)) - back)
    }
    print("audio again after the upstream's return: \(waits.max() ?? 0) s at most")
    #expect(waits.allSatisfy { $0 < 3 })
  }

  @Test func `audio that an upstream does not send again is told as a gap`() async throws {
    let upstream = try FakeUpstream(.numbered(before: 1000))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: 6)), .stream(FakeStream(burst: 0.3)))
    let station = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
    try await Scenario.withRelay([station]) { relay in
      try await relay.until("jazz", has: 5)
      let events = try relay.events("?station=jazz&kinds=gap,reconnected")
      let crowd = try Crowd(
        at: relay.address,
        [Crowd.Wish("/jazz"), Crowd.Wish("/jazz", titles: true), Crowd.Wish("/jazz?offset=5")])
      try await eventually("all of them listen") {
        crowd.now.allSatisfy { $0.received.count > 16_000 }
      }
      upstream.goAway()
      try await Task.sleep(for: .seconds(3))
      try upstream.comeBack()
      let gap = try await events.first("gap") { $0.kind == "gap" }.json
      #expect(gap["cause"]?.string == "upstream-away")
      func jumps(_ numbers: [UInt64]) -> [(UInt64, UInt64)] {
        zip(numbers, numbers.dropFirst()).filter { $0 + 1 != $1 }
      }
      try await eventually("what comes behind the gap, for each") {
        try crowd.now.allSatisfy { try !jumps($0.heard().numbers()).isEmpty }
      }
      let reconnected = try await events.first("reconnected") { $0.kind == "reconnected" }.json
      #expect(reconnected["lostSeconds"]?.double == gap["seconds"]?.double)
      #expect(crowd.endedCount == 0)
      for member in crowd.finish() {
        let numbers = try member.heard().numbers()
        let jumps = jumps(numbers)
        try #require(jumps.count == 1)
        let lost = Double(jumps[0].1 - jumps[0].0 - 1) * 1152 / 44_100
        #expect(jumps[0].1 > jumps[0].0 && lost > 1.5)
        #expect(abs(lost - (gap["seconds"]?.double ?? 0)) < 1)
      }
    }
  }

  @Test func `a title that came just before an outage is not undone by the one before it`()
    async throws
  {
    let titles = [
      FakeProgramme.TitleChange(packet: 0, "One"), .init(packet: 1100, "Two"),
      .init(packet: 1250, "Three"),
    ]
    let upstream = try FakeUpstream(.numbered(titles: titles))
    defer { upstream.stop() }
    // Packet 1100 stands at 41,796; the block with its title comes at 42,000, and then the outage.
    var first = FakeStream()
    first.unpacedFrom = 1000
    first.metaint = 2000
    first.closeAfterBytes = 43_000
    // The same audio again, in which the title comes at 48,000.
    var second = FakeStream()
    second.unpacedFrom = 1000
    second.metaint = 16_000
    upstream.reply("/live", with: .stream(first), .stream(second))
    let station = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
    try await Scenario.withRelay([station]) { relay in
      let events = try relay.events("?station=jazz&kinds=metadata-live,reconnected")
      try await events.first("Three") { $0.json["title"]?.string == "Three" }
      let told = events.events.filter { $0.kind == "metadata-live" }
      #expect(told.map { $0.json["title"]?.string } == ["One", "Two", "Three"])
      #expect(events.events.contains { $0.kind == "reconnected" })
      // A title is part of the history when its first packet is, a moment after it is told.
      try await eventually("the history of three titles") {
        let history = try await RelayAPI(address: relay.address).history("jazz")
        return history.sorted { $0.key < $1.key }.map(\.value) == ["One", "Two", "Three"]
      }
    }
  }

  @Test func `an upstream that closes in mid-frame again and again is one stream`() async throws {
    let upstream = try FakeUpstream(.numbered(before: 1000))
    defer { upstream.stop() }
    let replies = [2.2, 2.9, 2.5, 2.05, 2.7].map { seconds in
      var stream = FakeStream(burst: 4)
      stream.closeAfterSeconds = seconds
      return FakeReply.icy(stream)
    }
    upstream.reply("/live", with: replies[0], replies[1], replies[2], replies[3], replies[4])
    let station = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
    try await Scenario.withRelay([station]) { relay in
      let events = try relay.events("?station=jazz")
      // More than a burst: the listener begins behind the window's oldest.
      try await relay.until("jazz", has: 5)
      let live = try Crowd(at: relay.address, [Crowd.Wish("/jazz", titles: true)])
      try await eventually("six connections", within: 60) { upstream.requests.count >= 6 }
      try await relay.until("jazz", has: 18)
      let late = try Crowd(
        at: relay.address, [Crowd.Wish("/jazz?offset=1h&burst=60"), Crowd.Wish("/jazz?offset=14")])
      try await late.quietBurst()
      let live1 = try live.finish()[0].heard().numbers()
      #expect(areUnbroken(live1) && live1.count > 10 * 38)
      let members = late.finish()
      let whole = try members[0].heard().numbers()
      #expect(areUnbroken(whole) && whole.count > 17 * 38)
      #expect(whole.first! < live1.first!)
      let part = try members[1].heard().numbers()
      #expect(areUnbroken(part) && part.count > 3 * 38 && whole.contains(part.first!))
      let reconnects = events.events.filter { $0.kind == "reconnected" }.map(\.json)
      #expect(reconnects.count >= 5)
      #expect(reconnects.allSatisfy { $0["lostSeconds"]?.double == 0 })
      #expect(!events.events.contains { $0.kind == "gap" })
    }
  }
}

extension Crowd {
  /// Waits until each has its burst: some seconds, since an endless stream has no end to wait for.
  func quietBurst() async throws {
    try await eventually("first bytes for all") {
      now.allSatisfy { !$0.wish.reads || $0.received.count > 60_000 }
    }
    try await Task.sleep(for: .seconds(1))
  }
}
