import Foundation
import Longwave
import TestSupport
import Testing
import Wire

/// The dashboard: what is done in it happens to the relay, which is asked by itself.
extension WebScenarioTests {
  /// A tab with a dashboard that is signed in, at one of its views.
  static func dashboard(_ scene: Scene, _ view: String = "overview") async throws -> WebPage {
    let page = try await scene.page("/admin/?lang=en#token=\(Scenario.token)")
    try await page.until("the views", "document.querySelector('nav.views')")
    try await page.show(view)
    return page
  }

  /// A row of somebody who listens still.
  private static let listening = "tbody tr:not(.gone)"

  private static func listeners(_ scene: Scene) async throws -> [JSON] {
    try await scene.json("/api/v1/listeners")["listeners"]?.items ?? []
  }

  @Test func `a wrong token is told from the right one, and twenty wrong ones end the guessing`()
    async throws
  {
    try await Self.withScene { scene in
      let page = try await scene.page("/admin/?lang=en")
      try await page.signIn("wrong")
      #expect(try await page.text("#login-trouble").contains("not the admin token"))
      // The same guess counts once.
      for number in 0..<20 { try await page.signIn("wrong \(number)") }
      #expect(try await page.text("#login-trouble").contains("Too many wrong tokens"))
    }
  }

  // Of 320 pixels a scroll bar takes 15.
  @Test(arguments: ["en", "de", "fr", "es", "nb", "zh"])
  func `the log-in fits the narrowest phone`(language: String) async throws {
    try await Self.withScene { scene in
      let page = try await scene.page("/admin/?lang=\(language)")
      try await page.resize(width: 305, height: 640)
      try await page.until("the question", "document.querySelector('#token')")
      let sizes = try await page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
      #expect(
        sizes.items[0].double ?? .infinity <= sizes.items[1].double ?? 0, "\(sizes.text)")
    }
  }

  @Test func `the dashboard is no wider than the narrowest phone`() async throws {
    try await Self.withScene { scene in
      let page = try await scene.page("/admin/?lang=en")
      try await page.signIn(Scenario.token)
      try await page.show("stations")
      try await page.resize(width: 320, height: 844, isPhone: true)
      try await page.until("its width", "document.scrollingElement.scrollWidth <= 320")
    }
  }

  @Test func `the right token shows the stations, and no trace of it outlives the tab`()
    async throws
  {
    try await Self.withScene { scene in
      let page = try await scene.page("/admin/?lang=en")
      try await page.signIn(Scenario.token)
      try await page.show("stations")
      try await page.until("both", "document.querySelectorAll('.view tbody tr').length === 2")
      #expect(try page.requests().allSatisfy { !$0.url.contains(Scenario.token) })
      #expect(try await page.evaluate("location.href").string?.contains(Scenario.token) == false)
      try await page.close()
      let next = try await scene.page("/admin/?lang=en")
      try await next.until("the question", "document.querySelector('#token')")
      let kept = try await next.evaluate(
        "JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])")
      #expect(kept.string?.contains(Scenario.token) == false)
    }
  }

  @Test func `a link signs in one tab, and says so to the next`() async throws {
    try await Self.withScene { scene in
      let made = try await HTTPExchange(
        "POST", "/api/v1/dashboard", at: scene.relay.address,
        fields: ["Authorization: Bearer \(Scenario.token)"])
      let code = try #require(JSON.parse(made.body)?["code"]?.string)
      let page = try await scene.page("/admin/?lang=en#code=\(code)")
      try await page.until("the views", "document.querySelector('nav.views')")
      #expect(try await page.evaluate("location.hash").string == "")
      let other = try await scene.chrome.page()
      try await other.open(scene.url("/admin/?lang=en#code=\(code)"))
      try await other.until("the question", "document.querySelector('#token')")
      #expect(try await other.text("#login-trouble").contains("older than a minute"))
    }
  }

  @Test func `times are the relay's, wherever the browser is`() async throws {
    try await Self.withScene { scene in
      let page = try await scene.chrome.page()
      try await page.call("Emulation.setTimezoneOverride", ["timezoneId": "Pacific/Kiritimati"])
      try await page.open(scene.url("/admin/?lang=en#token=\(Scenario.token)"))
      try await page.until("the views", "document.querySelector('nav.views')")
      try await page.show("events")
      try await page.until("an event", "document.querySelector('.log time')")
      let pairs = try await page.evaluate(
        "[...document.querySelectorAll('.log time')].map(e => [e.dateTime, e.textContent])")
      let me = try await scene.relay.get(
        "/api/v1/me", fields: ["Authorization: Bearer \(Scenario.token)"])
      let zone = JSON.parse(me.body)?["timeZone"]?["seconds"]?.integer ?? -1
      for pair in pairs.items {
        let moment = try TimestampText.parse(pair.items[0].string ?? "") / 1_000_000_000
        let local = TimestampText.rfc3339((moment + Int64(zone)) * 1_000_000_000)
        let clock = local.dropFirst("2026-11-27T".count).prefix("18:03:12".count)
        #expect(pair.items[1].string?.hasSuffix(String(clock)) == true, "\(pair.text)")
      }
    }
  }

  @Test func `a long name leaves a station's actions in sight`() async throws {
    let upstream = try FakeUpstream(.numbered(before: 10))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: 5)))
    let long = StationDefinition(
      id: "long", name: String(repeating: "Renowned ", count: 13), upstream: [upstream.url("/live")]
    )
    try await Scenario.withRelay([long]) { relay in
      try await ChromePipe.with { chrome in
        let page = try await chrome.page()
        try await page.resize(width: 1280, height: 800)
        try await page.open("http://\(relay.address)/admin/?lang=en#token=\(Scenario.token)")
        try await page.until("the views", "document.querySelector('nav.views')")
        try await page.show("stations")
        try await page.until("its row", "document.querySelector('.view tbody tr')")
        let right = try await page.evaluate(
          "document.querySelector('tbody tr td:last-child').getBoundingClientRect().right")
        #expect(right.double ?? .infinity <= 1280)
      }
    }
  }

  @Test func `a listener is moved, kicked and banned, and the ban is lifted`() async throws {
    try await Self.withScene { scene in
      let listener = try StreamClient(to: scene.relay.address, get: "/jazz")
      try await listener.until { $0.bodyCount > 10_000 }
      let page = try await Self.dashboard(scene, "listeners")
      try await page.choose("To another station…", in: "tbody tr")
      try await page.press(button: "Move", in: "dialog")
      try await eventually("a listener of news") {
        try await Self.listeners(scene).first?["station"]?.string == "news"
      }
      try await page.choose("Kick…", in: Self.listening)
      try await page.press(button: "Kick", in: "dialog")
      try await eventually("nobody") { try await Self.listeners(scene).isEmpty }
      // Where the focus is in a row, the row stays, as one that has gone.
      try await page.until("no row", "!document.querySelector('.view \(Self.listening)')")

      let other = try StreamClient(to: scene.relay.address, get: "/jazz")
      try await other.until { $0.bodyCount > 10_000 }
      try await page.choose("Ban…", in: Self.listening)
      try await page.press(button: "Ban", in: "dialog")
      try await other.until("its end") { $0.isEnded }
      // The page comes from the banned address, too: it must not lose what it needs to lift the ban.
      let bans = try await scene.json("/api/v1/bans")["bans"]?.items ?? []
      #expect(bans.first?["address"]?.string == "127.0.0.1")
      let next = try await Self.dashboard(scene, "bans")
      try await next.until("readiness", "document.querySelector('.figures .good')")
      try await next.press(button: "Lift", in: ".view tbody")
      try await eventually("no ban") {
        try await scene.json("/api/v1/bans")["bans"]?.items.isEmpty == true
      }
    }
  }

  @Test func `a station is tried, added and edited`() async throws {
    try await Self.withScene { scene in
      let page = try await Self.dashboard(scene, "stations")
      try await page.press(button: "Add station", in: ".view")
      try await page.write(scene.upstream.url("/live"), into: "dialog [name=upstream]")
      try await page.press(button: "Check", in: "dialog")
      try await page.until("its audio", "document.querySelector('.finding:not(.bad) .steps li')")
      try await page.write("third", into: "dialog [name=id]")
      try await page.press(button: "Add station", in: "dialog")
      try await scene.relay.until("third", is: "playing")
      try await page.until("its row", "document.querySelector('tr[data-key=third]')")
      try await page.choose("Edit…", in: "tr[data-key=third]")
      try await page.write("The <b>third</b>", into: "dialog [name=name]")
      try await page.press(button: "Save", in: "dialog")
      try await eventually("its name") {
        try await scene.relay.station("third")["name"]?.string == "The <b>third</b>"
      }
      try await page.until(
        "its name as text", "document.body.innerText.includes('The <b>third</b>')")
    }
  }

  @Test func `a reload shows first what it would do`() async throws {
    let upstream = try await PitchStation.upstream()
    defer { upstream.stop() }
    let data = TemporaryDirectory()
    let file = data.path + "/longwave.yml"
    let first =
      "admin: {token: \(Scenario.token)}\nstations:\n  - {id: jazz, upstream: \"\(upstream.url("/live"))\"}\n"
    try first.write(toFile: file, atomically: true, encoding: .utf8)
    let server = try await LongwaveProcess(["serve", "--config", file], data: data.path)
    try await ChromePipe.with { chrome in
      let page = try await chrome.page()
      try await page.open(
        "http://\(server.address)/admin/?lang=en#token=\(Scenario.token)")
      try await page.until("the views", "document.querySelector('nav.views')")
      try await page.show("configuration")
      let isClosed = "document.querySelector('.configuration .button:disabled') !== null"
      try await page.until("nothing to do", "\(isClosed) && document.querySelector('.changes p')")

      try (first + "  - {id: news, upstream: \"\(upstream.url("/live"))\", windo: 1h}\n")
        .write(toFile: file, atomically: true, encoding: .utf8)
      try await page.press(button: "Look again", in: ".view")
      try await page.until("the mistake", "document.querySelector('.mistakes li')")
      #expect(try await page.text(".mistakes li").contains("Line 4"))
      #expect(try await page.evaluate(isClosed) == .bool(true))

      try (first + "  - {id: news, upstream: \"\(upstream.url("/live"))\"}\n")
        .write(toFile: file, atomically: true, encoding: .utf8)
      try await page.press(button: "Look again", in: ".view")
      try await page.until("the new line", "document.querySelector('.summary .added')")
      #expect(try await page.text(".difference .plus").contains("id: news"))
      try await page.press(button: "Reload", in: ".view")
      try await server.api.until("news", is: "playing", within: 60)
    }
    try await server.kill()
  }

  @Test func `a web service that takes no events is seen, with why and since when`() async throws {
    try await Self.withScene(change: { settings, upstream in
      upstream.reply("/hook?key=hidden", with: .status(204))
      upstream.reply("/bad?key=hidden", with: .status(500))
      settings.webhooks = ["/hook?key=hidden", "/bad?key=hidden"].map {
        var hook = WebhookSettings()
        hook.url = upstream.url($0)
        hook.kinds = ["metadata-live"]
        return hook
      }
    }) { scene in
      let page = try await Self.dashboard(scene)
      let trouble = "(document.querySelector('.troubles')?.textContent ?? '')"
      try await page.until(
        "the trouble",
        "/Webhook 2 .*[/]bad has taken no events since .*: the service answered 500. [0-9]+ events? wait/.test(\(trouble))"
      )
      #expect(try await page.evaluate("\(trouble).includes('Webhook 1')") == .bool(false))
      try await page.click(".troubles a[href='#webhooks']")
      try await page.until("both", "document.querySelectorAll('.view tbody tr').length === 2")
      let rows = try await page.evaluate(
        "[...document.querySelectorAll('.view tbody tr')].map((row) => row.textContent)"
      ).items.compactMap(\.string)
      #expect(rows.count == 2 && rows[0].contains("takes events") && rows[0].contains("/hook"))
      #expect(
        rows.last?.contains("fails") == true
          && rows.last?.contains("the service answered 500") == true)
      #expect(rows.allSatisfy { $0.contains("metadata-live") && !$0.contains("hidden") })
      try await page.resize(width: 1280, height: 800)
      try await page.until(
        "nothing cut off",
        "(a => a.scrollWidth <= a.clientWidth)(document.querySelector('.view .scroll'))")
      scene.upstream.reply("/bad?key=hidden", with: .status(204))
      try await page.until(
        "both well",
        "[...document.querySelectorAll('.view tbody tr')].every((row) => row.textContent.includes('takes events'))"
      )
      try await page.show("overview")
      try await page.until("nothing of it", "!\(trouble).includes('Webhook')")
      #expect(try page.errors() == [])
    }
  }
}

