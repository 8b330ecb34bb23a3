import Longwave
import Server
import TestSupport
import Testing
import Wire

/// Stations with `auth:` on the list and on their pages.
extension WebScenarioTests {
  /// anna:secret
  private static let user =
    "anna:$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a\n"

  /// A scene whose station "jazz" is for members.
  private static func withMembers(
    _ change: (inout AuthSettings) -> Void, _ body: (Scene) async throws -> Void
  ) async throws {
    var auth = AuthSettings()
    change(&auth)
    let given = auth
    try await withScene(change: { configuration, _ in
      for index in configuration.stations.indices where configuration.stations[index].id == "jazz" {
        configuration.stations[index].auth = given
      }
    }) { try await body($0) }
  }

  private static let asks = "document.querySelector('#members form.row button.primary') !== null"
  private static let isOpen = "document.querySelector('#members').hidden"

  private static func type(_ text: String, into field: String, of page: WebPage) async throws {
    try await page.evaluate(
      "(field => { field.value = \(WebPage.quoted(text)); })(document.querySelector('#members-\(field)'))"
    )
  }

  /// Tries what is wrong, which is said, then what is right, which plays.
  private static func open(
    _ page: WebPage, by field: String, wrong: String, right: String
  ) async throws {
    try await type(wrong, into: field, of: page)
    try await page.click("#members .button.primary")
    try await page.until(
      "that it is wrong",
      "document.querySelector('#members [role=status]').textContent.startsWith('That does not')")
    try await type(right, into: field, of: page)
    try await page.click("#members .button.primary")
    try await page.until("sound", "document.documentElement.dataset.engine === 'playing'")
  }

  @Test
  func `a station for members asks for a key, says when it is wrong, and plays with the right one`()
    async throws
  {
    try await Self.withMembers({ $0.tokens = ["key-of-jazz"] }) { scene in
      let list = try await scene.page("/?lang=de")
      try await list.until(
        "a lock",
        "document.querySelector('[data-station=jazz] .lock')?.textContent === 'Nur für Mitglieder'")
      #expect(
        try await list.evaluate("document.querySelector('[data-station=news] .lock')") == .null)
      let page = try await scene.page()
      try await page.until("the question", Self.asks)
      // A press on play leads to the field.
      try await page.click(WebPage.playButton)
      try await page.until("the field", "document.activeElement?.id === 'members-key'")
      #expect(try page.streams(of: "jazz").isEmpty)
      #expect(try await page.text("#status") == "Enter your key to listen.")
      try await Self.open(page, by: "key", wrong: "key-of-rock", right: "key-of-jazz")
      #expect(try await page.evaluate(Self.isOpen) == .bool(true))
      #expect(
        try await page.evaluate("document.querySelector('.elsewhere a').search")
          == "?token=key-of-jazz")
      #expect(try await page.evaluate("localStorage.getItem('key:jazz')") == "")
      // The tab knows it still, another one does not.
      try await page.reload()
      try await page.until("it is open", Self.isOpen)
      let other = try await scene.page()
      try await other.until("the question", Self.asks)
      try await other.click("#members [name=keep]")
      try await Self.type("key-of-jazz", into: "key", of: other)
      try await other.click("#members .button.primary")
      try await other.until("it is open", Self.isOpen)
      let third = try await scene.page()
      try await third.until("it is open", Self.isOpen)
    }
  }

  @Test func `a station with users asks for a name and a password`() async throws {
    let folder = TemporaryDirectory()
    _ = folder.write("users", Array(Self.user.utf8))
    try await Self.withMembers({ $0.passwordFile = folder.path + "/users" }) { scene in
      let page = try await scene.page()
      try await page.until("the question", Self.asks)
      try await Self.type("anna", into: "user", of: page)
      try await Self.open(page, by: "password", wrong: "Secret", right: "secret")
      let streams = try page.streams(of: "jazz")
      #expect(streams.allSatisfy { $0.path.contains("token=") && !$0.path.contains("secret") })
    }
  }

  @Test func `a key of the address opens, and without scripts a form makes such an address`()
    async throws
  {
    try await Self.withMembers({ $0.tokens = ["key-of-jazz"] }) { scene in
      let page = try await scene.page("/listen/jazz?token=key-of-jazz")
      try await page.until("it is open", Self.isOpen)
      try await page.play()
      let plain = try await scene.chrome.page()
      try await plain.allowScripts(false)
      try await plain.open(scene.url("/"))
      #expect(try await plain.text("[data-station=jazz] .lock") == "Members only")
      try await plain.open(scene.url("/listen/jazz"))
      #expect(try await plain.text("#members h2") == "Members only")
      #expect(
        try await plain.evaluate(
          "(form => [form.method, form.getAttribute('action'), form.querySelector('input').name])"
            + "(document.querySelector('#members form'))") == ["get", "/listen/jazz", "token"])
    }
  }

  @Test func `who may not listen is told why, by the relay's own reason`() async throws {
    try await Self.withScene(change: { configuration, _ in
      configuration.stations[0].access.denyAgents = [Glob("*Chrome*")]
    }) { scene in
      let page = try await scene.page()
      try await page.click(WebPage.playButton)
      try await page.until(
        "the reason",
        "document.querySelector('#status').textContent === 'Listening is not allowed with this browser.'"
      )
    }
  }

  @Test(.enabled(if: axe != nil, "deploy/setup test fetches axe-core"))
  func `axe finds nothing where a station asks for what opens it`() async throws {
    try await Self.withMembers({
      $0.tokens = ["key-of-jazz"]
      $0.addURL = "http://127.0.0.1:1/"
    }) { scene in
      let page = try await scene.chrome.page()
      for (theme, width) in [("dark", 1280), ("light", 320)] {
        try await page.resize(width: width, height: 800)
        try await page.prefer(["prefers-color-scheme": theme])
        for path in ["/", "/listen/jazz"] {
          try await page.open(scene.url(path))
          try await page.settled()
          try await page.evaluate(Self.axe!)
          #expect(try await Self.violations(in: page) == [], "\(path) \(theme)")
          let sizes = try await page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
          #expect(
            sizes.items[0].double ?? .infinity <= sizes.items[1].double ?? 0,
            "\(path) \(width): \(sizes.text)")
        }
      }
    }
  }
}
