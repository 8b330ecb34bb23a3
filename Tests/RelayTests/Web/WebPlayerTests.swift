import Longwave
import TestSupport
import Testing
import Wire

/// What is heard, and where the page says it is.
extension WebScenarioTests {
  /// The place in the minute of the clock that the page shows.
  static func shownPlace(_ text: String) -> Double? {
    guard let match = text.firstMatch(of: /[0-9]{1,2}:[0-9]{2}:([0-9]{2})/) else { return nil }
    return Double(match.1)
  }

  /// Checks that the clock shown is that of the sound heard, in each of the moments.
  /// - Parameter offset: the place in the minute of what was on air at a full minute.
  static func expectClockOfSound(
    _ moments: [WebEar.Moment], offset: Double, _ comment: Comment? = nil
  ) {
    var compared = 0
    var worst = 0.0
    for moment in moments {
      guard let heard = moment.place, let shown = shownPlace(moment.shown) else { continue }
      // The clock shows whole seconds: its place is up to one second early.
      let late = PitchStation.distance(heard - offset, from: shown + 0.5)
      if abs(late) > abs(worst) { worst = late }
      compared += 1
    }
    #expect(compared > 20, comment)
    // Half a second is the clock's own; the page writes it a few times a second.
    #expect(abs(worst) <= 0.5 + 0.4, comment)
  }

  /// Lets the page play on, and returns what was heard meanwhile.
  static func hear(_ ear: WebEar, seconds: Double) async throws -> [WebEar.Moment] {
    let from = try await ear.now()
    try await eventually("\(seconds) s of sound") {
      try await ear.now() >= from + seconds * 1000
    }
    return try await ear.moments(since: from)
  }

  /// The place in the minute that full minutes of the relay's clock have, seen at a time.
  static func offset(_ scene: Scene, at seconds: Double) async throws -> Double {
    let place = try await scene.place(onAir: seconds)
    return PitchStation.distance(place, from: seconds)
  }

  /// When the live edge was on air, by the relay.
  static func live(_ scene: Scene) async throws -> Double {
    let station = try await scene.relay.station("jazz")
    return Double(try TimestampText.parse(station["window"]?.text("live") ?? "")) / 1e9
  }

  @Test func `a click on play sounds, the page says so, and nothing complains`() async throws {
    try await Self.withScene { scene in
      let (page, ear) = try await scene.playing()
      let first = try await ear.place()
      try await page.until(
        "more of it", "document.querySelector('audio').currentTime > \(first.current) + 1")
      try await page.until("a word for it", "document.querySelector('#state-word') !== null")
      try await page.until(
        "itself among the listeners",
        "document.querySelector('#count').textContent === '1 listening'"
      )
      #expect(try await page.evaluate(WebPage.isPlaying) == .bool(true))
      #expect(try page.streams(of: "jazz").count == 1)
      #expect(try page.errors() == [])
      #expect(try page.refusals() == [])
    }
  }

  @Test(arguments: [0.0, 60.0]) func `the clock shown is that of the sound heard`(
    behind: Double
  ) async throws {
    try await Self.withScene { scene in
      let query = behind > 0 ? "?offset=\(Int(behind))s" : ""
      let (_, ear) = try await scene.playing("/listen/jazz" + query)
      let moments = try await Self.hear(ear, seconds: 6)
      let live = try await Self.live(scene)
      let offset = try await Self.offset(scene, at: live - behind - 5)
      Self.expectClockOfSound(moments, offset: offset, "\(moments.last?.shown ?? "")")
    }
  }

  @Test
  func `thirty seconds back are thirty seconds in the clock and in the sound, by one request`()
    async throws
  {
    try await Self.withScene { scene in
      let (page, ear) = try await scene.playing()
      let before = try await ear.place()
      let streams = try page.streams(of: "jazz").count
      try await page.click(WebPage.Control.back)
      try await eventually("the sound of then") {
        let after = try await ear.place()
        let passed = (after.at - before.at) / 1000
        let moved = PitchStation.distance(after.place! - passed, from: before.place!)
        // -30 and 30 are one place.
        return abs(abs(moved) - 30) < 3
      }
      let moments = try await Self.hear(ear, seconds: 3)
      let live = try await Self.live(scene)
      Self.expectClockOfSound(moments, offset: try await Self.offset(scene, at: live - 32))
      let after = try #require(moments.last { $0.place != nil })
      let passed = (after.at - before.at) / 1000
      let moved = PitchStation.distance(after.place! - passed, from: before.place!)
      // What the jump itself takes is heard later.
      #expect((28.0...30.5).contains(abs(moved)), "\(moved)")
      let new = try page.streams(of: "jazz").dropFirst(streams)
      #expect(new.count == 1 && new.first?.path.contains("seek=") == true, "\(new)")
    }
  }

