import Longwave
import TestSupport
import Testing

/// The page of a station that serves files.
extension WebScenarioTests {
  /// Three files of a second each, of which the last is none.
  private static func withFiles(
    _ body: (TestRelay, ChromePipe) async throws -> Void
  ) async throws {
    let folder = TemporaryDirectory()
    let second = Array(try await offPool { PitchStation.frames }.prefix(42).joined())
    folder.write("one.mp3", second)
    folder.write("two, again.mp3", second)
    folder.write("zero.mp3", Array("nothing to hear".utf8))
    let shows = StationDefinition(id: "shows", source: .files(folder.path, throttleBypass: nil))
    let one = StationDefinition(
      id: "one", source: .files(folder.path + "/one.mp3", throttleBypass: nil))
    var members = StationDefinition(id: "members", source: shows.source)
    var auth = AuthSettings()
    auth.tokens = ["member-token"]
    members.auth = auth
    try await Scenario.withRelay([shows, one, members]) { relay in
      try await ChromePipe.with { chrome in try await body(relay, chrome) }
    }
  }

  private static let heard = "(a => a.currentTime > 0 || a.ended)(document.querySelector('audio'))"

  @Test func `a folder's page plays what is pressed, and goes on with the next file`() async throws
  {
    try await Self.withFiles { relay, chrome in
      let page = try await chrome.page()
      try await page.open("http://\(relay.address)/")
      try await page.until("cards", "document.querySelectorAll('.card .count .icon').length === 3")
      let links = try await page.evaluate(
        "[...document.querySelectorAll('.card > a')].map(a => a.getAttribute('href'))")
      #expect(links == ["/listen/shows", "/listen/one", "/listen/members"])
      let states = try await page.evaluate(
        "[...document.querySelectorAll('.card .state')].map(word => word.textContent)")
      #expect(states == ["files", "files", "files"])
      try await page.open("http://\(relay.address)/listen/shows")
      try await page.until("modules", "document.documentElement.classList.contains('js')")
      try await page.click("#files li:nth-child(1) a")
      try await page.until(
        "the second file", "document.querySelector('audio').src.endsWith('/two%2C%20again.mp3')")
      try await page.until("sound", Self.heard)
      #expect(try await page.text("#title") == "two, again")
      #expect(try await page.text("#files [aria-current] .song") == "two, again")
      // What cannot be played is said, and the others still play.
      try await page.until(
        "words", "document.querySelector('#status').textContent.includes('zero')")
      try await page.click("#files li:nth-child(1) a")
      try await page.until("sound again", Self.heard)
      #expect(try page.refusals() == [])
    }
  }

  @Test func `a file plays on while other pages are shown`() async throws {
    let folder = TemporaryDirectory()
    let minute = Array(try await offPool { PitchStation.frames }.prefix(2500).joined())
    folder.write("long.mp3", minute)
    folder.write("other.mp3", minute)
    let shows = StationDefinition(id: "shows", source: .files(folder.path, throttleBypass: nil))
    let more = StationDefinition(id: "more", source: .files(folder.path, throttleBypass: nil))
    try await Scenario.withRelay([shows, more]) { relay in
      try await ChromePipe.with { chrome in
        let page = try await chrome.page()
        try await page.open("http://\(relay.address)/listen/shows")
        try await page.until("modules", "document.documentElement.classList.contains('js')")
        try await page.click("#files li:nth-child(2) a")
        try await page.until("sound", Self.heard)
        try await page.click(".brand")
        try await page.until(
          "its bar", "document.querySelector('#bar .song')?.textContent === 'other'")
        let before =
          try await page.evaluate("document.querySelector('audio').currentTime").double ?? 0
        try await page.until(
          "more of it", "document.querySelector('audio').currentTime > \(before + 1)")
        #expect(try page.streams(of: "shows/other.mp3").count <= 2)
        try await page.click("#bar .what")
        try await page.until(
          "its page",
          "document.querySelector('main #file') && !document.querySelector('#bar .song')")
        #expect(try await page.text("#files [aria-current] .song") == "other")
        #expect(try await page.evaluate("document.querySelector('#file').paused") == .bool(false))
        #expect(try page.errors() == [])
      }
    }
  }

