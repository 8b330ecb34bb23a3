import Glibc
import Longwave
import Reactor
import TestSupport
import Testing
import Wire

/// The ways that are used most, in Debian's Firefox, by presses and keys, and by what its sound card hears.
@Suite(
  .serialized, .enabled(if: FirefoxDriver.isInstalled), .timeLimit(.minutes(10)), InFirefox())
struct WebFirefoxTests {
  private static let isPlaying = "document.documentElement.dataset.engine === 'playing'"

  /// What is heard: when it was on air, in Unix seconds, and when it was heard.
  private struct Heard {
    var air: Double
    var moment: SoundCard.Moment
  }

  private struct Scene {
    let relay: TestRelay
    let upstream: FakeUpstream
    let browser: FirefoxDriver

    func open(_ path: String) async throws {
      try await browser.open("http://\(relay.address)\(path)")
    }

    /// What is heard now; what the page asked for and what the pitch says have to agree.
    func heard(_ what: String) async throws -> Heard {
      try await browser.until(
        "sound of \(what)",
        "\(WebFirefoxTests.isPlaying) && document.querySelector('audio').currentTime > 0.5")
      let moment = try await browser.sound.place()
      let place = try await browser.value(
        of: "(a => [Date.parse(new URL(a.src).searchParams.get('seek')) / 1000, a.currentTime])"
          + "(document.querySelector('audio'))"
      ).items.compactMap(\.double)
      try #require(place.count == 2, "\(what): a place in the address of the sound")
      let asked = PitchStation.distance(
        try await relay.place(onAir: place[0]), from: -place[1])
      let late = PitchStation.distance(moment.place! + secondsNow() - moment.at, from: asked)
      // Asking has taken a while.
      #expect(abs(late) < 0.8, "\(what): heard is what is \(late) s late")
      return Heard(air: place[0] + place[1], moment: moment)
    }

    /// How many seconds an act moves what is heard, by another request for sound.
    func moved(_ what: String, by act: () async throws -> Void) async throws -> Double {
      let before = try await heard("what was before \(what)")
      let source = "document.querySelector('audio').src"
      let asked = try await browser.value(of: source)
      try await act()
      try await browser.until("a request after \(what)", "\(source) !== \(asked.text)")
      let after = try await heard(what)
      return after.air - before.air - (after.moment.at - before.moment.at)
    }
  }

  private static func withScene(
    change: (inout Configuration, FakeUpstream) -> Void = { _, _ in },
    _ body: (Scene) async throws -> Void
  ) async throws {
    let browser = try InFirefox.browser
    try await browser.begin()
    try await WebScenarioTests.withTone(change: change) { relay, upstream in
      try await body(Scene(relay: relay, upstream: upstream, browser: browser))
      #expect(try await browser.errors() == [])
      // Nothing of it sounds beside the next.
      try await browser.open("about:blank")
    }
  }

  @Test func `a press on the list sounds, and goes on from page to page and in German`()
    async throws
  {
    try await Self.withScene { scene in
      let browser = scene.browser
      try await scene.open("/")
      try await browser.click("[data-station=jazz] .button.play")
      let begin = try await browser.sound.place()
      try await browser.click("[data-station=jazz] > a")
      try await browser.turned(to: "listen", at: "/listen/jazz")
      try await browser.until("its place", "document.querySelector('#place').textContent !== ''")
      try await browser.click(".brand")
      try await browser.turned(to: "stations", at: "/")
      try await browser.until("the bar", "document.querySelector('#bar .song')")
      _ = try await browser.value(of: "history.back()")
      try await browser.turned(to: "listen", at: "/listen/jazz")
      try await browser.speak("de")
      try await browser.until(
        "German", "document.querySelector('#played').textContent === 'Gespielt'")
      try await browser.turned(to: "listen", at: "/listen/jazz")
      _ = try await browser.value(of: "history.forward()")
      try await browser.turned(to: "stations", at: "/")
      try await browser.until("German", "document.querySelector('h1').textContent === 'Sender'")
      let end = try await browser.sound.place()
      let moments = browser.sound.moments(since: begin.at)
      #expect(abs(PitchStation.jump(moments.map { ($0.count, $0.place) })) < 0.1)
      // A sound card that is given nothing says nothing: so that its seconds are those of the clock.
      #expect(abs((end.count - begin.count) - (end.at - begin.at)) < 1)
      #expect(try await scene.relay.station("jazz")["listeners"]?["now"]?.integer == 1)
    }
  }

