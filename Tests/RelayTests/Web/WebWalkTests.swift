import Longwave
import TestSupport
import Testing

/// A listener who looks around for long, while the tone sounds.
extension WebScenarioTests {
  /// What a walk has heard.
  private struct Walk {
    let ear: WebEar
    var moments: [WebEar.Moment] = []

    init(_ ear: WebEar) async throws {
      self.ear = ear
      moments = [try await ear.place()]
    }

    mutating func listen() async throws {
      moments += try await ear.moments(since: (moments.last?.at ?? 0) + 1)
    }

    var seconds: Double { ((moments.last?.at ?? 0) - (moments.first?.at ?? 0)) / 1000 }

    /// Seconds that the programme jumped at most, by the browser's clock: silence is a jump, too.
    var jump: Double { PitchStation.jump(moments.map { ($0.at / 1000, $0.place) }) }

    /// The longest run of moments without sound; a round's beginning has some. Where the page was not run, `jump` tells.
    var silent: Int {
      var (longest, run) = (0, 0)
      for moment in moments {
        run = moment.place == nil ? run + 1 : 0
        longest = max(longest, run)
      }
      return longest
    }

    /// How much later the programme is than it was at first.
    var late: Double {
      guard let last = moments.last(where: { $0.place != nil }) else { return .infinity }
      let due = (moments[0].place ?? 0) + (last.at - moments[0].at) / 1000
      return PitchStation.distance(due, from: last.place ?? 0)
    }
  }

  private static let walkLanguages = ["de", "fr", "zh", "nb", "es", "en"]

  /// Once through list, another station's player, its history, the own player, clip and language, back and forward.
  private static func walk(_ page: WebPage, round: Int) async throws {
    try await page.click(".brand")
    try await page.turned(to: "stations", at: "/")
    try await page.click("[data-station=news] > a")
    try await page.turned(to: "listen", at: "/listen/news")
    // A page that has begun gives its heading the focus, and hears keys.
    let hasBegun = "document.activeElement?.matches('h1')"
    try await page.until("a page that has begun", hasBegun)
    try await page.press("h")
    try await page.until("its list", "document.querySelector('.played-head #played')")
    try await page.until("the focus there", "document.activeElement?.id === 'played'")
    try await page.evaluate("scrollTo(0, document.body.scrollHeight)")
    try await page.until("its end", "scrollY > 0")
    try await page.evaluate("history.back()")
    try await page.turned(to: "stations", at: "/")
    try await page.click("#bar .what")
    try await page.turned(to: "listen", at: "/listen/jazz")
    try await page.until("a page that has begun", hasBegun)
    try await page.press("c")
    try await page.until("a clip", "document.querySelector('#panel .grip.to')")
    try await page.press("Escape")
    try await page.until("no clip", "!document.querySelector('#panel .grip.to')")
    let language = walkLanguages[round % walkLanguages.count]
    try await page.speak(language)
    try await page.until(
      "another language", "document.documentElement.lang.startsWith('\(language)')")
    try await page.turned(to: "listen", at: "/listen/jazz")
    try await page.evaluate("history.back()")
    try await page.turned(to: "stations", at: "/")
    try await page.evaluate("history.forward()")
    try await page.turned(to: "listen", at: "/listen/jazz")
    // A choice of languages has the focus, and keys of letters.
    try await page.evaluate("document.activeElement?.blur()")
  }

  @Test func `no second is unheard by a listener who walks through all pages`() async throws {
    let seconds = Scenario.isLong ? 600.0 : 40
    try await Self.withScene { scene in
      let (page, ear) = try await scene.playing()
      var walk = try await Walk(ear)
      var rounds = 0
      while walk.seconds < seconds {
        try await Self.walk(page, round: rounds)
        try await walk.listen()
        rounds += 1
      }
      if Scenario.isLong {
        print(
          "\(rounds) rounds in \(walk.seconds) s: \(walk.moments.count) moments, at most \(walk.silent) without sound in a row,"
            + " the largest jump \(walk.jump) s, at the end \(walk.late) s late")
      }
      // 40 ms each.
      #expect(walk.silent < 20, "\(rounds) rounds")
      #expect(abs(walk.jump) < 0.5, "\(rounds) rounds")
      // A browser without a processor plays on a little later, and leaves nothing out.
      #expect(abs(walk.late) < 1, "\(rounds) rounds")
      #expect(try page.streams(of: "jazz").count == 1)
      #expect(try page.errors() == [])
      #expect(try page.refusals() == [])
    }
  }
}
