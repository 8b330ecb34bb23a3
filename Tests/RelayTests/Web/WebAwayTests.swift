import Longwave
import TestSupport
import Testing

/// What the pages say and show while a station is away, or something else is heard in its place.
extension WebScenarioTests {
  /// A scene whose "jazz" has the fallback; "reserve" is a station with an upstream of its own.
  private static func withFallback(
    _ fallback: FallbackSetting, _ body: (Scene) async throws -> Void
  ) async throws {
    // Its titles have other numbers.
    let other = try await PitchStation.upstream(before: 1800)
    defer { other.stop() }
    try await withScene { configuration, _ in
      configuration.stations[0].fallback = fallback
      configuration.stations[0].fallbackAfter = 1
      configuration.stations.append(
        StationDefinition(id: "reserve", upstream: [other.url("/live")]))
    } _: { scene in
      try await scene.relay.until("reserve", has: 80)
      try await body(scene)
    }
  }

  private static let line = "document.querySelector('.away .place')?.textContent ?? ''"

  @Test func `a fallback station is told of with its title, picture and spectrum`() async throws {
    try await Self.withFallback(.station("reserve")) { scene in
      let (page, ear) = try await scene.playing()
      let list = try await scene.page("/")
      try await page.bringToFront()
      #expect(try await page.text("#art .art-made") == "J")
      scene.upstream.goAway()
      try await page.until(
        "what one hears",
        "/^The studio is off the air\\. You hear: Title 1[89][0-9] – Artist/.test(\(Self.line))")
      try await page.until(
        "its word", "document.querySelector('#state-word').dataset.state === 'fallback'")
      #expect(try await page.text("#state-word") == "stand-in")
      #expect(try await page.text("#title").wholeMatch(of: /Title 1[89][0-9]/) != nil)
      #expect(try await page.text("#art .art-made") == "R")
      #expect(try await page.evaluate("document.querySelector('#place').hidden") == .bool(true))
      try await eventually("its spectrum") {
        let drawn = try await picture(page)
        return drawn.count == 5 && drawn[0] > 0 && drawn[1] > -60 && drawn[3] >= 0
      }
      // The window of the station that stands in is another one: its sound is found by what is heard.
      _ = try await ear.place()
      try await compareRoughly(page, ear)
      let plain = try await scene.relay.get("/listen/jazz").text
      #expect(plain.contains("data-state=\"fallback\">stand-in<"))
      #expect(plain.contains("You hear its stand-in until it is back."))
      // On pages of others, too.
      let widget = try await scene.page("/listen/jazz/embed?show=now")
      try await widget.until(
        "the title of what stands in",
        "/^Title 1[89][0-9]$/.test(document.querySelector('#title').textContent)")
      #expect(try await widget.text("#artist").hasPrefix("Artist"))
      let bare = try await scene.relay.get("/listen/jazz/embed?show=now").text
      #expect(bare.contains("You hear its stand-in until it is back."))
      let rendered = try await scene.relay.get("/").text
      let card = rendered.split(separator: "data-station=\"jazz\"").last?.prefix { $0 != "\n" }
      #expect(card?.contains(/Title 1[89][0-9] – Artist/) == true, "\(card ?? "")")
      try await list.bringToFront()
      let told = "document.querySelector('[data-station=jazz]')"
      try await list.until(
        "the card says so", "\(told).querySelector('.state').dataset.state === 'fallback'")
      try await list.until(
        "the card's title", "/^Title 1[89][0-9]/.test(\(told).querySelector('.song').textContent)")
      try await page.bringToFront()
      try scene.upstream.comeBack()
      try await page.until("the station again", "document.querySelector('.away').hidden")
      try await page.until(
        "its title", "/^Title [0-9]{2}$/.test(document.querySelector('#title').textContent)")
      #expect(try await page.text("#art .art-made") == "J")
      #expect(try page.errors() == [])
    }
  }