  @Test func `a pause keeps the place, and buttons and keys move it by what they say`()
    async throws
  {
    try await Self.withScene { scene in
      let browser = scene.browser
      try await scene.open("/listen/jazz?offset=20s")
      try await browser.play()
      let source = "document.querySelector('audio').src"
      let before = try await scene.heard("play")
      try await browser.click(WebPage.playButton)
      try await browser.until("a pause", "document.querySelector('audio').paused")
      let paused = secondsNow()
      try await browser.until(
        "a word for it", "document.documentElement.dataset.engine === 'paused'")
      try await Task.sleep(for: .seconds(2))
      let asked = try await browser.value(of: source)
      try await browser.click(WebPage.playButton)
      try await browser.until("another request", "\(source) !== \(asked.text)")
      let after = try await scene.heard("another play")
      // From its beginning on it is heard without a pause.
      let current = try await browser.value(of: "document.querySelector('audio').currentTime")
      let went = after.air - (current.double ?? 0) - before.air
      #expect((-1...paused - before.moment.at + 1).contains(went), "\(went) s")

      let back = try await scene.moved("30 seconds back") {
        try await browser.click(WebPage.Control.back)
      }
      #expect((-36.0...(-29)).contains(back), "\(back)")
      let title = try await browser.text("#title")
      _ = try await scene.moved("the beginning of the title") {
        try await browser.click("#controls button.begin")
      }
      #expect(try await browser.text("#title") == title)
      let begin = try await browser.value(
        of: "Date.parse(new URL(\(source)).searchParams.get('seek')) / 1000")
      let place = try await scene.relay.place(onAir: begin.double ?? 0)
      let number = Double(title.drop { !$0.isNumber }) ?? -1
      let late = PitchStation.distance(place, from: number * PitchStation.titleSeconds)
      #expect(abs(late) < 0.1, "\(title) begins \(late) s late")
      _ = try await browser.value(of: "document.querySelector('#scrubber [role=slider]').focus()")
      let left = try await scene.moved("a key of the slider") {
        try await browser.press("ArrowLeft")
      }
      #expect((-16.0...(-9.5)).contains(left), "\(left)")
    }
  }

  @Test func `a link to a moment begins there`() async throws {
    try await Self.withScene { scene in
      let live = try await scene.relay.station("jazz")["window"]?.text("live") ?? ""
      let at = (Double(try TimestampText.parse(live)) / 1e9 - 60).rounded(.down)
      try await scene.open("/listen/jazz?at=\(TimestampText.rfc3339(Int64(at) * 1_000_000_000))")
      try await scene.browser.play()
      let heard = try await scene.heard("the moment")
      #expect((0..<30).contains(heard.air - at), "\(heard.air - at)")
      let begin = try await scene.browser.value(
        of:
          "Date.parse(new URL(document.querySelector('audio').src).searchParams.get('seek')) / 1000"
      )
      #expect(abs((begin.double ?? 0) - at) < 0.1)
    }
  }

