import Longwave
import TestSupport
import Testing

/// What is on air, and what was, on another site's page.
extension WebScenarioTests {
  private static func announce(_ title: String, in scene: Scene) async throws {
    let told = try await HTTPExchange(
      "PUT", "/api/v1/stations/jazz/metadata", at: scene.relay.address,
      fields: ["Authorization: Bearer \(Scenario.token)", "Content-Type: application/json"],
      body: "{\"title\":\(JSON.string(title).text),\"artist\":\"Somebody\"}")
    #expect(told.status == 200)
  }

  @Test func `a page of another site shows what is on air, and follows it`() async throws {
    try await Self.withScene { scene in
      let page = try await scene.chrome.page()
      let host =
        "<!doctype html><link rel=icon href='data:,'><meta charset=utf-8><title>Host</title><body>"
        + "<longwave-player station=jazz show=now lang=de></longwave-player>"
        + "<longwave-player id=past station=jazz show=history titles=3></longwave-player>"
        + "<script type=module src='\(scene.url("/assets/player-element.js"))'></script>"
      scene.upstream.reply("/host", with: .file(Array(host.utf8), mediaType: "text/html"))
      try await page.open(scene.upstream.url("/host"))
      let frames =
        "[...document.querySelectorAll('longwave-player')].map(e => e.shadowRoot.querySelector('iframe'))"
      try await page.until("two frames", "\(frames).every(f => f.src.includes('show='))")
      let now = try await page.innerFrame(of: "/listen/jazz/embed")
      try await now.until(
        "a title", "document.querySelector('#title')?.textContent.startsWith('Title')")
      try await Self.announce("<b>New & fresh", in: scene)
      try await now.until(
        "the new title", "document.querySelector('#title').textContent === '<b>New & fresh'")
      #expect(try await now.text("#artist") == "Somebody")
      // The page around makes as much room as the list needs.
      try await page.until(
        "the height of three rows", "(h => h > 120 && h < 260)(Number(\(frames)[1].height))")
      #expect(try await page.evaluate("Number(\(frames)[0].height) < 120") == .bool(true))
      #expect(try page.errors() == [])
      #expect(try page.refusals() == [])
    }
  }

  @Test func `the list of titles grows at its top, keeps its length and the focus`() async throws {
    try await Self.withScene { scene in
      let page = try await scene.page("/listen/jazz/embed?show=history&titles=4")
      let first = "document.querySelector('#history li:first-child .song').textContent"
      try await page.until("rows", "document.querySelectorAll('#history li').length === 4")
      let link = try await page.evaluate(
        "document.querySelector('#history a').getAttribute('href')")
      #expect(link.string?.hasPrefix("/listen/jazz?at=20") == true)
      try await page.press("Tab")
      try await page.press("Tab")
      let focused = "document.activeElement.closest('li')?.dataset.position"
      let before = try await page.evaluate(focused).string
      #expect(before != nil)
      try await Self.announce("The newest", in: scene)
      try await page.until("the newest", "\(first) === 'The newest'")
      let count = try await page.evaluate("document.querySelectorAll('#history li').length")
      #expect(count.integer == 4)
      #expect(try await page.evaluate(focused).string == before)
      #expect(try page.errors() == [])
      #expect(try page.refusals() == [])
      // A hidden frame asks for nothing.
      #expect(try page.requests().count { $0.kind == "EventSource" } == 1)
    }
  }

  @Test
  func `titles for other pages are there without scripts, and no more of them than there are`()
    async throws
  {
    try await Self.withScene { scene in
      let page = try await scene.chrome.page()
      try await page.allowScripts(false)
      try await page.open(scene.url("/listen/jazz/embed?show=now&theme=light"))
      #expect(try await page.text("#title").hasPrefix("Title"))
      #expect(try await page.text(".state") == "on air")
      #expect(try await page.evaluate("document.documentElement.dataset.theme") == "light")
      #expect(try await page.evaluate("document.querySelector('audio')") == .null)
      for (query, most) in [("&titles=2", 2), ("&titles=999", 10), ("&titles=x", 10), ("", 10)] {
        try await page.open(scene.url("/listen/jazz/embed?show=history\(query)"))
        let count = try await page.evaluate("document.querySelectorAll('#history li').length")
        #expect((1...most).contains(count.integer ?? 0), "\(query): \(count.text)")
      }
      // What is no kind of them is the player.
      try await page.open(scene.url("/listen/jazz/embed?show=other"))
      #expect(try await page.evaluate("Boolean(document.querySelector('audio'))") == .bool(true))
    }
  }

  @Test(.enabled(if: axe != nil, "deploy/setup test fetches axe-core"))
  func `axe finds nothing in titles for other pages`() async throws {
    try await Self.withScene { scene in
      let page = try await scene.chrome.page()
      for kind in ["now", "history"] {
        for theme in ["dark", "light"] {
          for width in [640, 240] {
            try await page.resize(width: width, height: 400)
            try await page.open(scene.url("/listen/jazz/embed?show=\(kind)&theme=\(theme)"))
            try await page.settled()
            try await page.evaluate(Self.axe!)
            #expect(try await Self.violations(in: page) == [], "\(kind), \(theme), \(width)")
            let sizes = try await page.evaluate(
              "[document.documentElement.scrollWidth, innerWidth]")
            #expect(sizes.items[0].double ?? .infinity <= sizes.items[1].double ?? 0)
          }
        }
      }
    }
  }

  @Test func `titles are framed by whom web.embed allows`() async throws {
    try await Self.withScene(change: { configuration, _ in
      configuration.web.embedders = ["https://example.org"]
    }) { scene in
      for kind in ["now", "history"] {
        let answer = try await scene.relay.get("/listen/jazz/embed?show=\(kind)")
        #expect(
          answer.head["content-security-policy"]?.contains("frame-ancestors https://example.org")
            == true)
        #expect(!answer.text.contains("<audio"))
      }
    }
  }

  @Test func `the share dialog gives the code of the titles, too`() async throws {
    try await Self.withScene { scene in
      let page = try await scene.page("/listen/jazz?lang=en")
      try await page.settled()
      try await page.press("s")
      try await page.until("the code", "document.querySelector('.code')")
      let code = "document.querySelector('.code').value"
      for (show, frame, element) in [
        ("now", "/listen/jazz/embed?show=now\" width=\"100%\" height=\"96\"", "show=\"now\""),
        ("history", "/listen/jazz/embed?show=history\"", "show=\"history\""),
      ] {
        try await page.evaluate(
          "(s => { s.value = '\(show)'; s.dispatchEvent(new Event('change')); })(document.querySelector('.more select'))"
        )
        try await page.evaluate("document.querySelector('[name=embed][value=frame]').click()")
        #expect(try await page.evaluate(code).string?.contains(frame) == true)
        try await page.evaluate("document.querySelector('[name=embed][value=element]').click()")
        #expect(try await page.evaluate(code).string?.contains(element) == true)
      }
    }
  }
}
