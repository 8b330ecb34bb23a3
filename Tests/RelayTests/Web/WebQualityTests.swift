import Longwave
import TestSupport
import Testing
import Wire

/// The choice of quality: a station's renditions on its page.
extension WebScenarioTests {
  /// A scene whose "jazz" is there at 128 and at 64 kbit/s, a minute and more of each.
  private static func withQualities(_ body: (Scene) async throws -> Void) async throws {
    try await withScene(change: { settings, _ in
      var made = StationDefinition(id: "jazz-64", source: .rendition(of: "jazz"))
      var encoding = PCMEncoding()
      encoding.bitrate = 64
      (made.encode, made.mounts, made.burst) = (encoding, ["/jazz/64"], 60)
      settings.stations.append(made)
    }) { scene in
      try await scene.relay.until("jazz-64", has: 55, within: 60)
      try await body(scene)
    }
  }

  private static func listeners(_ scene: Scene) async throws -> [JSON] {
    try await scene.json("/api/v1/listeners")["listeners"]?.items ?? []
  }

  /// Chooses another quality, and checks that the sound goes on where it was.
  private static func change(
    _ scene: Scene, _ page: WebPage, _ ear: WebEar, to id: String, _ words: String
  ) async throws {
    let before = try await ear.place()
    try await page.choose(quality: id)
    try await page.until(
      "sound of \(id)",
      "(a => new URL(a.currentSrc).pathname === '/\(id)' && a.currentTime > 1.5)"
        + "(document.querySelector('audio'))")
    _ = try await ear.place()
    let moments = try await ear.moments(since: before.at)
    // The element's clock begins anew with the other stream.
    let new = try #require(
      moments.indices.dropFirst().first { moments[$0].current < moments[$0 - 1].current })
    let last = try #require(moments[..<new].last { $0.place != nil })
    let begins = moments[new...].filter { $0.current > 0.5 }.compactMap { moment in
      moment.place.map { PitchStation.distance($0 - moment.current, from: last.place!) }
    }.sorted()
    #expect(begins.count > 10, "\(words)")
    let jump = try #require(begins.dropFirst(begins.count / 2).first)
    #expect(abs(jump) < 0.15, "\(words): it goes on \(jump) s from where it was")
    // The title is that of the sound, but near its beginning.
    for moment in moments[new...] {
      guard let place = moment.place, moment.current > 0.5 else { continue }
      let inTitle = place.truncatingRemainder(dividingBy: PitchStation.titleSeconds)
      guard (1...9).contains(inTitle) else { continue }
      let number = Int(moment.title.drop { !$0.isNumber }) ?? -1
      let wanted = Int((place - inTitle) / PitchStation.titleSeconds)
      #expect(number % 6 == wanted, "\(words): \(moment.title) at \(place)")
    }
  }

  @Test(arguments: [0.0, 40.0])
  func `a new quality goes on at the very place, with the same session`(behind: Double)
    async throws
  {
    try await Self.withQualities { scene in
      let query = behind > 0 ? "?offset=\(Int(behind))s" : ""
      let (page, ear) = try await scene.playing("/listen/jazz" + query)
      let token = try scene.session(of: page)
      try await page.click("#actions button:has(use[href$='#quality'])")
      try await page.until("the choice", "document.querySelectorAll('#panel input').length === 2")
      #expect(try await page.chosenQuality() == "jazz")
      if let axe = Self.axe {
        try await page.evaluate(axe)
        #expect(try await Self.violations(in: page) == [])
      }
      for id in ["jazz-64", "jazz", "jazz-64"] {
        try await Self.change(scene, page, ear, to: id, "\(id), \(behind) s behind")
        #expect(try scene.session(of: page, station: id) == token)
        #expect(try await page.chosenQuality() == id)
        try await eventually("one listener, of \(id)") {
          let all = try await Self.listeners(scene)
          return all.count == 1 && all[0]["station"]?.string == id
            && all[0]["session"]?.string == token
        }
        #expect(try await scene.session(token)["station"]?.string == id)
      }
      // Clock, picture and slider are those of what is heard.
      let moments = try await Self.hear(ear, seconds: 4)
      let live = try await Self.live(scene)
      let offset = try await Self.offset(scene, at: live - behind - 8)
      Self.expectClockOfSound(moments, offset: offset, "\(moments.last?.shown ?? "")")
      try await comparePlaces(page, ear, "in another quality")
      try await page.until(
        "itself among the listeners",
        "document.querySelector('#count').textContent === '1 listening'")
      // Back in time goes on in that quality.
      try await page.press("j")
      try await page.until(
        "a jump",
        "(a => /^[/]jazz-64[?].*seek=/.test(new URL(a.currentSrc).pathname + new URL(a.currentSrc).search)"
          + " && a.currentTime > 0.4)(document.querySelector('audio'))")
      try await page.press("c")
      try await page.until("a clip", "document.querySelector('#panel a[download]')")
      #expect(try page.errors() == [])
    }
  }

  @Test func `the choice is kept for the station, and the address wins`() async throws {
    try await Self.withQualities { scene in
      let page = try await scene.page("/listen/jazz?lang=en")
      try await page.choose(quality: "jazz-64")
      // Nothing plays yet: the first press plays what was chosen.
      try await page.play()
      #expect(try page.streams(of: "jazz").isEmpty && page.streams(of: "jazz-64").count == 1)
      try await page.open(scene.url("/listen/jazz"))
      try await page.play()
      #expect(try page.streams(of: "jazz").isEmpty && page.streams(of: "jazz-64").count == 2)
      // It is that station's choice alone.
      try await page.open(scene.url("/listen/news"))
      #expect(
        try await page.evaluate("document.querySelector(\"#actions use[href$='#quality']\")")
          .isNull)
      try await page.open(scene.url("/listen/jazz?bitrate=500"))
      try await page.play()
      #expect(try page.streams(of: "jazz").count == 1)
      try await page.choose(quality: "jazz-64")
      try await page.until("the address without it", "!location.search.includes('bitrate')")
      // The bar of the page of all stations plays it too.
      try await page.open(scene.url("/"))
      let before = try page.streams(of: "jazz-64").count
      try await page.click("[data-station=jazz] .button.play")
      try await eventually("its stream") { try page.streams(of: "jazz-64").count == before + 1 }
      #expect(try page.streams(of: "jazz").count == 1)
    }
  }

  @Test func `a rendition has a page of its own, which leads to the others`() async throws {
    try await Self.withQualities { scene in
      let (page, ear) = try await scene.playing("/listen/jazz-64")
      #expect(try page.streams(of: "jazz-64").count == 1)
      try await page.click("#actions button:has(use[href$='#quality'])")
      try await page.until("the choice", "document.querySelectorAll('#panel input').length === 2")
      #expect(try await page.chosenQuality() == "jazz-64")
      let token = try scene.session(of: page, station: "jazz-64")
      try await Self.change(scene, page, ear, to: "jazz", "the original")
      #expect(try scene.session(of: page) == token)
      // Without scripts there are links.
      let plain = try await scene.relay.get("/listen/jazz-64?offset=30s").text
      #expect(plain.contains("<a href=\"/listen/jazz?offset=30s\">128 kbit/s</a>"), "\(plain)")
      let chosen = try await scene.relay.get("/listen/jazz?bitrate=64").text
      #expect(chosen.contains("src=\"/jazz?bitrate=64\""))
      #expect(try page.errors() == [])
    }
  }

  @Test func `a quality's reach is told before it is chosen`() async throws {
    try await Self.withQualities { scene in
      // A past that the rendition was not made of.
      let data = try await scene.json("/api/v1/stations/jazz-64/timeline")
      let oldest = Double(try TimestampText.parse(data["oldest"]?.text("air") ?? "")) / 1e9
      let live = try await Self.live(scene)
      let behind = Int(live - oldest) + 15
      let (page, _) = try await scene.playing("/listen/jazz?offset=\(behind)s")
      try await page.click("#actions button:has(use[href$='#quality'])")
      try await page.until(
        "where it begins",
        "/^only from [0-9:]+ on$/.test(document.querySelector('#panel .choice .hint:not(:empty)')?.textContent)"
      )
    }
  }

  @Test func `a rendition that is taken away leaves the listener with the station`() async throws {
    try await Self.withScene { scene in
      func ask(_ method: String, _ path: String, _ body: String = "") async throws -> HTTPExchange {
        try await HTTPExchange(
          method, path, at: scene.relay.address,
          fields: ["Authorization: Bearer \(Scenario.token)"], body: body)
      }
      let made = #"{"id":"jazz-64","of":"jazz","encode":{"bitrate":64}}"#
      let added = try await ask("POST", "/api/v1/stations", made)
      #expect(added.status == 201, "\(added.text)")
      try await scene.relay.until("jazz-64", has: 3)
      let (page, ear) = try await scene.playing("/listen/jazz?bitrate=64")
      #expect(try page.streams(of: "jazz-64").count == 1)
      let gone = try await ask("DELETE", "/api/v1/stations/jazz-64")
      #expect(gone.status == 204, "\(gone.text)")
      try await page.until(
        "sound of the station",
        "(a => a.currentSrc && new URL(a.currentSrc).pathname === '/jazz' && a.currentTime > 1)"
          + "(document.querySelector('audio'))")
      _ = try await ear.place()
    }
  }

  @Test func `the list shows a programme once, with its qualities and all its listeners`()
    async throws
  {
    try await Self.withQualities { scene in
      let clients = try ["/jazz", "/jazz/64", "/jazz-64"].map {
        try StreamClient(to: scene.relay.address, get: $0)
      }
      for client in clients { try await client.until("audio") { $0.bodyCount > 3000 } }
      for scripts in [false, true] {
        let page = try await scene.chrome.page()
        try await page.allowScripts(scripts)
        try await page.open(scene.url("/?lang=en"))
        let ids = try await page.evaluate(
          "[...document.querySelectorAll('.card')].map((card) => card.dataset.station)")
        #expect(ids == ["jazz", "news"], "scripts: \(scripts)")
        try await page.until(
          "three listeners",
          "document.querySelector('[data-station=jazz] .count').textContent.includes('3 listening')"
        )
        try await page.close()
      }
      let manifest = try await scene.json("/listen/jazz/manifest.webmanifest")
      let shortcuts = manifest["shortcuts"]?.items.compactMap { $0["url"]?.string }
      #expect(shortcuts == ["/listen/news"])
      withExtendedLifetime(clients) {}
    }
  }
}

extension WebPage {
  /// Opens the choice of quality where it is closed, and takes one.
  fileprivate func choose(quality id: String) async throws {
    let radio = "#panel input[value='\(id)']"
    if try await evaluate("document.querySelector(\"\(radio)\")").isNull {
      try await click("#actions button:has(use[href$='#quality'])")
      try await until("the choice", "document.querySelector(\"\(radio)\")")
    }
    try await click(radio)
  }

  fileprivate func chosenQuality() async throws -> String? {
    try await evaluate("document.querySelector('#panel input:checked')?.value").string
  }
}