  @Test func `the link of a clip saves what was on air`() async throws {
    try await Self.withScene { scene in
      let browser = scene.browser
      try await scene.open("/listen/jazz?offset=45s")
      try await browser.play()
      try await browser.press("c")
      try await browser.until("the clip", "document.querySelector('#panel a[download]')")
      let path = try await browser.value(
        of: "document.querySelector('#panel a[download]').getAttribute('href')")
      let file = try await scene.relay.get(path.string ?? "").body
      try #require(PitchStation.place(in: file) != nil)
      try await browser.click("#panel a[download]")
      try await eventually("the file") { browser.saved().values.contains(file) }
      #expect(browser.saved().keys.allSatisfy { $0.hasPrefix("jazz-") && $0.hasSuffix(".mp3") })
      #expect(try await browser.value(of: Self.isPlaying) == .bool(true))
    }
  }

  @Test func `a station for members sounds with a key that is typed`() async throws {
    var auth = AuthSettings()
    auth.tokens = ["key-of-jazz"]
    let given = auth
    try await Self.withScene(change: { configuration, _ in
      configuration.stations[0].auth = given
    }) { scene in
      try await scene.open("/listen/jazz")
      try await scene.browser.until("the field", "document.querySelector('#members-key')")
      try await scene.browser.click("#members-key")
      try await scene.browser.type("key-of-jazz")
      try await scene.browser.press("Enter")
      try await scene.browser.until("sound", Self.isPlaying)
      _ = try await scene.browser.sound.place()
    }
  }

  @Test func `a folder's page plays what is pressed, and goes on with the next file`() async throws
  {
    let folder = TemporaryDirectory()
    let frames = try await offPool { PitchStation.frames }
    folder.write("one.mp3", Array(frames.prefix(84).joined()))
    folder.write("two.mp3", Array(frames.suffix(1250).joined()))
    try await Self.withScene(change: { configuration, _ in
      configuration.stations.append(
        StationDefinition(id: "shows", source: .files(folder.path, throttleBypass: nil)))
    }) { scene in
      try await scene.open("/listen/shows")
      try await scene.browser.until(
        "modules", "document.documentElement.classList.contains('js')")
      try await scene.browser.click("#files li:nth-child(1) a")
      try await scene.browser.until(
        "the second file", "document.querySelector('audio').src.endsWith('/two.mp3')")
      let heard = try await scene.browser.sound.place()
      #expect(heard.place! > 29)
    }
  }

  @Test func `the small player plays on another site`() async throws {
    try await Self.withScene { scene in
      let browser = scene.browser
      let element = WebScenarioTests.element(of: scene.relay)
      try await browser.open(WebScenarioTests.host(element, at: scene.upstream))
      let frame = "document.querySelector('longwave-player').shadowRoot?.querySelector('iframe')"
      try await browser.until("its frame", frame)
      try await browser.inside(frame) {
        try await browser.until("its button", "document.querySelector('\(WebPage.playButton)')")
        try await browser.play()
      }
      _ = try await browser.sound.place()
      try await browser.until(
        "word of it", "told.at(-1)?.state === 'playing' && told.at(-1).title?.startsWith('Title')")
    }
  }

  @Test func `the sound goes on by itself after kill -9 of the relay and a new start`() async throws
  {
    let browser = try InFirefox.browser
    try await browser.begin()
    try await PitchStation.withServer { served in
      try await browser.open("http://\(served.server.address)/listen/jazz?offset=60s")
      try await browser.play()
      let begin = try await browser.sound.place()
      try await served.server.kill()
      let again = try await served.restart()
      let asked = try await browser.value(of: "document.querySelector('audio').src")
      try await browser.until(
        "sound of the new server", within: 120,
        "document.querySelector('audio').src !== \(asked.text) && \(Self.isPlaying)"
          + " && document.querySelector('audio').currentTime > 1")
      _ = try await browser.sound.place()
      // Silence is no programme.
      let moments = browser.sound.moments(since: begin.at)
      let jump = PitchStation.jump(moments.map { ($0.count, $0.place) })
      #expect(abs(jump) < 1, "\(jump) s were skipped")
      try await browser.open("about:blank")
      withExtendedLifetime(again) {}
    }
  }
}
