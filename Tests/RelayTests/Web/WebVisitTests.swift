import Longwave
import TestSupport
import Testing
import Wire

/// Pages that take turns in one document while something sounds.
extension WebScenarioTests {
  private static let barSong = "#bar .song"

  @Test func `the sound goes on from page to page, back again, and in another language`()
    async throws
  {
    try await Self.withScene { scene in
      let (page, ear) = try await scene.playing()
      try await page.evaluate("globalThis.isSame = true")
      let begun = try await ear.place()
      let title = try await page.text("#title")

      try await page.click(".brand")
      try await page.turned(to: "stations", at: "/")
      // Its style came with it.
      let layout = "getComputedStyle(document.querySelector('.stations')).display"
      #expect(try await page.evaluate(layout) == "grid")
      try await page.until("the bar", "document.querySelector('\(Self.barSong)')")
      #expect(try await page.text(Self.barSong).contains(title))
      try await page.until("its card", "document.querySelector('[data-station=jazz].playing')")

      try await page.click("[data-station=news] > a")
      try await page.turned(to: "listen", at: "/listen/news")
      try await page.until("the bar", "document.querySelector('\(Self.barSong)')")
      try await page.until("its control", "document.querySelector('#controls button.play')")

      try await page.evaluate("history.back()")
      try await page.turned(to: "stations", at: "/")
      try await page.until(
        "the focus on what led away",
        "document.activeElement?.getAttribute('href') === '/listen/news'")

      try await page.evaluate("history.back()")
      try await page.turned(to: "listen", at: "/listen/jazz")
      try await page.until("no bar", "!document.querySelector('\(Self.barSong)')")
      try await page.until("its place", "document.querySelector('#place').textContent !== ''")
      try await page.until("the picture of its sound", "document.querySelector('#sound canvas')")
      // The title may have changed meanwhile: the page shows what is heard.
      try await eventually("the title that is heard") {
        let shown = try await ear.place()
        let number = Int(shown.title.drop { !$0.isNumber })
        return number.map { $0 % 6 } == shown.place.map { Int($0 / PitchStation.titleSeconds) }
      }

      try await page.evaluate(
        "(menu => { menu.value = 'de'; menu.dispatchEvent(new Event('change')); })"
          + "(document.querySelector('#tools select'))")
      try await page.until("German", "document.querySelector('#played').textContent === 'Gespielt'")
      try await page.turned(to: "listen", at: "/listen/jazz")
      #expect(try await page.evaluate("document.documentElement.lang") == "de")

      try await page.evaluate("history.forward()")
      try await page.turned(to: "stations", at: "/")
      try await page.until("German", "document.querySelector('h1').textContent === 'Sender'")
      try await page.until(
        "the bar in German",
        "document.querySelector('#bar .play')?.getAttribute('aria-label') === 'Pause'"
          + " && document.querySelector('#bar .live').textContent === 'Live'")

      // One connection from beginning to end, and no second that was not heard.
      let ended = try await ear.place()
      #expect(abs((ended.current - begun.current) - (ended.at - begun.at) / 1000) < 0.3)
      let due = (begun.place ?? 0) + (ended.at - begun.at) / 1000
      #expect(abs(PitchStation.distance(ended.place ?? 0, from: due)) < 0.5)
      #expect(try page.streams(of: "jazz").count == 1)
      #expect(try await page.evaluate("globalThis.isSame") == .bool(true))
      #expect(try page.errors() == [])
      #expect(try page.refusals() == [])
    }
  }

  @Test func `one station sounds at a time, whatever page it was begun on`() async throws {
    try await Self.withScene { scene in
      let page = try await scene.page("/")
      try await page.click("[data-station=jazz] .button.play")
      try await page.until("jazz", Self.sounds("jazz"))
      try await page.click("[data-station=news] > a")
      try await page.turned(to: "listen", at: "/listen/news")
      try await page.click(WebPage.playButton)
      try await page.until("news alone", "\(Self.sounds("news")) && !\(Self.sounds("jazz"))")
      try await page.until("no bar", "!document.querySelector('\(Self.barSong)')")
      #expect(try await page.evaluate("document.querySelectorAll('audio').length") == JSON(1))
      try await eventually("one listener, of news") {
        let jazz = try await scene.json("/api/v1/stations/jazz")["listeners"]?["now"]?.integer
        let news = try await scene.json("/api/v1/stations/news")["listeners"]?["now"]?.integer
        return jazz == 0 && news == 1
      }
      // The bar pauses what sounds, and takes it away when it rests.
      try await page.click(".brand")
      try await page.turned(to: "stations", at: "/")
      try await page.click("#bar .play")
      try await page.until("silence", "!\(Self.sounds("news"))")
      try await page.click("#bar .close")
      try await page.until("no bar", "!document.querySelector('\(Self.barSong)')")
      #expect(try await page.evaluate("document.querySelectorAll('audio').length") == JSON(0))
      #expect(try page.errors() == [])
    }
  }