  @Test(arguments: [0.0, 60.0]) func `a title changes when its sound begins`(behind: Double)
    async throws
  {
    try await Self.withScene { scene in
      let query = behind > 0 ? "?offset=\(Int(behind))s" : ""
      let (_, ear) = try await scene.playing("/listen/jazz" + query)
      // From live the page goes back to what is sent first.
      let begin = try await Self.hear(ear, seconds: 2).last?.at ?? 0
      var changes: [(from: WebEar.Moment, to: WebEar.Moment)] = []
      try await eventually("two changes of the title", within: 120) {
        let moments = try await ear.moments(since: begin).filter {
          $0.place != nil && !$0.title.isEmpty
        }
        changes = zip(moments, moments.dropFirst()).filter { $0.title != $1.title }
          .map { (from: $0, to: $1) }
        return changes.count >= 2
      }
      for (from, to) in changes {
        let numbers = [from.title, to.title].compactMap { Int($0.drop { !$0.isNumber }) }
        try #require(numbers.count == 2)
        #expect(numbers[1] == numbers[0] + 1)
        let begins = Double(numbers[1]) * PitchStation.titleSeconds
        let late = PitchStation.distance(to.place!, from: begins)
        // A page that nobody runs for a while shows nothing new.
        let blind = (to.at - from.at) / 1000
        #expect(late > -0.4 && late < 0.4 + blind, "\(to.title) came \(late) s late")
      }
    }
  }

  @Test(arguments: [false, true]) func `a link to a moment begins there`(isClock: Bool)
    async throws
  {
    try await Self.withScene { scene in
      let at = (try await Self.live(scene) - 75).rounded(.down)
      // A clock's time is the station's, and of the last time that it was that late.
      let timeline = try await scene.json("/api/v1/stations/jazz/timeline")
      let zone = timeline["timeZone"]?["seconds"]?.integer ?? 0
      let text = TimestampText.rfc3339(Int64(at) * 1_000_000_000)
      let clock = TimestampText.rfc3339((Int64(at) + Int64(zone)) * 1_000_000_000)
        .dropFirst("2026-11-27T".count).prefix("18:03:12".count)
      let page = try await scene.page("/listen/jazz?at=\(isClock ? String(clock) : text)")
      let ear = try await WebEar(page)
      try await page.play()
      let first = try await ear.place()
      let begin = PitchStation.distance(
        first.place! - first.current, from: try await scene.place(onAir: at))
      #expect(abs(begin) < 0.3, "\(begin)")
    }
  }

  @Test func `a link to a moment that is gone says so and offers the oldest and live`() async throws
  {
    try await Self.withScene { scene in
      let page = try await scene.page("/listen/jazz?at=2020-01-01T00:00:00Z")
      try await page.until("words about it", "document.querySelector('#panel h2') !== null")
      #expect(try await page.text("#panel").contains("no longer kept"))
      let offers = try await page.evaluate("document.querySelectorAll('#panel .row button').length")
      #expect(offers.integer ?? 0 >= 2)
      // The first offer is the oldest, the other one live.
      let ear = try await WebEar(page)
      try await page.click("#panel button:has(use[href$='#play'])")
      let heard = try await Player(scene: scene, page: page, ear: ear).heard("the first offer")
      #expect(try await Self.live(scene) - heard.air > 70)
    }
  }

  @Test func `buttons on a phone do not touch the round one`() async throws {
    try await Self.withScene { scene in
      let page = try await scene.page("/listen/jazz")
      try await page.until("the buttons", "document.querySelector('.controls .live')")
      for width in [320, 360, 390, 412, 430] {
        try await page.resize(width: width, height: 844, isPhone: true)
        try await page.until(
          "room at \(width)",
          """
          (() => {
            const boxes = [...document.querySelectorAll(".controls > *")].map(each => each.getBoundingClientRect());
            const round = document.querySelector(".controls .play").getBoundingClientRect();
            return boxes.every(({ left, right, top, bottom }) => left >= 0 && right <= innerWidth && (top === round.top
              || Math.max(left - round.right, round.left - right, top - round.bottom, round.top - bottom) >= 8));
          })()
          """)
      }
    }
  }
}
