import Longwave
import TestSupport
import Testing

/// What the parts of the player bring with them: their keys, and what their buttons say.
extension WebScenarioTests {
  private static let mode = "document.querySelector('.wave')?.dataset.mode"
  private static let end = "document.querySelector('.clip-times b:last-child').textContent"
  private static let sleep =
    "document.querySelector('#actions .button:has([href$=\"#moon\"])').textContent"

  @Test func `parts that load late take their keys, and none of them where letters are off`()
    async throws
  {
    try await Self.withPlayer("/listen/jazz?offset=45s") { player in
      let page = player.page
      try await page.until("the picture of the sound", "\(Self.mode) === 'bars'")
      try await page.press("v")
      try await page.until("another picture", "\(Self.mode) === 'wave'")
      try await page.press("c")
      try await page.until("the clip", "document.querySelector('#panel .grip.to') !== null")
      let before = try await page.evaluate(Self.end)
      try await page.press("c")
      try await page.until("the clip's end", "\(Self.end) !== \(before.text)")
      #expect(try await page.evaluate("document.querySelector('#panel').dataset.name") == "clip")

      try await page.evaluate("localStorage.setItem('letters', 'off')")
      let cut = try await page.evaluate(Self.end)
      let volume = try await page.evaluate("document.querySelector('audio').volume").double ?? 0
      for key in ["v", "c", "m", "ArrowDown"] { try await page.press(key) }
      try await page.until("less of it", "document.querySelector('audio').volume < \(volume)")
      #expect(try await page.evaluate(Self.mode) == "wave")
      #expect(try await page.evaluate(Self.end) == cut)
      #expect(try await page.evaluate("document.querySelector('audio').muted") == .bool(false))
      #expect(try page.errors() == [])
    }
  }

  @Test func `the button of the sleep timer says how long it will play`() async throws {
    try await Self.withPlayer { player in
      let page = player.page
      let name = try await page.evaluate(Self.sleep)
      #expect(name == "Sleep, alarm")
      try await page.press("t")
      try await page.until("the timer", "document.querySelector('#panel .row .outlined') !== null")
      try await page.click("#panel .row .outlined")
      try await page.until("its time", "\(Self.sleep) === '15 min'")
      try await page.press("t")
      try await page.until(
        "its end",
        "document.querySelector('#panel .row:not(.panel-head) .button:last-child') !== null")
      try await page.click("#panel .row:not(.panel-head) .button:last-child")
      try await page.until("its name", "\(Self.sleep) === \(name.text)")
      #expect(try page.errors() == [])
    }
  }

  @Test func `a listener to live may sleep at the end of a title that is not known yet`()
    async throws
  {
    try await Self.withPlayer { player in
      let (page, ear) = (player.page, player.ear)
      try await page.press("t")
      try await page.until("the timer", "document.querySelector('#panel .row .outlined') !== null")
      try await page.evaluate(
        "[...document.querySelectorAll('#panel > .row .outlined')].at(-1).click()")
      try await page.until("its word", "\(Self.sleep) === 'End of this title'")
      // It goes on while another page is shown.
      try await page.click(".brand")
      try await page.until("the bar", "document.querySelector('#bar.rests .song')")
      // Titles change each ten seconds.
      let last = try #require(try await ear.moments().last { $0.place != nil }?.place)
      let border = (last / 10).rounded() * 10
      #expect(abs(PitchStation.distance(last, from: border)) < 2, "\(last)")
    }
  }

  @Test func `a phone on its side has what plays and what steers it on the first screen`()
    async throws
  {
    try await Self.withScene { scene in
      let page = try await scene.page()
      for (width, height) in [(740, 360), (667, 375), (844, 390), (932, 430)] {
        try await page.resize(width: width, height: height, isPhone: true)
        for selector in [WebPage.playButton, "#title", "#controls .live"] {
          try await page.until(
            "\(selector) on the first screen",
            "(b => b.height > 0 && b.top >= 0 && b.bottom <= \(height))"
              + "(document.querySelector('\(selector)').getBoundingClientRect())")
        }
      }
      try await page.until("no way sideways", "document.documentElement.scrollWidth <= 932")
    }
  }
}