  @Test func `a station that was never on air has the picture of its stand-in`() async throws {
    try await Self.withScene { configuration, upstream in
      var studio = StationDefinition(id: "studio", upstream: [upstream.url("/nowhere")])
      studio.fallback = .station("jazz")
      studio.fallbackAfter = 1
      configuration.stations.append(studio)
    } _: { scene in
      let page = try await scene.page("/listen/studio")
      try await page.until(
        "what one hears", "/^The studio is off the air\\. You hear: Title/.test(\(Self.line))")
      try await page.until(
        "its picture", "document.querySelector('#art .art-made')?.textContent === 'J'")
      #expect(try await page.text("#title").hasPrefix("Title "))
    }
  }

  /// What is drawn is within two seconds of what is heard: the page can only reckon how much the browser holds.
  private func compareRoughly(_ page: WebPage, _ ear: WebEar) async throws {
    var near = 0
    try await eventually("a picture of what is heard", within: 60) {
      let shown = try await picture(page)
      guard shown.count == 5, shown[3] >= 0, let place = try await ear.place().place else {
        return false
      }
      let pitches = [-2.0, 2].map { PitchStation.lowest + PitchStation.climb * (place + $0) }
      let bands = pitches.map(Self.band(of:))
      if place > 3, place < 57, (bands[0]...bands[1]).contains(Int(shown[3])) { near += 1 }
      return near >= 5
    }
  }

  @Test func `silence and files in a station's place are told of in words`() async throws {
    try await Self.withFallback(.silence) { scene in
      let (page, _) = try await scene.playing()
      scene.upstream.goAway()
      try await page.until(
        "what one hears", "\(Self.line).startsWith('The studio is off the air. There is silence')")
      try await page.until(
        "its name alone",
        "document.querySelector('#title').textContent === 'jazz'"
          + " && document.querySelector('#artist').textContent === ''")
      #expect(try page.errors() == [])
    }
  }

  @Test func `an away station says since when, and plays its past by a press`() async throws {
    try await Self.withScene { scene in
      let (page, _) = try await scene.playing()
      scene.upstream.goAway()
      try await page.until(
        "since when",
        "/^Away since [0-9][0-9]:[0-9][0-9]\\. It goes on by itself\\.$/.test(\(Self.line))")
      #expect(try await page.text("#status") == "")
      let press = ".away button:not([hidden])"
      #expect(
        try await page.text(press).wholeMatch(of: /Meanwhile: from [0-9]{2}:[0-9]{2} on ▸/) != nil)
      try await page.click(press)
      try await page.until(
        "sound of before",
        WebPage.isPlaying + " && /behind live/.test(document.querySelector('#place').textContent)")
      try await page.until("no line", "document.querySelector('.away').hidden")
      #expect(try page.errors() == [])
    }
  }

  @Test func `live that stands still is not counted on`() async throws {
    let found = try await Self.module(
      "timeline.js", as: "timelines",
      """
      const at = (seconds) => new Date(1700000000000 + seconds * 1000).toISOString();
      const timeline = new timelines.Timeline({
        station: "jazz", timeZone: {name: "UTC", seconds: 0}, gaps: [], titles: [],
        live: {media: 400, air: at(400), position: 400000}, oldest: {media: 50, air: at(50), position: 50000},
        anchors: [{media: 0, air: at(0)}]}, 1000);
      const live = (now) => timeline.live(now).media;
      timeline.stay(2000);
      const soon = live(3000);
      timeline.stay(5000);
      const still = [live(5000), live(60000)];
      timeline.merge({
        live: {media: 460, air: at(490), position: 460000}, oldest: {media: 50, air: at(50), position: 50000},
        anchors: [{media: 0, air: at(0)}, {media: 400, air: at(430)}]}, 61000);
      return {soon, still, again: live(63000)};
      """)
    #expect(found["soon"] == .integer(402), "an answer right behind another says nothing")
    #expect(found["still"] == .array([.integer(400), .integer(400)]))
    #expect(found["again"] == .integer(462))
  }
}
