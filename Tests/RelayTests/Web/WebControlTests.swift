import Longwave
import TestSupport
import Testing
import Wire

/// The keyboard, the slider and what else moves the place.
extension WebScenarioTests {
  /// A player and where it is, by the relay's session and the element's clock alone.
  struct Player {
    let scene: Scene
    let page: WebPage
    let ear: WebEar

    /// When the beginning of the element's sound was on air, in Unix seconds, by the relay's session.
    func begin() async throws -> Double {
      let token = try scene.session(of: page)
      // The relay's own answer may come a little after the sound.
      let connection = try await eventually("a connection of the session") {
        let connection = try await scene.session(token)["connection"]
        return connection?.isNull == true ? nil : connection
      }
      let air = Double(try TimestampText.parse(connection.text("air"))) / 1e9
      return air - (connection["after"]?.double ?? 0)
    }

    /// When what is heard was on air, and at which moment.
    ///
    /// What the session says and what the pitch says have to agree.
    func heard(_ what: String) async throws -> (air: Double, moment: WebEar.Moment) {
      // The sound of the connection that was asked for last.
      try await page.until(
        "sound of the last stream after \(what)",
        "(a => a.currentSrc.endsWith(\(WebPage.quoted(page.streams(of: "jazz").last?.path ?? "")))"
          + " && a.currentTime > 0.4 && \(WebPage.isPlaying))(document.querySelector('audio'))")
      let moment = try await ear.place()
      let begin = try await begin()
      let place = try await scene.place(onAir: begin)
      let late = PitchStation.distance(moment.place! - moment.current, from: place)
      #expect(abs(late) < 0.3, "after \(what) is heard what is \(late) s late of the session")
      return (begin + moment.current, moment)
    }

    /// How far something moves the place that is heard, and by how many requests for sound.
    func moved(
      _ what: String, by act: () async throws -> Void
    ) async throws -> (seconds: Double, requests: Int, air: Double) {
      let before = try await heard("what was before \(what)")
      let streams = try page.streams(of: "jazz").count
      try await act()
      try await eventually("a request for sound after \(what)") {
        try page.streams(of: "jazz").count > streams
      }
      let after = try await heard(what)
      let passed = (after.moment.at - before.moment.at) / 1000
      return (
        after.air - before.air - passed, try page.streams(of: "jazz").count - streams, after.air
      )
    }
  }

  static func withPlayer(
    _ path: String = "/listen/jazz?offset=75s", _ body: (Player) async throws -> Void
  ) async throws {
    try await withScene { scene in
      let (page, ear) = try await scene.playing(path)
      try await body(Player(scene: scene, page: page, ear: ear))
    }
  }

  @Test(arguments: [
    ("ArrowLeft", false, -10.0), ("ArrowRight", false, 10), ("ArrowLeft", true, -60),
    ("ArrowRight", true, 60), ("j", false, -30), ("l", false, 30),
  ])
  func `keys jump by so many seconds`(key: String, shift: Bool, seconds: Double) async throws {
    // There is a minute and a half.
    try await Self.withPlayer("/listen/jazz?offset=\(seconds < 0 ? 12 : 75)s") { player in
      let moved = try await player.moved(key) { try await player.page.press(key, shift: shift) }
      // What the jump itself takes is lost.
      #expect((seconds - 4...seconds + 0.5).contains(moved.seconds), "\(moved)")
      #expect(moved.requests == 1)
    }
  }

  @Test func `keys go to titles, to the oldest and to live`() async throws {
    // Three titles before it are in the past whole.
    try await Self.withPlayer("/listen/jazz?offset=45s") { player in
      let (page, ear) = (player.page, player.ear)
      func number() async throws -> Int {
        Int(try await page.text("#title").drop { !$0.isNumber }) ?? -1
      }
      // In a title "previous" is its beginning, and there it is the title before.
      for (key, step) in [("b", 0), ("n", 1), ("p", -1), ("p", -1)] {
        let isAtBeginning = key == "p"
        try await eventually("\(isAtBeginning ? "the beginning" : "the middle") of a title") {
          let place = try await ear.place().place!.truncatingRemainder(
            dividingBy: PitchStation.titleSeconds)
          return isAtBeginning ? place < 2.5 : (3.5...6).contains(place)
        }
        let before = try await number()
        _ = try await player.moved(key) { try await page.press(key) }
        let heard = try await ear.place()
        let wanted = Double(before + step) * PitchStation.titleSeconds
        let late = PitchStation.distance(heard.place! - heard.current, from: wanted)
        #expect(abs(late) < 0.4, "\(key): \(late) s behind the beginning of title \(before + step)")
      }
      let timeline = try await player.scene.json("/api/v1/stations/jazz/timeline")
      let oldest = Double(try TimestampText.parse(timeline["oldest"]?.text("air") ?? "")) / 1e9
      let first = try await player.moved("Home") { try await page.press("Home") }
      #expect(first.air - oldest < 10)
      for key in ["End", "0"] {
        _ = try await player.moved("ArrowLeft") { try await page.press("ArrowLeft") }
        let last = try await player.moved(key) { try await page.press(key) }
        #expect(try await Self.live(player.scene) - last.air < 12)
      }
    }
  }

