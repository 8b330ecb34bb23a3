import Longwave
import TestSupport
import Testing

/// Links that are pressed while something sounds: where they lead, and what they leave alone.
extension WebScenarioTests {
  private static let source = "document.querySelector('audio').src"

  @Test func `a link to a moment of the station that sounds plays from there, once`() async throws {
    try await Self.withScene { scene in
      let (page, _) = try await scene.playing()
      try await page.pressLink(to: "/listen/jazz?at=-60s")
      try await page.until(
        "its place", "/· (0:5\\d|1:0\\d) behind/.test(document.querySelector('#place').textContent)"
      )
      let source = try await page.evaluate(Self.source)
      // Neither another language nor the way back moves what is heard.
      try await page.evaluate(
        "(menu => { menu.value = 'de'; menu.dispatchEvent(new Event('change')); })"
          + "(document.querySelector('#tools select'))")
      try await page.until("German", "document.querySelector('#played').textContent === 'Gespielt'")
      try await page.click(".brand")
      try await page.turned(to: "stations", at: "/")
      try await page.evaluate("history.back()")
      try await page.turned(to: "listen", at: "/listen/jazz")
      try await page.until("its controls", "document.querySelector('\(WebPage.playButton)')")
      #expect(try await page.evaluate(Self.source) == source)
      #expect(try await page.evaluate("document.querySelectorAll('audio').length") == JSON(1))
      #expect(try page.errors() == [])
    }
  }

  @Test func `a link to a clip of the station that sounds opens it`() async throws {
    try await Self.withScene { scene in
      let (page, _) = try await scene.playing()
      let live = try await scene.json("/api/v1/stations/jazz")["window"]?["live"]?.string ?? ""
      let to = try await page.evaluate("Math.floor(Date.parse('\(live)') / 1000) - 30").double ?? 0
      try await page.pressLink(to: "/listen/jazz?clip=\(Int(to) - 20)/\(Int(to))")
      try await page.until("the clip", "document.querySelector('#panel').dataset.name === 'clip'")
      #expect(try page.streams(of: "jazz").count == 1)
    }
  }

  @Test func `another language leaves a link that is on its way`() async throws {
    try await Self.withScene { scene in
      let (page, _) = try await scene.playing()
      try await page.evaluate(
        "(own => { globalThis.fetch = async (...all) => {"
          + " await new Promise(done => setTimeout(done, 1500)); return own(...all); }; })(fetch)")
      try await page.click(".brand")
      try await page.evaluate(
        "(menu => { menu.value = 'de'; menu.dispatchEvent(new Event('change')); })"
          + "(document.querySelector('#tools select'))")
      try await page.turned(to: "stations", at: "/")
      try await page.until("German", "document.querySelector('h1').textContent === 'Sender'")
    }
  }

  @Test func `a link to a part of another page leads to the part`() async throws {
    try await Self.withScene { scene in
      let page = try await scene.page("/")
      try await page.resize(width: 360, height: 500)
      try await page.pressLink(to: "/listen/jazz#played")
      try await page.turned(to: "listen", at: "/listen/jazz")
      #expect(try await page.evaluate("location.hash") == "#played")
      try await page.until(
        "the part", "document.querySelector('#played').getBoundingClientRect().top < 400")
    }
  }

  @Test func `the bar has the title that is heard while another station's page is shown`()
    async throws
  {
    try await Self.withScene { scene in
      let (page, ear) = try await scene.playing()
      try await page.click(".brand")
      try await page.turned(to: "stations", at: "/")
      try await page.click("[data-station=news] > a")
      try await page.turned(to: "listen", at: "/listen/news")
      var (right, all) = (0, 0)
      for _ in 0..<60 {
        try await Task.sleep(for: .milliseconds(500))
        let heard = try await ear.moments().last?.place
        let song = try await page.text("#bar .song")
        guard let heard, let number = song.firstMatch(of: /Title (\d+)/)?.1 else { continue }
        all += 1
        if (Int(number) ?? 0) % 6 == Int(heard / PitchStation.titleSeconds) { right += 1 }
      }
      #expect(all > 30 && right * 10 >= all * 8, "\(right) of \(all)")
    }
  }

  @Test func `a stranger's text that turns round leaves the text behind it alone`() async throws {
    let found = try await Self.module(
      "i18n.js", as: "words",
      """
      await words.ready;
      const {joined, t} = words;
      return {
        plain: joined(["So What", "", null, "Miles"]),
        turned: joined(["\\u202eSo What", "Miles"]),
        ended: joined(["\\u2069\\u202eSo What", "Miles"]),
        nested: joined([joined(["\\u202eSo", "Miles"]), "Jazz"], " · "),
        phrase: t("play-station", {name: "\\u202eJazz"}),
      };
      """)
    #expect(found["plain"] == "So What – Miles")
    #expect(found["turned"] == "\u{2068}\u{202E}So What\u{2069} – Miles")
    #expect(found["ended"] == "\u{2068}\u{202E}So What\u{2069} – Miles")
    #expect(found["nested"] == "\u{2068}\u{2068}\u{202E}So\u{2069} – Miles\u{2069} · Jazz")
    #expect(found["phrase"] == "Play \u{2068}\u{202E}Jazz\u{2069}")
  }
}

extension WebPage {
  /// Puts a link into the page and presses it.
  fileprivate func pressLink(to address: String) async throws {
    try await evaluate(
      "document.querySelector('main').prepend(Object.assign(document.createElement('a'),"
        + " {href: '\(address)', id: 'pressed', textContent: 'here'}))")
    try await click("#pressed")
  }
}
