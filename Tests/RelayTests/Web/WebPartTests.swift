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
      #expect(name == "Sleep")
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
}