  @Test func `the list of stations offers to go on at the place that was heard last`()
    async throws
  {
    try await Self.withScene { scene in
      let page = try await scene.page("/")
      let live = try await scene.json("/api/v1/stations/jazz")["window"]?["live"]?.string ?? ""
      let air = Double(try TimestampText.parse(live)) / 1e6 - 75_000
      try await page.evaluate(
        "localStorage.setItem('place:jazz', JSON.stringify({air: \(air), saved: Date.now()}))")
      try await page.reload()
      try await page.until(
        "the offer", "document.querySelector('#bar .primary')?.textContent.startsWith('Go on, ')")
      try await page.click("#bar .primary")
      try await page.until("jazz", Self.sounds("jazz"))
      let seek = try page.streams(of: "jazz").last?.path ?? ""
      #expect(seek.contains("seek=20"), "\(seek)")
      try await page.until(
        "behind live", "/1:1\\d/.test(document.querySelector('#bar .where').textContent)")
      // Its own page shows the same place, and goes on there.
      try await page.click("#bar .what")
      try await page.turned(to: "listen", at: "/listen/jazz")
      try await page.until(
        "its place", "/1:1\\d/.test(document.querySelector('#place').textContent)")
      #expect(try page.streams(of: "jazz").count == 1)
      #expect(try page.errors() == [])
    }
  }

  @Test func `a page that cannot be had leaves the one that sounds`() async throws {
    try await Self.withScene { scene in
      let (page, _) = try await scene.playing()
      // Its own network is another one.
      try await page.call("Network.setBypassServiceWorker", ["bypass": .bool(true)])
      try await page.goOffline(true)
      try await page.click(".brand")
      try await page.until("words about it", "document.querySelector('.offline')?.textContent")
      #expect(try await page.evaluate("location.pathname") == "/listen/jazz")
      #expect(try await page.evaluate("document.body.dataset.page") == "listen")
      try await page.goOffline(false)
      try await page.until("sound again", "document.documentElement.dataset.engine === 'playing'")
      try await page.click(".brand")
      try await page.turned(to: "stations", at: "/")
      try await page.until("the bar", "document.querySelector('\(Self.barSong)')")
    }
  }

  @Test func `a station that is not there is said in place, and the way back is short`()
    async throws
  {
    try await Self.withScene { scene in
      let (page, _) = try await scene.playing()
      try await page.evaluate(
        "document.querySelector('.history').insertAdjacentElement('afterend',"
          + " Object.assign(document.createElement('a'), {href: '/listen/none', id: 'gone', textContent: 'none'}))"
      )
      try await page.click("#gone")
      try await page.turned(to: "missing", at: "/listen/none")
      try await page.until("the bar", "document.querySelector('\(Self.barSong)')")
      try await page.click(".missing a")
      try await page.turned(to: "stations", at: "/")
      #expect(try page.streams(of: "jazz").count == 1)
    }
  }

  @Test func `back and forward on a slow network end at the page of the address`() async throws {
    try await Self.withScene { scene in
      let (page, _) = try await scene.playing()
      try await page.click(".brand")
      try await page.turned(to: "stations", at: "/")
      // The next answer is late.
      try await page.evaluate(
        "(own => { globalThis.fetch = async (...all) => {"
          + " await new Promise(done => setTimeout(done, 1500)); return own(...all); }; })(fetch)")
      try await page.evaluate("history.back()")
      try await page.until("the address", "location.pathname === '/listen/jazz'")
      try await page.evaluate("history.forward()")
      try await page.until("the address", "location.pathname === '/'")
      try await Task.sleep(for: .seconds(3))
      try await page.turned(to: "stations", at: "/")
      #expect(try page.streams(of: "jazz").count == 1)
    }
  }

  @Test func `a proxy's error, and a script that does not come, leave the page that sounds`()
    async throws
  {
    try await Self.withScene { scene in
      let (page, _) = try await scene.playing()
      try await page.evaluate("globalThis.isSame = true")
      try await page.evaluate(
        "(own => { globalThis.ownFetch = own; globalThis.fetch = async (...all) =>"
          + " String(all[0]).endsWith('/') ? new Response('<h1>Bad gateway</h1>', {status: 502})"
          + " : own(...all); })(fetch)")
      try await page.click(".brand")
      try await page.until("an answer", "!document.querySelector('main').ariaBusy")
      try await Task.sleep(for: .seconds(1))
      #expect(try await page.evaluate("globalThis.isSame") == .bool(true))
      #expect(try await page.evaluate("location.pathname") == "/listen/jazz")
      try await page.evaluate("globalThis.fetch = globalThis.ownFetch")
      try await page.click(".brand")
      try await page.turned(to: "stations", at: "/")
      #expect(try page.streams(of: "jazz").count == 1)
    }
  }

  @Test func `a page that steers another player leaves this tab its own session`() async throws {
    try await Self.withScene { scene in
      let page = try await scene.page("/listen/jazz?session=other-device-1234&remote")
      try await page.until("the remote", "document.querySelector('#controls button.play')")
      try await page.click(".brand")
      try await page.turned(to: "stations", at: "/")
      try await page.click("[data-station=news] .button.play")
      try await page.until("news", Self.sounds("news"))
      #expect(try scene.session(of: page, station: "news").hasPrefix("web-"))
    }
  }

  private static func sounds(_ station: String) -> String {
    "[...document.querySelectorAll('audio')].some(a => !a.paused && a.currentTime > 0"
      + " && new URL(a.src).pathname === '/\(station)')"
  }
}
