import Longwave
import TestSupport
import Testing

@Suite struct ChaosScenarioTests {
  @Test(arguments: UInt64(1)...(Scenario.isLong ? 5 : 1))
  func
    `whoever joins anywhere at any time while the upstream is cut again and again hears it whole`(
      seed: UInt64
    ) async throws
  {
    var random = SplitMix(seed: seed)
    let titles = (0..<300).map { FakeProgramme.TitleChange(packet: $0 * 40, "Song \($0)") }
    let upstream = try FakeUpstream(.numbered(before: 200, titles: titles))
    defer { upstream.stop() }
    var (first, later) = (FakeStream(burst: 40), FakeStream(burst: 8))
    first.metaint = 1500
    later.metaint = 2700
    upstream.reply("/live", with: .icy(first), .chunked(later))
    var station = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
    station.metaint = 1024
    try await Scenario.withRelay([station]) { relay in
      try await relay.until("jazz", has: 35)
      var crowds = [try Crowd(at: relay.address, [Crowd.Wish("/jazz?offset=1h&burst=60")])]
      for _ in 0..<6 {
        crowds.append(try Crowd(at: relay.address, Self.wishes(&random)))
        try await Task.sleep(for: .seconds(Double.random(in: 0.5...2.5, using: &random)))
        upstream.dropConnections()
      }
      try await Task.sleep(for: .seconds(4))
      upstream.goAway()
      // Shifted ones never end; whoever heard the log from its start comes to its end.
      let edge = try await relay.station("jazz")["window"]?["livePosition"]?.integer ?? 0
      try await eventually("the whole log") { crowds[0].totalBytes >= edge }
      let history = try await RelayAPI(address: relay.address).history("jazz")
      #expect(crowds.allSatisfy { $0.endedCount == 0 })
      try Self.check(crowds.flatMap { $0.finish() }, history)
    }
  }

  private static func wishes(_ random: inout SplitMix) -> [Crowd.Wish] {
    (0..<12).map { index in
      let offset = Double.random(in: 0...45, using: &random)
      let burst = Double.random(in: 0...20, using: &random)
      let path = index % 4 == 0 ? "/jazz?burst=\(burst)" : "/jazz?offset=\(offset)&burst=\(burst)"
      return Crowd.Wish(path, titles: Bool.random(using: &random))
    }
  }

  /// Everybody's packets follow each other, and every title stands where the relay's own history has it.
  private static func check(_ members: [Crowd.Member], _ history: [UInt64: String]) throws {
    let whole = try members[0].heard().numbers()
    #expect(areUnbroken(whole) && whole.count > 40 * 38)
    let base = NumberedFrames.position(of: whole[0])
    let marks = history.sorted { $0.key < $1.key }
    // Each title once, in order: nothing that came again was taken for news.
    #expect(
      marks.map(\.value) == Set(marks.map(\.value)).sorted { number(of: $0) < number(of: $1) })
    var titlesSeen = 0
    for member in members {
      let heard = try member.heard()
      let numbers = try heard.numbers()
      #expect(areUnbroken(numbers), "\(member.wish.path)")
      guard member.wish.wantsTitles, let first = numbers.first else { continue }
      let start = NumberedFrames.position(of: first) - base
      var last: String?
      for at in stride(from: 1024, to: heard.audio.count, by: 1024) {
        let title = marks.last { $0.key <= start + UInt64(at) }?.value
        let told = heard.titles.last { $0.at <= at }?.title
        #expect(title == told || title == nil, "\(member.wish.path) at \(at)")
        if told != last { titlesSeen += 1 }
        last = told
      }
    }
    #expect(titlesSeen > 50)
  }

  private static func number(of title: String) -> Int { Int(title.dropFirst(5)) ?? 0 }
}
