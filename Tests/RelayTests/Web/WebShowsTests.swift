import Longwave
import TestSupport
import Testing

/// What is on air by name, and what was recorded of it.
extension WebScenarioTests {
  /// A station whose show "Before" ended at a full minute that is in its window, where "After" began.
  struct ShowScene {
    let scene: Scene
    /// Unix seconds.
    let begin: Int

    static let id = "radio"

    /// - Parameter isRecorded: Whether the relay records "After".
    init(_ scene: Scene, isRecorded: Bool = false) async throws {
      self.scene = scene
      begin = try await Int(WebScenarioTests.live(scene)) / 60 * 60
      let hour = 3600
      let shows = [
        show("Before", from: begin - 2 * hour, to: begin),
        show("After", from: begin, to: begin + 2 * hour, isRecorded ? #","record":true"# : ""),
        show("Late", from: begin + 3 * hour, to: begin + 4 * hour),
      ]
      let body = """
        {"id":"\(Self.id)","upstream":["\(scene.upstream.url("/live"))"],"timeZone":"+00:00",
        "shows":[\(shows.joined(separator: ","))]}
        """
      let answer = try await HTTPExchange(
        "POST", "/api/v1/stations", at: scene.relay.address,
        fields: ["Authorization: Bearer \(Scenario.token)", "Content-Type: application/json"],
        body: body)
      #expect(answer.status == 201, "\(answer.text)")
      try await scene.relay.until(Self.id, has: 85)
    }

    private func show(_ name: String, from: Int, to: Int, _ rest: String = "") -> String {
      #"{"name":"\#(name)","from":"\#(clock(from))","to":"\#(clock(to))"\#(rest)}"#
    }

    /// The time of day, such as 18:03.
    func clock(_ seconds: Int) -> String {
      let minutes = seconds / 60 % 1440
      let text = [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
      return text.joined(separator: ":")
    }

    func told() async throws -> JSON { try await scene.json("/api/v1/stations/\(Self.id)/shows") }

    /// Waits until so many seconds of "After" are recorded.
    func until(recorded seconds: Double) async throws {
      try await eventually("\(seconds) s of a recording", within: 120) {
        try await told()["recordings"]?.items.first?["seconds"]?.double ?? 0 >= seconds
      }
    }
  }

  private static let album = "navigator.mediaSession.metadata?.album ?? ''"
  private static let line = "(document.querySelector('#show-line span')?.textContent ?? '')"

  @Test func `what is heard has its show's name, and a key leads to the show's beginning`()
    async throws
  {
    try await Self.withScene { scene in
      let shows = try await ShowScene(scene)
      let page = try await scene.page("/listen/\(ShowScene.id)")
      // Behind midnight its day stands in front.
      let next = shows.clock(shows.begin + 3 * 3600)
      let began = "After · began \(shows.clock(shows.begin))"
      try await page.until(
        "the show and the next",
        "\(Self.line).startsWith('\(began) · next: Late ') && \(Self.line).endsWith('\(next)')")
      let ear = try await WebEar(page)
      try await page.play()
      try await page.until("its name on the lock screen", "(\(Self.album)).startsWith('After')")

      try await page.press("a")
      try await page.until("its beginning", "\(Self.line) === '\(began)'")
      try await page.until(
        "sound from there", "(a => a.currentTime > 1 && !a.paused)(document.querySelector('audio'))"
      )
      let heard = try await ear.place()
      let due = try await scene.place(onAir: Double(shows.begin), of: ShowScene.id)
      let off = PitchStation.distance((heard.place ?? 0) - heard.current, from: due)
      #expect(abs(off) < 0.3, "\(off)")

      // What began before the window has no way to its beginning.
      for _ in 0..<2 { try await page.press("ArrowLeft") }
      try await page.until("the show before", "\(Self.line).startsWith('Before · began ')")
      try await page.until("no way", "document.querySelector('#show-line button').hidden")
      try await page.until("its name there", "(\(Self.album)).startsWith('Before')")
      #expect(try page.errors() == [])
      #expect(try page.refusals() == [])
    }
  }

  @Test func `the strip and the list name a station's shows`() async throws {
    try await Self.withScene { scene in
      _ = try await ShowScene(scene)
      let page = try await scene.page("/listen/\(ShowScene.id)")
      try await page.until("the shows", "\(Self.line).startsWith('After')")
      let (x, y) = try await page.middle(of: ".track.tall")
      let box = try await page.evaluate(
        "document.querySelector('.track').getBoundingClientRect().left")
      let left = (box.double ?? 0) + 8
      for (name, at) in [("Before", left), ("After", 2 * x - left)] {
        try await page.mouse("mouseMoved", at, y)
        try await page.until(
          name, "document.querySelector('.card-hover').textContent.includes('\(name)')")
      }
      try await page.open(scene.url("/"))
      let note = "document.querySelector('[data-station=\(ShowScene.id)] .later')?.textContent"
      try await page.until("the name in the list", "\(note) === 'After'")
      #expect(try page.errors() == [])
    }
  }

  @Test func `a recording plays on from page to page, and is gone on with at the next visit`()
    async throws
  {
    try await Self.withScene { scene in
      let shows = try await ShowScene(scene, isRecorded: true)
      try await shows.until(recorded: 40)
      let page = try await scene.page("/listen/\(ShowScene.id)")
      try await page.until(
        "the way", "document.querySelector('#show-line a')?.textContent === 'Listen again'")
      try await page.evaluate("globalThis.isSame = true")
      try await page.click("#show-line a")
      try await page.until("its page", "document.querySelector('.again [data-recording] .from')")
      try await page.click(".again [data-recording] .from")
      let sounds = "(a => !a.paused && a.currentTime > 1)(document.querySelector('audio'))"
      try await page.until("sound", sounds)
      try await page.until("its show on the lock screen", "\(Self.album) === 'After'")
      try await page.until("a chapter", "document.querySelector('.chapters [aria-current]')")
      let chapter = ".chapters li:nth-child(2) button"
      let title = try await page.text("\(chapter) .song")
      try await page.click(chapter)
      try await page.until(
        "its title", "document.querySelector('#title').textContent === \(WebPage.quoted(title))")
      let (before, at) = try await Self.progress(page)

      try await page.click(".station .name")
      try await page.until("the player", "document.body.dataset.page === 'listen'")
      try await page.until("the bar", "document.querySelector('#bar .where')")
      #expect(try await page.text("#bar .where").hasPrefix("After"))
      try await page.click("#bar .what")
      try await page.until("the page of shows", "document.body.dataset.page === 'shows'")
      try await page.until("no bar", "!document.querySelector('#bar .song')")
      let (after, then) = try await Self.progress(page)
      #expect(abs((after - before) - (then - at)) < 0.3)
      #expect(try await page.evaluate("globalThis.isSame") == .bool(true))

      try await page.evaluate("document.querySelector('audio').currentTime = 12")
      try await page.until(
        "that place", "(c => c > 12.2 && c < 30)(document.querySelector('audio').currentTime)")
      try await page.evaluate("document.querySelector('audio').pause()")
      try await page.open(scene.url("/listen/\(ShowScene.id)/shows"))
      try await page.until(
        "its place", "document.querySelector('.again .by')?.textContent.startsWith('Go on, 0:1')")
      try await page.click(".again [data-recording] .from")
      try await page.until("sound from there", "document.querySelector('audio').currentTime > 12")
      #expect(try page.errors() == [])
      #expect(try page.refusals() == [])
    }
  }

  @Test func `a recording that grew plays what came since, and an alarm of its station rings`()
    async throws
  {
    try await Self.withScene { scene in
      let shows = try await ShowScene(scene, isRecorded: true)
      try await shows.until(recorded: 6)
      let page = try await scene.page("/listen/\(ShowScene.id)/shows")
      try await page.click(".again [data-recording] .from")
      let sounds = "(a => !a.paused && a.currentTime > 0.2)(document.querySelector('audio'))"
      try await page.until("sound", sounds)
      let length = try await page.evaluate("document.querySelector('audio').duration").double ?? 0
      try await shows.until(recorded: length + 6)
      // The page learns of it when it is opened again; the sound goes on meanwhile.
      try await page.click(".station .name")
      try await page.until("the player", "document.body.dataset.page === 'listen'")
      try await page.click("#bar .what")
      try await page.until("the page of shows", "document.querySelector('.again [aria-current]')")
      try await page.evaluate(
        "(a => a.currentTime = Math.max(a.currentTime, a.duration - 0.5))(document.querySelector('audio'))"
      )
      try await page.until(
        "what came since",
        "(a => !a.paused && a.currentTime > \(length + 0.5))(document.querySelector('audio'))")

      try await page.click(".station .name")
      try await page.until("the player", "document.querySelector('#controls button.play')")
      try await page.setAlarm(in: 8)
      try await page.click("#show-line a")
      try await page.until("the page of shows", "document.querySelector('.again [aria-current]')")
      try await page.evaluate("document.querySelector('main audio').pause()")
      try await page.until(
        "the alarm",
        "[...document.querySelectorAll('audio')].some(a => !a.paused && a.src.includes('seek=live'))"
      )
      #expect(try page.errors() == [])
    }
  }

  /// `currentTime` of what sounds, and the page's clock, in seconds.
  private static func progress(_ page: WebPage) async throws -> (Double, Double) {
    let both = try await page.evaluate(
      "[document.querySelector('audio:not(#audio)').currentTime, performance.now() / 1000]")
    return (both.items[0].double ?? 0, both.items[1].double ?? 0)
  }

  @Test func `a page of shows without recordings says so, and has the week`() async throws {
    try await Self.withScene { scene in
      let shows = try await ShowScene(scene)
      let page = try await scene.page("/listen/\(ShowScene.id)/shows")
      try await page.until(
        "words", "document.querySelector('.again .none')?.textContent.startsWith('Nothing')")
      let now = try await page.text(".week [aria-current]")
      #expect(now.contains("After") && now.contains(shows.clock(shows.begin)), "\(now)")
      try await page.open(scene.url("/listen/\(ShowScene.id)/shows?lang=de"))
      try await page.until("German", "document.querySelector('h1').textContent === 'Sendungen'")
      let heads = try await page.evaluate(
        "[...document.querySelectorAll('h1, h2')].map(one => one.textContent)")
      #expect(Set(heads.items.map(\.text)).count == heads.items.count, "\(heads.text)")
      #expect(try page.errors() == [])
    }
  }

  @Test func `times of a station say by which clock, where the reader's is another one`()
    async throws
  {
    try await Self.withScene { scene in
      _ = try await ShowScene(scene)
      let notes =
        "[...document.querySelectorAll('.zone')].map(one => one.textContent).filter(one => one.startsWith('Times: ')).length"
      let pages = [
        ("/listen/\(ShowScene.id)", "#show-line a", 1),
        ("/listen/\(ShowScene.id)/shows", ".week li", 2),
        ("/listen/\(ShowScene.id)/embed?show=history", "#history li", 1),
        ("/listen/\(ShowScene.id)/embed", "#controls button", 1),
      ]
      for (zone, isOther) in [("America/New_York", true), ("Africa/Abidjan", false)] {
        let page = try await scene.chrome.page()
        try await page.call("Emulation.setTimezoneOverride", ["timezoneId": .string(zone)])
        for (path, ready, count) in pages {
          try await page.open(scene.url(path))
          try await page.until("\(path)", "document.querySelector('\(ready)')")
          try await page.until(
            "its clock in \(path), \(zone)", within: 15, "\(notes) === \(isOther ? count : 0)")
        }
        #expect(try page.errors() == [])
      }
      // Without scripts nobody knows the reader's.
      for path in ["", "/shows"] {
        let plain = try await scene.relay.get("/listen/\(ShowScene.id)\(path)").text
        #expect(plain.contains("Times: +00:00"))
      }
    }
  }

  @Test(.enabled(if: axe != nil, "deploy/setup test fetches axe-core"))
  func `axe finds nothing in shows, dark or light, wide or narrow`() async throws {
    try await Self.withScene { scene in
      let shows = try await ShowScene(scene, isRecorded: true)
      try await shows.until(recorded: 5)
      let page = try await scene.chrome.page()
      for (theme, width) in [("dark", 320), ("light", 1280)] {
        try await page.resize(width: width, height: 800)
        try await page.prefer(["prefers-color-scheme": theme])
        for path in ["/listen/\(ShowScene.id)", "/listen/\(ShowScene.id)/shows"] {
          try await page.open(scene.url(path))
          try await page.until("its shows", "document.querySelector('#show-line a, .again .from')")
          try await page.evaluate(Self.axe!)
          #expect(try await Self.violations(in: page) == [], "\(path), \(theme), \(width)")
          let sizes = try await page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
          #expect(
            sizes.items[0].double ?? .infinity <= sizes.items[1].double ?? 0, "\(sizes.text)")
        }
      }
    }
  }
}
