import Longwave
import TestSupport
import Testing

/// The small player on another site's page, whose origin is not the relay's.
extension WebScenarioTests {
  /// The address of a page of the upstream, whose origin is another one.
  static func host(_ body: String, at upstream: FakeUpstream) -> String {
    // An icon of its own, since a browser looks for one.
    let page =
      "<!doctype html><link rel=icon href='data:,'><meta charset=utf-8><title>Host</title><body>\(body)"
    upstream.reply("/host", with: .file(Array(page.utf8), mediaType: "text/html"))
    return upstream.url("/host")
  }

  /// The player's element, and what it told so far in `told`.
  static func element(of relay: TestRelay) -> String {
    """
    <script>
      var told = [];
      addEventListener("longwave-state", (event) => told.push(event.detail));
    </script>
    <longwave-player station="jazz" theme="dark"></longwave-player>
    <script type="module" src="http://\(relay.address)/assets/player-element.js"></script>
    """
  }

  private static let player = "document.querySelector('longwave-player')"
  private static let isPlaying = "told.at(-1)?.state === 'playing'"

  /// Clicks the play button of the small player in the page's only frame, which begins at a place of the page.
  private static func pressPlay(on page: WebPage, frame: String) async throws {
    let inner = try await page.innerFrame(of: "/listen/jazz/embed")
    let button = try await inner.middle(of: WebPage.playButton)
    let corner = try await page.evaluate(
      "(box => [box.x, box.y])(\(frame).getBoundingClientRect())"
    ).items.compactMap(\.double)
    let (x, y) = (corner[0] + button.x, corner[1] + button.y)
    for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
      try await page.mouse(kind, x, y)
    }
  }

  @Test func `the small player plays, seeks and tells on another site`() async throws {
    try await Self.withScene { scene in
      let page = try await scene.chrome.page()
      try await page.open(Self.host(Self.element(of: scene.relay), at: scene.upstream))
      try await Self.pressPlay(
        on: page, frame: "\(Self.player).shadowRoot.querySelector('iframe')")
      try await page.until("word that it plays", Self.isPlaying)
      try await page.until("a title", "told.at(-1).title?.startsWith('Title')")
      #expect(try await page.evaluate("told.at(-1).behind").double ?? 99 < 20)

      let before = try await page.evaluate("told.at(-1).air").string ?? ""
      try await page.evaluate("\(Self.player).seek(Date.parse('\(before)') - 60000)")
      try await page.until(
        "the place a minute before",
        "\(Self.isPlaying) && Math.abs(Date.parse(told.at(-1).air) - Date.parse('\(before)') + 60000) < 10000"
      )
      #expect(try await page.evaluate("\(Self.player).state.behind > 40") == .bool(true))
      let stream = try #require(try page.requests().last { $0.path.hasPrefix("/jazz?") })
      let token = try #require(stream.path.firstMatch(of: /[?&]session=([A-Za-z0-9_-]+)/)).1
      let offset = try await scene.session(String(token))["offset"]?.double ?? 0
      #expect((40...80).contains(offset), "the relay says \(offset) s behind live")

      try await page.evaluate("\(Self.player).pause()")
      try await page.until("word that it is paused", "told.at(-1).state === 'paused'")
      try await page.evaluate("\(Self.player).live()")
      try await page.until("live again", "\(Self.isPlaying) && told.at(-1).behind < 20")
      #expect(try page.errors() == [])
    }
  }

  @Test func `the small player obeys the page around it and no other window`() async throws {
    try await Self.withScene { scene in
      let page = try await scene.chrome.page()
      let frame =
        "<iframe id=player width=600 height=152 allow=autoplay src='\(scene.url("/listen/jazz/embed"))'>"
      let script = """
        <script>
          const told = [];
          addEventListener("message", ({data}) => data?.longwave === 1 && told.push(data));
        </script>
        """
      try await page.open(
        Self.host(
          "\(script)\(frame)</iframe><iframe id=other srcdoc='<p>other'></iframe>",
          at: scene.upstream))
      try await Self.pressPlay(on: page, frame: "document.querySelector('#player')")
      try await page.until("word that it plays", Self.isPlaying)
      // The sender of a message is the window whose script sends it.
      let order = "parent.frames[0].postMessage({longwave: 1, do: 'pause'}, '*')"
      try await page.evaluate(
        "new (document.querySelector('#other').contentWindow.Function)(\"\(order)\")()")
      let count = try await page.evaluate("told.length").integer ?? 0
      try await page.until("its next word", "told.length > \(count)")
      #expect(try await page.evaluate(Self.isPlaying) == .bool(true))
      // The same message of the page around is obeyed, so the one above could have been.
      try await page.evaluate(
        "document.querySelector('#player').contentWindow.postMessage({longwave: 1, do: 'pause'}, '*')"
      )
      try await page.until("word that it is paused", "told.at(-1).state === 'paused'")
    }
  }

  @Test func `the dashboard and the whole player refuse to be framed`() async throws {
    try await Self.withScene { scene in
      for path in ["/admin/", "/listen/jazz", "/"] {
        let page = try await scene.chrome.page()
        try await page.open(
          Self.host("<iframe src='\(scene.url(path))'></iframe>", at: scene.upstream))
        try await eventually("the browser's word") {
          try page.errors().contains { $0.contains("frame-ancestors") }
        }
        await #expect(throws: TimeIsUp.self, "\(path)") {
          _ = try await page.innerFrame(of: path, within: 1)
        }
      }
    }
  }
}
