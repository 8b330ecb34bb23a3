import Glibc
import Longwave
import Reactor
import TestSupport
import Testing

/// A listener keeps the place, whatever happens between the page and the sound.
extension WebScenarioTests {
  /// The program itself with the station of the tone, and a tab that plays.
  private struct Outside {
    let server: LongwaveProcess
    let restart: () async throws -> LongwaveProcess
    let upstream: FakeUpstream
    let page: WebPage
    let ear: WebEar
  }

  private static func withServer(_ body: (Outside) async throws -> Void) async throws {
    try await PitchStation.withServer { served in
      try await ChromePipe.with { chrome in
        let page = try await chrome.page()
        try await page.open("http://\(served.server.address)/listen/jazz?offset=60s")
        let ear = try await WebEar(page)
        try await page.play()
        try await body(
          Outside(
            server: served.server, restart: served.restart, upstream: served.upstream, page: page,
            ear: ear))
      }
    }
  }

  /// How much of the programme was left out between two moments; negative: heard twice.
  private static func skipped(_ before: WebEar.Moment, _ moments: [WebEar.Moment]) -> Double? {
    // Sound is heard from the one moment to the last, and silence is no programme.
    let heard = moments.filter { $0.at >= before.at && $0.place != nil }
    guard let first = heard.first(where: { $0.current < before.current }) else { return nil }
    let last = heard.last { $0.at < first.at } ?? before
    return PitchStation.distance(
      first.place! - first.current, from: last.place!)
  }

  @Test func `the page goes on by itself where it was after kill -9 and a new start`() async throws
  {
    try await Self.withServer { outside in
      _ = try await outside.ear.place()
      let moments = try await Self.hear(outside.ear, seconds: 3)
      let before = try #require(moments.last { $0.place != nil })
      try await outside.server.kill()
      let again = try await outside.restart()
      var skipped: Double?
      try await eventually("sound of the new server", within: 120) {
        skipped = try await Self.skipped(before, outside.ear.moments(since: before.at))
        return skipped != nil
      }
      #expect(abs(skipped!) < 1, "\(skipped!) s were skipped")
      let played = try await outside.page.evaluate(
        "[...document.querySelectorAll('#history .song')].map(e => e.textContent.trim())")
      let titles = played.items.compactMap(\.string)
      #expect(Set(titles).count == titles.count, "\(titles)")
      withExtendedLifetime(again) {}
    }
  }

  @Test func `the badge of state is grey while the relay is gone, and says so`() async throws {
    try await Self.withServer { outside in
      let badge = "document.querySelector('#state-word')"
      try await outside.page.until("on air", "\(badge).dataset.state === 'playing'")
      try await outside.server.kill()
      try await outside.page.until("a grey badge", "\(badge).dataset.state === 'unknown'")
      #expect(try await outside.page.text("#state-word") == "not reached")
      let again = try await outside.restart()
      try await outside.page.until("on air again", "\(badge).dataset.state === 'playing'")
      withExtendedLifetime(again) {}
    }
  }

  @Test func `the page goes on by itself where it was after twenty seconds offline`() async throws {
    try await Self.withPlayer("/listen/jazz?offset=60s") { player in
      let (page, ear) = (player.page, player.ear)
      let moments = try await Self.hear(ear, seconds: 2)
      let before = try #require(moments.last { $0.place != nil })
      try await page.goOffline(true)
      // The browser lets connections live that it has.
      let listeners = try await player.scene.json("/api/v1/listeners")["listeners"]?.items ?? []
      for listener in listeners {
        _ = try await HTTPExchange(
          "DELETE", "/api/v1/listeners/\(listener["id"]?.text ?? "")",
          at: player.scene.relay.address, fields: ["Authorization: Bearer \(Scenario.token)"])
      }
      try await page.until(
        "a word about it", "document.querySelector('#status').textContent.trim() !== ''")
      try await Task.sleep(for: .seconds(20))
      try await page.goOffline(false)
      var skipped: Double?
      try await eventually("sound again", within: 120) {
        skipped = try await Self.skipped(before, ear.moments(since: before.at))
        return skipped != nil
      }
      #expect(abs(skipped!) < 1, "\(skipped!) s were skipped")
    }
  }

  @Test func `a connection that stands still is given up and taken anew at the place`() async throws
  {
    try await Self.withServer { outside in
      _ = try await outside.ear.place()
      let moments = try await Self.hear(outside.ear, seconds: 3)
      let before = try #require(moments.last { $0.place != nil })
      let streams = try outside.page.streams(of: "jazz").count
      outside.server.process.signal(SIGSTOP)
      defer { outside.server.process.signal(SIGCONT) }
      // What it has in hand is played first.
      try await eventually("another request", within: 120) {
        try outside.page.streams(of: "jazz").count > streams
      }
      outside.server.process.signal(SIGCONT)
      var skipped: Double?
      try await eventually("sound again", within: 120) {
        skipped = try await Self.skipped(before, outside.ear.moments(since: before.at))
        return skipped != nil
      }
      #expect(abs(skipped!) < 1, "\(skipped!) s were skipped")
    }
  }

  @Test func `the page tells that the upstream is away, and draws the gap without a reload`()
    async throws
  {
    try await Self.withScene { scene in
      let (page, _) = try await scene.playing()
      let word = try await page.text("#state-word")
      scene.upstream.goAway()
      try await page.until(
        "another word",
        "document.querySelector('#state-word').textContent.trim() !== "
          + WebPage.quoted(word))
      #expect(
        try await page.evaluate("document.querySelector('#state-word').dataset.state") != "playing")
      try await Task.sleep(for: .seconds(5))
      // What was on air meanwhile is not sent again.
      scene.upstream.reply("/live", with: .stream(FakeStream(burst: 0)))
      try scene.upstream.comeBack()
      try await page.until(
        "the word from before",
        "document.querySelector('#state-word').textContent.trim() === " + WebPage.quoted(word))
      try await page.until("the gap", "document.querySelector('#history .gap') !== null")
      let gap = try await page.text("#history .gap")
      let seconds = try #require(gap.firstMatch(of: /[0-9]+/).flatMap { Double($0.0) }, "\(gap)")
      #expect(seconds >= 4, "\(gap)")
      try await page.until("sound", WebPage.isPlaying)
    }
  }
}