  @Test func `keys pause, play, mute and change the volume, and none works while one types`()
    async throws
  {
    try await Self.withPlayer { player in
      let page = player.page
      func audio(_ member: String) async throws -> JSON {
        try await page.evaluate("document.querySelector('audio').\(member)")
      }
      for key in ["k", " "] {
        try await page.press(key)
        try await page.until("a pause by \(key)", "document.querySelector('audio').paused")
        try await page.press(key)
        try await page.until("sound by \(key)", WebPage.isPlaying)
      }
      try await page.press("m")
      try await page.until(
        "silence", "(a => a.muted || a.volume === 0)(document.querySelector('audio'))")
      try await page.press("m")
      try await page.until(
        "sound", "(a => !a.muted && a.volume > 0)(document.querySelector('audio'))")
      let volume = try await audio("volume").double ?? 0
      try await page.press("ArrowDown")
      try await page.until("less of it", "document.querySelector('audio').volume < \(volume)")
      try await page.press("ArrowUp")
      try await page.until("as before", "document.querySelector('audio').volume > \(volume - 0.01)")

      let streams = try page.streams(of: "jazz").count
      try await page.evaluate(
        """
        (() => {
          const field = document.createElement("input");
          field.id = "typed";
          Object.assign(field.style, {
            position: "fixed", insetBlockStart: "4px", insetInlineStart: "200px", width: "200px", height: "40px",
            zIndex: "9",
          });
          document.body.append(field);
        })()
        """)
      try await page.click("#typed")
      try await page.until("a field that is typed in", "document.activeElement.id === 'typed'")
      for key in ["j", "k", "m", "0", "p", " "] { try await page.press(key) }
      #expect(try await page.evaluate("document.querySelector('#typed').value") == "jkm0p ")
      #expect(try await audio("paused") == .bool(false))
      #expect(try await audio("muted") == .bool(false))
      #expect(try page.streams(of: "jazz").count == streams)
    }
  }

  private static let slider = "#scrubber [role=slider]"

