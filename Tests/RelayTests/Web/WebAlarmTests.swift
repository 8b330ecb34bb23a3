import Longwave
import TestSupport
import Testing

/// The alarm of the sleep timer's panel: a station that begins at a time of the device's clock.
extension WebScenarioTests {
  private static let button =
    "document.querySelector('#actions .button:has([href$=\"#moon\"])').textContent"
  private static let sounds =
    "[...document.querySelectorAll('audio')].some(a => !a.paused && a.currentTime > 0)"

  @Test func `an alarm begins softly at its time, whatever page is open by then`() async throws {
    try await Self.withScene { scene in
      let page = try await scene.page()
      try await page.setAlarm(in: 6)
      try await page.until("its word", "/^Alarm \\d\\d:\\d\\d$/.test(\(Self.button))")
      try await page.until(
        "its state", "document.querySelector('.alarm').textContent.includes('Keep this page open')")
      #expect(try await page.evaluate(Self.sounds) == .bool(false))
      try await page.click(".brand")
      try await page.until("the list", "document.body.dataset.page === 'stations'")
      // Another visit of its page, and away again: it is the same player.
      try await page.click("[data-station=jazz] > a")
      try await page.until(
        "its word", "/^Alarm/.test(document.querySelector('#actions')?.textContent.trim() ?? '')")
      #expect(try await page.evaluate("document.querySelectorAll('audio').length") == JSON(1))
      try await page.click(".brand")
      try await page.until("the list", "document.body.dataset.page === 'stations'")
      try await page.until("sound", Self.sounds)
      let volume = try await page.evaluate("document.querySelector('audio').volume").double ?? 1
      #expect(volume < 0.8)
      try await page.until(
        "a louder one", "document.querySelector('audio').volume > \(volume)")
      try await page.until("the bar", "document.querySelector('#bar .song')")
      #expect(try page.streams(of: "jazz").last?.path.contains("seek=live") == true)
      #expect(try page.errors() == [])
    }
  }

  @Test func `an alarm that is cancelled, or that its device slept through, does not sound`()
    async throws
  {
    try await Self.withScene { scene in
      let page = try await scene.page()
      try await page.setAlarm(in: 3)
      try await page.click(".alarm button")
      try await page.until("its name", "\(Self.button) === 'Sleep, alarm'")
      try await Task.sleep(for: .seconds(4))
      #expect(try await page.evaluate(Self.sounds) == .bool(false))

      try await page.evaluate("document.querySelector('#panel .close').click()")
      try await page.setAlarm(in: 60)
      try await page.sleep(minutes: 40)
      try await page.until(
        "words about it", "document.querySelector('#panel').textContent.includes('was missed')")
      #expect(try await page.evaluate(Self.sounds) == .bool(false))
      try await page.click("#panel .primary")
      try await page.until("sound", Self.sounds)
      try await page.until("no panel", "!document.querySelector('#panel').textContent")
      #expect(try page.errors() == [])
    }
  }

  @Test func `an alarm says whose clock it goes by where the station's is another one`()
    async throws
  {
    try await Self.withScene { scene in
      let page = try await scene.chrome.page()
      try await page.call("Emulation.setTimezoneOverride", ["timezoneId": "Asia/Tokyo"])
      for (path, isSaid) in [("/listen/jazz", true), ("/listen/news", false)] {
        if !isSaid { try await page.call("Emulation.setTimezoneOverride", ["timezoneId": "UTC"]) }
        try await page.open(scene.url(path))
        try await page.click("#actions .button:has([href$='#moon'])")
        try await page.until("the alarm", "document.querySelector('.alarm .hint')")
        #expect(try await page.text(".alarm .hint").contains("this device’s clock") == isSaid)
      }
    }
  }

  @Test func `an alarm rings late where the device wakes a little late`() async throws {
    try await Self.withScene { scene in
      let page = try await scene.page()
      try await page.setAlarm(in: 60)
      try await page.sleep(minutes: 20)
      try await page.until("sound", Self.sounds)
    }
  }

  @Test func `an alarm that the browser keeps silent asks for a press`() async throws {
    try await Self.withScene { scene in
      let page = try await scene.page()
      try await page.evaluate(
        """
        globalThis.ownPlay = HTMLMediaElement.prototype.play;
        HTMLMediaElement.prototype.play = () => Promise.reject(new DOMException("no", "NotAllowedError"));
        """)
      try await page.setAlarm(in: 5)
      try await page.until(
        "words about it",
        "document.querySelector('#panel [role=alert]')?.textContent.includes('browser')")
      try await page.evaluate("document.querySelector('#panel .close').click()")
      try await page.setAlarm(in: 5)
      try await page.click(".brand")
      try await page.until("the list", "document.body.dataset.page === 'stations'")
      try await page.until(
        "words about it", "document.querySelector('#bar .where')?.textContent.includes('browser')")
      try await page.evaluate("HTMLMediaElement.prototype.play = globalThis.ownPlay")
      try await page.click("#bar .primary")
      try await page.until("sound", Self.sounds)
      #expect(try await page.evaluate("document.querySelector('audio').volume") == JSON(1))
    }
  }

  @Test func `an alarm of a station that is gone leaves the volume as it was`() async throws {
    try await Self.withScene { scene in
      let page = try await scene.chrome.page()
      try await page.beforeEachPage(
        """
        const own = fetch;
        globalThis.fetch = (path, how) =>
          how?.method === "HEAD" ? Promise.resolve(new Response(null, {status: 404})) : own(path, how);
        """)
      try await page.open(scene.url("/listen/jazz"))
      try await page.call("Network.setBlockedURLs", ["urls": .array([.string("*seek=live*")])])
      try await page.setAlarm(in: 5)
      try await page.until("nothing", "document.documentElement.dataset.engine === 'gone'")
      try await page.until("its volume", "document.querySelector('audio').volume === 1")
    }
  }

  @Test func `an alarm is set for the next time that the clock shows`() async throws {
    let found = try await Self.module(
      "alarm.js", as: "alarm",
      """
      const next = (clock, ...now) => {
        const at = new Date(alarm.nextAt(clock, new Date(2026, ...now).getTime()));
        return [at.getMonth(), at.getDate(), at.getHours(), at.getMinutes(), at.getSeconds()];
      };
      return {later: next("07:00", 4, 1, 6, 59), now: next("07:00", 4, 1, 7, 0), month: next("07:30:05", 4, 31, 8, 0)};
      """)
    #expect(found["later"] == JSON.array([4, 1, 7, 0, 0].map { JSON($0) }))
    #expect(found["now"] == JSON.array([4, 2, 7, 0, 0].map { JSON($0) }))
    #expect(found["month"] == JSON.array([5, 1, 7, 30, 5].map { JSON($0) }))
  }
}

extension WebPage {
  /// Sets the alarm by its panel, to the second.
  func setAlarm(in seconds: Int) async throws {
    try await until("the buttons", "document.querySelector('#actions .button')")
    try await click("#actions .button:has([href$='#moon'])")
    try await until("the alarm", "document.querySelector('.alarm input')")
    try await evaluate(
      "document.querySelector('.alarm input').value ="
        + " new Date(Date.now() + \(seconds * 1000)).toTimeString().slice(0, 8)")
    try await click(".alarm form button")
    try await until("that it is set", "!document.querySelector('.alarm form')")
  }

  /// Lets the clock go on as it does while a device sleeps, and wakes.
  fileprivate func sleep(minutes: Int) async throws {
    try await evaluate(
      "{ const own = Date.now; Date.now = () => own() + \(minutes * 60_000); }"
        + " document.dispatchEvent(new Event('visibilitychange'));")
  }
}
