import Longwave
import TestSupport
import Testing
import Wire

/// Pages as they are before any script has run.
extension WebScenarioTests {
  @Test func `pages without scripts hold everything, and the player plays`() async throws {
    try await Self.withScene { scene in
      let page = try await scene.chrome.page()
      try await page.allowScripts(false)
      try await page.open(scene.url("/"))
      #expect(
        try await page.evaluate(
          "document.querySelector('#stations a[href=\"/listen/jazz\"]').textContent"
        ).string?.contains("jazz") == true)
      try await page.open(scene.url("/listen/jazz"))
      let name = try await page.text(".station .name")
      #expect(name == "jazz")
      #expect(try await page.text("#title").wholeMatch(of: /Title [0-9]+/) != nil)
      #expect(try await page.text("#artist").wholeMatch(of: /Artist [0-9]+/) != nil)
      #expect(try await page.evaluate("document.title").string?.contains("jazz") == true)
      let audio = try await page.evaluate(
        "(a => [a.getAttribute('src'), a.controls, a.getBoundingClientRect().height > 20])"
          + "(document.querySelector('audio'))")
      #expect(audio == ["/jazz", .bool(true), .bool(true)])
      let links = try await page.evaluate(
        "[...document.querySelectorAll('#history a.from')].map(a => a.getAttribute('href'))")
      #expect(links.items.count >= 5)
      #expect(links.items.allSatisfy { $0.string?.hasPrefix("/listen/jazz?at=20") == true })
      // The element's own button, by the keyboard.
      try await page.evaluate("document.querySelector('audio').play()", asUser: true)
      try await eventually("sound") {
        try await page.evaluate("document.querySelector('audio').currentTime").double ?? 0 > 0.5
      }
      #expect(try page.errors() == [])
      #expect(try page.refusals() == [])
    }
  }

  @Test(.enabled(if: Binary.find("tidy") != nil), arguments: ["/", "/listen/jazz", "/admin/"])
  func `tidy finds nothing in a page`(path: String) async throws {
    let upstream = try await PitchStation.upstream()
    defer { upstream.stop() }
    let station = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
    try await Scenario.withRelay([station]) { relay in
      try await relay.until("jazz", has: 85)
      let answer = try await relay.get(path)
      #expect(answer.status == 200)
      let folder = TemporaryDirectory()
      folder.write("page.html", answer.body)
      let tidy = try await ChildProcess.run([
        "tidy", "-quiet", "-errors", "-utf8", folder.path + "/page.html",
      ])
      #expect(tidy.status == 0 && tidy.log.isEmpty, "\(tidy.log)\n\(answer.text)")
    }
  }

  /// What strangers may send as a title.
  private static let hostile = [
    "</script><img src=/x onerror=globalThis.hacked=1>", "\" onmouseover=\"globalThis.hacked=1",
    "right \u{202E}to left", "<!--", "&lt;b&gt; ${globalThis.hacked=1}",
    String(repeating: "M", count: 3900),
  ]

  @Test(arguments: [true, false])
  func `a hostile title is text, nothing of it runs and the layout holds`(scripts: Bool)
    async throws
  {
    let titles = Self.hostile.enumerated().map {
      FakeProgramme.TitleChange(packet: 1000 + $0.offset * 100, $0.element)
    }
    let upstream = try FakeUpstream(.numbered(before: 60, titles: titles))
    defer { upstream.stop() }
    var stream = FakeStream(burst: 50)
    stream.metaint = 1000
    upstream.reply("/live", with: .stream(stream, fields: [("icy-name", Self.hostile[0])]))
    let station = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
    let house = String(repeating: "W", count: 64)
    try await Scenario.withRelay([station], change: { $0.web.title = house }) { relay in
      try await relay.until("jazz", has: 40)
      try await eventually("all titles") {
        try await RelayAPI(address: relay.address).history("jazz").count >= Self.hostile.count
      }
      try await ChromePipe.with { chrome in
        let page = try await chrome.page()
        try await page.allowScripts(scripts)
        for (path, width) in [("/listen/jazz", 1280), ("/listen/jazz", 320), ("/", 320)] {
          try await page.resize(width: width, height: 800)
          try await page.open("http://\(relay.address)\(path)")
          try await page.until("the last title", "document.body.innerText.includes('MMMMMM')")
          if path != "/" {
            let songs = try await page.evaluate(
              "[...document.querySelectorAll('#history .song')].map(e => e.textContent.trim())")
            for title in Self.hostile.dropLast() {
              #expect(songs.items.contains { $0.string == title }, "\(title) in \(songs.text)")
            }
          }
          #expect(try await page.evaluate("typeof globalThis.hacked") == "undefined")
          let sizes = try await page.evaluate(
            "[document.documentElement.scrollWidth, innerWidth]")
          #expect(
            sizes.items[0].double ?? .infinity <= sizes.items[1].double ?? 0,
            "\(path) at \(width): \(sizes.text)")
        }
        #expect(try !page.requests().contains { $0.path == "/x" })
        #expect(try page.refusals() == [])
      }
    }
  }

  @Test func `a station that is not there has a page that leads to those that are`() async throws {
    try await Self.withScene { scene in
      for path in ["/listen/nope", "/listen/nope/embed"] {
        let answer = try await scene.relay.get(path)
        #expect(answer.status == 404)
        #expect(answer.head["Content-Type"]?.hasPrefix("text/html") == true)
      }
      let page = try await scene.chrome.page()
      try await page.open(scene.url("/listen/nope?lang=de"))
      try await page.until(
        "words", "document.querySelector('h1').textContent === 'Diesen Sender gibt es nicht'")
      try await page.click("main a")
      try await page.until("the stations", "document.querySelector('#stations .card')")
      #expect(try page.refusals() == [])
    }
  }

  @Test(arguments: [false, true])
  func `a page without known titles has no heading for them`(scripts: Bool) async throws {
    let upstream = try FakeUpstream(.numbered(before: 60))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: 50)))
    let station = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
    try await Scenario.withRelay([station]) { relay in
      try await relay.until("jazz", has: 40)
      try await ChromePipe.with { chrome in
        let page = try await chrome.page()
        try await page.allowScripts(scripts)
        try await page.open("http://\(relay.address)/listen/jazz?lang=en")
        let isShown = "document.querySelector('#played').getClientRects().length > 0"
        #expect(try await page.evaluate(isShown) == .bool(false))
        guard scripts else { return }
        try await page.settled()
        #expect(try await page.evaluate(isShown) == .bool(false))
        // The first title brings it.
        try await relay.relay.station("jazz").announce(Title(text: "Somebody - Something"))
        try await page.until("the heading", isShown)
      }
    }
  }

  @Test func `a later station that has not begun says when it does, and not that it is away`()
    async throws
  {
    let later = StationDefinition(
      id: "west", name: "West", source: .copy(of: "jazz", delay: 3000))
    try await Self.withScene(change: { settings, _ in settings.stations.append(later) }) { scene in
      let begins = try #require(try await scene.relay.station("west")["beginsAt"]?.string)
      let clock = begins.dropFirst(11).prefix(5)
      #expect(try await scene.relay.get("/listen/west").text.contains("not on air yet"))
      let page = try await scene.page("/?lang=en")
      let state = "document.querySelector('[data-station=west] .state').textContent"
      try await page.until("its beginning in the list", "\(state).endsWith('\(clock)')")
      #expect(try await page.evaluate(state).string?.hasPrefix("begins ") == true)
      try await page.open(scene.url("/listen/west?lang=en"))
      try await page.until(
        "its beginning",
        "document.querySelector('#status').textContent.startsWith('The station begins at ')"
      )
      #expect(try await page.text("#state-word").hasPrefix("begins "))
      #expect(try await page.text("#state-word").hasSuffix(clock))
      try await page.click(WebPage.playButton)
      try await page.until(
        "that it waits",
        "/^The station begins at .*, by itself/.test(document.querySelector('#status').textContent)"
      )
      #expect(try page.refusals() == [])
    }
  }
}