extension WebPage {
  /// Goes to a view of the dashboard.
  func show(_ view: String) async throws {
    try await evaluate("location.hash = \(Self.quoted(view))")
    try await until(
      view, "document.querySelector('nav a[aria-current=page]')?.hash === '#\(view)'")
  }

  /// Presses a button by its text, when it is there.
  func press(button text: String, in scope: String) async throws {
    let all = "[...document.querySelectorAll('\(scope) button')]"
    let found = "\(all).find(b => b.textContent.trim() === \(Self.quoted(text)) && !b.disabled)"
    try await until("the button \(text)", found)
    try await evaluate("\(found).click()")
  }

  /// Chooses from the menu of a row.
  func choose(_ text: String, in row: String) async throws {
    let opener = "document.querySelector('\(row) [aria-haspopup=menu]')"
    try await until("the menu of \(row)", opener)
    try await evaluate("\(opener).click()")
    try await press(button: text, in: ".menu")
  }

  func write(_ text: String, into field: String) async throws {
    let element = "document.querySelector('\(field)')"
    try await until("the field \(field)", element)
    try await evaluate(
      "(e => { e.value = \(Self.quoted(text)); e.dispatchEvent(new Event('input')); })(\(element))")
  }

  /// Tries a token, and waits for the answer.
  fileprivate func signIn(_ token: String) async throws {
    try await write(token, into: "#token")
    try await evaluate("document.querySelector('#login-trouble').textContent = ''")
    try await press(button: "Sign in", in: "form.login")
    try await until(
      "an answer", "document.querySelector('#login-trouble')?.textContent !== '' ")
  }
}