  @Test func `the slider says where it is in words, and keys move it`() async throws {
    try await Self.withPlayer { player in
      let page = player.page
      func value(_ name: String) async throws -> Double {
        let text = try await page.evaluate(
          "document.querySelector('\(Self.slider)').getAttribute('aria-value\(name)')")
        return Double(text.string ?? "") ?? .nan
      }
      try await page.until("a slider", "document.querySelector('\(Self.slider)')")
      try await page.until(
        "its values", "document.querySelector('\(Self.slider)').ariaValueText")
      #expect(try await value("min") == 0)
      #expect(try await value("max") > 80)
      try await page.evaluate("document.querySelector('\(Self.slider)').focus()")
      for (key, seconds) in [("ArrowLeft", -10.0), ("ArrowRight", 10)] {
        let moved = try await player.moved(key) { try await page.press(key) }
        #expect((seconds - 4...seconds + 0.5).contains(moved.seconds), "\(key): \(moved)")
        let text = try await page.evaluate(
          "document.querySelector('\(Self.slider)').getAttribute('aria-valuetext')")
        let words = try #require(text.string)
        #expect(
          words.contains(/[0-9]{2}:[0-9]{2}:[0-9]{2}.*behind live.*Title [0-9]+ by Artist [0-9]+/),
          "\(words)")
      }
      // The window is shorter than five minutes, so that both go to the ends.
      for key in ["PageDown", "PageUp", "Home", "End"] {
        _ = try await player.moved(key) { try await page.press(key) }
        let isOldest = key == "PageDown" || key == "Home"
        let (now, most) = (try await value("now"), try await value("max"))
        #expect(isOldest ? now < 15 : most - now < 15, "\(key): \(now) of \(most)")
      }
    }
  }

  @Test func `the slider says where it is after a button`() async throws {
    try await Self.withPlayer { player in
      let words = "document.querySelector('\(Self.slider)').getAttribute('aria-valuetext')"
      try await player.page.until("its values", words)
      let before = try await player.page.evaluate(words).string
      _ = try await player.moved("a button") { try await player.page.click(WebPage.Control.back) }
      let after = try #require(try await player.page.evaluate(words).string)
      #expect(after.contains("behind live") && after != before, "\(after)")
    }
  }

  @Test func `the slider is dragged without a request, and plays where it is let go`() async throws
  {
    try await Self.withPlayer { player in
      let page = player.page
      try await page.until("a slider", "document.querySelector('\(Self.slider)')")
      let (_, y) = try await page.middle(of: Self.slider)
      let box = try await page.evaluate(
        "(b => [b.left, b.right])(document.querySelector('\(Self.slider)').getBoundingClientRect())"
      )
      let (left, right) = (box.items[0].double ?? 0, box.items[1].double ?? 0)
      let streams = try page.streams(of: "jazz").count
      try await page.mouse("mouseMoved", left + (right - left) * 0.6, y)
      try await page.mouse("mousePressed", left + (right - left) * 0.6, y)
      for step in 0...10 {
        let x = left + (right - left) * (0.6 - 0.03 * Double(step))
        try await page.mouse("mouseMoved", x, y, isDown: true)
      }
      #expect(try page.streams(of: "jazz").count == streams, "while it is dragged")
      let timeline = try await player.scene.json("/api/v1/stations/jazz/timeline")
      let oldest = Double(try TimestampText.parse(timeline["oldest"]?.text("air") ?? "")) / 1e9
      let live = try await Self.live(player.scene)
      let moved = try await player.moved("the drag") {
        try await page.mouse("mouseReleased", left + (right - left) * 0.3, y)
      }
      #expect(moved.requests == 1)
      // A drag is silent; what it leads to is not, and the button says so.
      #expect(try await page.evaluate("document.querySelector('audio').muted") == .bool(false))
      #expect(
        try await page.evaluate("document.querySelector('.volume use').getAttribute('href')")
          .string?.hasSuffix("#volume") == true)
      let begin = try await player.begin()
      // A title's beginning within six pixels draws it there.
      let snap = (live - oldest) * 7 / (right - left)
      let wanted = oldest + (live - oldest) * 0.3
      #expect(
        abs(begin - wanted) < snap + 2,
        "\(begin - wanted) s beside the finger; \(begin - oldest) of \(live - oldest), \(box.text)")
    }
  }

  @Test func `a long pause lets go of the connection and goes on at the very place`() async throws {
    try await Self.withPlayer { player in
      let page = player.page
      func listeners() async throws -> Int {
        try await player.scene.relay.station("jazz")["listeners"]?["now"]?.integer ?? -1
      }
      try await page.press("k")
      try await page.until("a pause", "document.querySelector('audio').paused")
      let moments = try await player.ear.moments().filter { $0.place != nil }
      let last = try #require(moments.last)
      #expect(try await listeners() >= 1)
      try await eventually("nobody who listens", within: 120) { try await listeners() == 0 }
      try await page.press("k")
      try await page.until("sound", WebPage.isPlaying)
      let heard = try await player.ear.place()
      // Its element began anew, and what it has played since belongs behind the pause.
      let skipped = PitchStation.distance(heard.place! - heard.current, from: last.place!)
      #expect(abs(skipped) < 0.3, "\(skipped) s were skipped")
    }
  }

  @Test func `the system's media keys show what is heard and move it`() async throws {
    try await Self.withScene { scene in
      let page = try await scene.chrome.page()
      try await page.beforeEachPage(
        """
        globalThis.media = {handlers: {}, states: []};
        const session = navigator.mediaSession;
        const set = session.setActionHandler.bind(session);
        session.setActionHandler = (name, handler) => { media.handlers[name] = handler; set(name, handler); };
        const position = session.setPositionState.bind(session);
        session.setPositionState = (state) => { media.states.push(state); position(state); };
        """)
      try await page.open(scene.url("/listen/jazz?offset=75s"))
      let ear = try await WebEar(page)
      try await page.play()
      _ = try await ear.place()
      let player = Player(scene: scene, page: page, ear: ear)
      try await page.until(
        "the title heard",
        "navigator.mediaSession.metadata?.title"
          + " === document.querySelector('#title').textContent.trim()")
      let artist = try await page.evaluate("navigator.mediaSession.metadata.artist").string
      #expect(artist?.contains(/Artist [0-9]+/) == true)
      let states = try await page.evaluate("media.states.filter(Boolean)").items
      #expect(!states.isEmpty)
      for state in states {
        let (length, place) = (state["duration"]?.double, state["position"]?.double)
        #expect(length ?? -1 > 0 && place ?? -1 >= 0 && place ?? 0 <= length ?? 0, "\(state.text)")
      }
      let before = try #require(states.last?["position"]?.double)
      let moved = try await player.moved("seekto") {
        try await page.evaluate(
          "media.handlers.seekto({action: 'seekto', seekTime: \(before - 8)})")
      }
      #expect((-25.0 ... -7).contains(moved.seconds), "\(moved), \(states)")
      for handler in ["play", "pause", "previoustrack", "nexttrack"] {
        #expect(try await page.evaluate("typeof media.handlers.\(handler)") == "function")
      }
    }
  }

  @Test func `a page with reduced motion draws nothing frame by frame`() async throws {
    try await Self.withScene { scene in
      let page = try await scene.chrome.page()
      try await page.prefer(["prefers-reduced-motion": "reduce"])
      try await page.beforeEachPage(
        """
        globalThis.frames = 0;
        const request = requestAnimationFrame;
        globalThis.requestAnimationFrame = (draw) => { frames += 1; return request(draw); };
        """)
      try await page.open(scene.url("/listen/jazz"))
      try await page.play()
      try await page.settled()
      let before = try await page.evaluate("frames").integer ?? 0
      try await page.until("three seconds more", "document.querySelector('audio').currentTime > 4")
      let drawn = try await page.evaluate("frames").integer ?? 0
      // A clock that is written a few times a second may ask for a frame.
      #expect(drawn - before < 30, "\(drawn - before) frames")
      #expect(try await page.evaluate("document.getAnimations().length") == .integer(0))
    }
  }
}