  @Test func `a file that cannot be played leaves the station that sounds`() async throws {
    let folder = TemporaryDirectory()
    folder.write("one.mp3", Array(try await offPool { PitchStation.frames }.prefix(420).joined()))
    folder.write("zero.mp3", Array("nothing to hear".utf8))
    try await Self.withScene(change: { configuration, _ in
      configuration.stations.append(
        StationDefinition(id: "shows", source: .files(folder.path, throttleBypass: nil)))
    }) { scene in
      let (page, _) = try await scene.playing()
      try await page.click(".brand")
      try await page.until("the list", "document.body.dataset.page === 'stations'")
      try await page.click("[data-station=shows] > a")
      try await page.until("its page", "document.body.dataset.page === 'files'")
      try await page.until("the bar", "document.querySelector('#bar .song')")
      let sounds =
        "[...document.querySelectorAll('audio')].some(a => !a.paused && a.src.includes('/jazz?'))"
      try await page.click("#files li:nth-child(2) a")
      try await page.until(
        "words", "document.querySelector('#status').textContent.includes('zero')")
      #expect(try await page.evaluate(sounds) == .bool(true))
      #expect(
        try await page.evaluate("document.querySelector('#bar .song') !== null") == .bool(true))
      // One that can be played takes the place.
      try await page.click("#files li:nth-child(1) a")
      try await page.until("the file alone", "!(\(sounds)) && \(Self.heard)")
      try await page.until("no bar", "!document.querySelector('#bar .song')")
    }
  }

  @Test func `files inside another page play in the room of the small player`() async throws {
    try await Self.withFiles { relay, chrome in
      let page = try await chrome.page()
      try await page.resize(width: 420, height: 152)
      try await page.open("http://\(relay.address)/listen/shows/embed")
      try await page.until("modules", "document.documentElement.classList.contains('js')")
      let box = try await page.evaluate(
        "(b => [b.top, b.bottom, b.width])(document.querySelector('audio').getBoundingClientRect())"
      )
      let (top, bottom) = (box.items[0].double ?? -1, box.items[1].double ?? 999)
      #expect(top > 0 && bottom <= 152 && box.items[2].double ?? 0 > 200, "\(box.text)")
      try await page.evaluate("document.querySelector('audio').play()", asUser: true)
      try await page.until(
        "the next file", "document.querySelector('#title').textContent === 'two, again'")
    }
  }

  @Test func `the dashboard has nothing to complain about a station of files`() async throws {
    try await Self.withFiles { relay, chrome in
      let page = try await chrome.page()
      try await page.open("http://\(relay.address)/admin/?lang=en#token=\(Scenario.token)")
      try await page.until("the views", "document.querySelector('nav.views')")
      try await page.evaluate("location.hash = '#stations/shows'")
      try await page.until(
        "its name", "document.querySelector('.view h1')?.textContent === 'shows'")
      try await page.until(
        "what it asks",
        "performance.getEntriesByName(location.origin + '/api/v1/recordings').length"
      )
      let alerts = try await page.evaluate(
        "[...document.querySelectorAll('[role=alert]')].map(e => e.textContent).join('')")
      #expect(alerts == "")
      #expect(try page.errors() == [])
    }
  }

  @Test func `the place in a file is there again at the next visit`() async throws {
    let folder = TemporaryDirectory()
    let minute = Array(try await offPool { PitchStation.frames }.prefix(60 * 42).joined())
    folder.write("first.mp3", minute)
    folder.write("long.mp3", minute)
    let shows = StationDefinition(id: "shows", source: .files(folder.path, throttleBypass: nil))
    try await Scenario.withRelay([shows]) { relay in
      try await ChromePipe.with { chrome in
        let page = try await chrome.page()
        let address = "http://\(relay.address)/listen/shows"
        try await page.open(address)
        try await page.until("modules", "document.documentElement.classList.contains('js')")
        try await page.click("#files li:nth-child(2) a")
        try await page.until("sound", Self.heard)
        try await page.evaluate("document.querySelector('audio').currentTime = 30")
        try await page.until("its middle", "document.querySelector('audio').currentTime > 30.5")
        try await page.open(address)
        try await page.until("its name", "document.querySelector('#title').textContent === 'long'")
        try await page.evaluate("document.querySelector('audio').play()", asUser: true)
        try await page.until("the same place", Self.heard)
        let place = try await page.evaluate("document.querySelector('audio').currentTime")
        #expect((29..<50).contains(place.double ?? 0), "\(place)")
      }
    }
  }

  @Test func `a page of files without scripts has links, and one file has an element`() async throws
  {
    try await Self.withFiles { relay, chrome in
      let page = try await chrome.page()
      try await page.allowScripts(false)
      for station in ["shows", "one"] {
        try await page.open("http://\(relay.address)/listen/\(station)")
        try await page.evaluate("document.querySelector('audio').play()", asUser: true)
        try await page.until("sound of \(station)", Self.heard)
      }
      try await page.open("http://\(relay.address)/listen/shows")
      let links = try await page.evaluate(
        "[...document.querySelectorAll('#files a')].map(a => a.getAttribute('href'))")
      var statuses: [Int] = []
      for link in links.items.compactMap(\.string) {
        statuses.append(try await relay.get(link).status)
      }
      // The last one holds no audio.
      #expect(statuses.prefix(2) == [200, 200] && statuses.count == 3, "\(links.text)")
      try await page.open("http://\(relay.address)/listen/members")
      #expect(try await page.text("#hidden-files").isEmpty == false)
    }
  }
}
