import Glibc
import Longwave
import TestSupport
import Testing

/// Pages that bear their operator's logo, colour and links.
extension WebScenarioTests {
  private static let svg =
    "<svg xmlns='http://www.w3.org/2000/svg' width='120' height='40'><rect width='120' height='40' fill='red'/></svg>"

  /// The pages' settings as a file has them.
  private static func house(_ keys: String) throws -> WebSettings {
    try Configuration.parse(yaml: "web:\n\(keys)", file: "made.yml").web
  }

  private static func house(colour: String, in folder: TemporaryDirectory) throws -> WebSettings {
    let logo = folder.write("logo.svg", Array(svg.utf8))
    return try house(
      """
        title: Radio Example
        logo: \(logo)
        icon: \(logo)
        colour: "\(colour)"
        links:
          - {name: Imprint, url: /listen/nope}
          - {name: Privacy, url: https://example.org/privacy}
        footer: © Radio Example

      """)
  }

  @Test func `pages bear logo, colour and links, without scripts too`() async throws {
    let folder = TemporaryDirectory()
    let house = try Self.house(colour: "#c0392b", in: folder)
    try await Self.withScene(change: { configuration, _ in configuration.web = house }) { scene in
      for scripts in [false, true] {
        let page = try await scene.chrome.page()
        try await page.allowScripts(scripts)
        for path in ["/", "/listen/jazz", "/listen/nope"] {
          try await page.open(scene.url(path))
          try await page.until(
            "the logo", "document.querySelector('.brand .logo')?.naturalWidth === 120")
          #expect(try await page.text(".brand") == "Radio Example")
          let links = try await page.evaluate(
            "[...document.querySelectorAll('.foot .own a')].map(a => [a.textContent, a.getAttribute('href')])"
          )
          #expect(
            links == [["Imprint", "/listen/nope"], ["Privacy", "https://example.org/privacy"]])
          #expect(try await page.text(".foot .own > span") == "© Radio Example")
          let chroma =
            "getComputedStyle(document.documentElement).getPropertyValue('--accent-chroma')"
          #expect(try await page.evaluate(chroma) == "0.15", "\(path)")
          let hue =
            "Math.round(getComputedStyle(document.documentElement).getPropertyValue('--hue'))"
          // A station without artwork has the house's colour, not one of its own.
          try await page.settled()
          #expect(try await page.evaluate(hue).integer == 30, "\(path)")
        }
        let missing = try page.errors().filter { !$0.contains("404") }
        #expect(missing == [])
        #expect(try page.refusals() == [])
      }
      let frame = try await scene.page("/listen/jazz/embed")
      #expect(
        try await frame.evaluate(
          "[document.querySelector('.foot'), getComputedStyle(document.documentElement).getPropertyValue('--house')]"
        ) == [.null, "1"])
      let admin = try await scene.page("/admin/")
      #expect(
        try await admin.evaluate(
          "[document.querySelector('.logo, .own'), getComputedStyle(document.documentElement).getPropertyValue('--house')]"
        ) == [.null, ""])
      #expect(try await admin.text(".brand") == "Radio Example")
      // A turn between pages keeps all of it.
      let list = try await scene.page("/")
      try await list.evaluate("globalThis.same = true")
      try await list.click("#stations a[href='/listen/jazz']")
      try await list.until("the player", "document.querySelector('#controls button.play')")
      #expect(
        try await list.evaluate(
          "globalThis.same === true && Boolean(document.querySelector('.logo'))") == .bool(true))
    }
  }

  @Test(.enabled(if: axe != nil, "deploy/setup test fetches axe-core"))
  func `axe finds nothing in pages of a house, dark or light, wide or narrow`() async throws {
    let folder = TemporaryDirectory()
    let house = try Self.house(colour: "#ffff00", in: folder)
    try await Self.withScene(change: { configuration, _ in configuration.web = house }) { scene in
      let page = try await scene.chrome.page()
      for look in Self.looks where !look.path.hasPrefix("/admin") {
        try await page.resize(width: look.width, height: 800)
        try await page.prefer(["prefers-color-scheme": look.theme])
        try await page.open(scene.url(look.path))
        try await page.settled()
        try await page.evaluate(Self.axe!)
        #expect(try await Self.violations(in: page) == [], "\(look.testDescription)")
        let sizes = try await page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        #expect(
          sizes.items[0].double ?? .infinity <= sizes.items[1].double ?? 0,
          "\(look.testDescription): \(sizes.text)")
      }
    }
  }

  /// A page of a house with this colour, where no picture has one.
  private static func withPage(
    of colour: String, theme: String = "light", _ body: (WebPage) async throws -> Void
  ) async throws {
    let folder = TemporaryDirectory()
    let house = try house(colour: colour, in: folder)
    let station = StationDefinition(id: "jazz", upstream: ["http://127.0.0.1:1/"])
    try await Scenario.withRelay([station], change: { $0.web = house }) { relay in
      try await ChromePipe.with { chrome in
        let page = try await chrome.page()
        try await page.prefer(["prefers-color-scheme": theme])
        try await page.open("http://\(relay.address)/listen/nope")
        try await body(page)
      }
    }
  }

  @Test(arguments: ["#c0392b", "#ffff00", "#0000ff", "#3b2f2f", "#00ff7f", "#777777"])
  func `the relay makes the same colours of a colour as the pages`(colour: String) async throws {
    try await Self.withPage(of: colour) { page in
      let differences = try await page.evaluate(
        """
        (async () => {
          const { dominant, palette } = await import("/\(try page.assetFolder())/colour.js");
          const bytes = [1, 3, 5].map((at) => parseInt("\(colour)".slice(at, at + 2), 16));
          const found = dominant(new Uint8ClampedArray([...bytes, 255]));
          const style = getComputedStyle(document.documentElement);
          const told = (name) => Number(style.getPropertyValue(name));
          if (!found) return [told("--accent-chroma"), told("--tint-dark")];
          return Object.entries(palette(found)).map(([name, value]) => Math.abs(value - told(name)));
        })()
        """
      ).items.compactMap(\.double)
      #expect(differences.count >= 2 && differences.allSatisfy { $0 < 0.001 }, "\(differences)")
    }
  }

  @Test(arguments: ["dark", "light"], ["#c0392b", "#ffff00", "#0000ff", "#111111"])
  func `text and accent stand out from the ground, whatever colour the house has`(
    theme: String, colour: String
  ) async throws {
    try await Self.withPage(of: colour, theme: theme) { page in
      let ratios = try await Self.contrasts(in: page, after: [])
      #expect(ratios[0] >= 4.5 && ratios[1] >= 4.5 && ratios[2] >= 3, "\(ratios)")
    }
  }

  @Test func `a reload reads the pictures again, and their addresses change with them`()
    async throws
  {
    let data = TemporaryDirectory()
    let logo = data.write("logo.svg", Array(Self.svg.utf8))
    let file = data.write(
      "longwave.yml",
      Array(
        "web: {logo: \(logo), icon: \(logo)}\nstations: [{id: a, upstream: \"http://127.0.0.1:1/\"}]\n"
          .utf8))
    let server = try await LongwaveProcess(["serve", "--config", file], data: data.path)
    func address() async throws -> String {
      let page = try await HTTPExchange("GET", "/listen/nope", at: server.address).text
      return try #require(page.firstMatch(of: /class="logo" src="([^"]*)"/)).output.1.description
    }
    let before = try await address()
    let answer = try await HTTPExchange("GET", before, at: server.address)
    #expect(answer.status == 200 && answer.text == Self.svg)
    #expect(answer.head["content-type"] == "image/svg+xml")
    #expect(answer.head["cache-control"]?.contains("immutable") == true)
    #expect(answer.head["x-content-type-options"] == "nosniff")
    #expect(answer.head["content-security-policy"]?.contains("sandbox") == true)
    #expect(try await HTTPExchange("GET", "/favicon.ico", at: server.address).text == Self.svg)
    data.write("logo.svg", Array(Self.svg.replacing("red", with: "blue").utf8))
    let reload = try await LongwaveProcess.command(["config", "reload"], data: data.path)
    #expect(reload.status == 0 && reload.output.contains("web"), "\(reload)")
    let after = try await address()
    #expect(after != before)
    // A page that was open meanwhile gets what there is, and does not keep it.
    let late = try await HTTPExchange("GET", before, at: server.address)
    #expect(late.text.contains("blue") && late.head["cache-control"] == "no-cache, no-store")
    data.write("logo.svg", Array("no picture".utf8))
    let refused = try await LongwaveProcess.command(["config", "reload"], data: data.path)
    #expect(refused.status != 0 && refused.log.contains("web.logo"), "\(refused)")
    #expect(try await address() == after)
    server.process.signal(SIGTERM)
    #expect(try await server.process.end() == 0)
  }

  /// A PNG of 2 × 2 pixels.
  private static let png: [UInt8] = [
    137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 2,
    0, 0, 0, 2, 8, 2, 0, 0, 0, 253, 212, 154, 115, 0, 0, 0, 16, 73, 68, 65,
    84, 120, 156, 99, 248, 207, 192, 0, 68, 12, 16, 10, 0, 31, 238, 3, 253, 139, 95, 20,
    212, 0, 0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130,
  ]

  @Test(arguments: [(true, true), (true, false), (false, false)])
  func `phones show the house's icon on their first screen, and its ground in their bars`(
    isOwn: Bool, isPNG: Bool
  ) async throws {
    let folder = TemporaryDirectory()
    let icon = isPNG ? folder.write("i.png", Self.png) : folder.write("i.svg", Array(Self.svg.utf8))
    let house = try Self.house(
      isOwn ? "  icon: \(icon)\n  colour: \"#c0392b\"\n" : "  title: Radio\n")
    let station = StationDefinition(id: "jazz", upstream: ["http://127.0.0.1:1/"])
    try await Scenario.withRelay([station], change: { $0.web = house }) { relay in
      try await ChromePipe.with { chrome in
        let page = try await chrome.page()
        for theme in ["dark", "light"] {
          try await page.prefer(["prefers-color-scheme": theme])
          try await page.open("http://\(relay.address)/listen/nope")
          try await page.settled()
          let found = try await page.evaluate(
            """
            (() => {
              const [told, shown] = [
                document.querySelector("meta[name=theme-color]").content,
                getComputedStyle(document.documentElement).backgroundColor,
              ].map((colour) => {
                const context = document.createElement("canvas").getContext("2d");
                context.fillStyle = colour;
                context.fillRect(0, 0, 1, 1);
                return context.getImageData(0, 0, 1, 1).data;
              });
              return Math.max(...[0, 1, 2].map((at) => Math.abs(told[at] - shown[at])));
            })()
            """)
          #expect(found.integer ?? 255 <= (isOwn ? 2 : 6), "\(theme): \(found.text)")
        }
        let touch = try await page.evaluate(
          "document.querySelector('link[rel=apple-touch-icon]')?.getAttribute('href') ?? ''"
        ).string
        guard isPNG || !isOwn else { return #expect(touch == "") }
        let answer = try await relay.get(touch ?? "")
        #expect(answer.status == 200 && answer.head["content-type"] == "image/png")
        #expect((answer.body == Self.png) == isOwn)
      }
    }
    #expect(house.icon == nil || house.icon?.mediaType == (isPNG ? "image/png" : "image/svg+xml"))
  }

  @Test func `the list can be installed as an app`() async throws {
    let folder = TemporaryDirectory()
    let house = try Self.house(colour: "#c0392b", in: folder)
    try await Self.withScene(change: { configuration, _ in configuration.web = house }) { scene in
      let page = try await scene.page("/")
      let found = try await page.call("Page.getAppManifest")
      #expect(found["url"]?.string == scene.url("/manifest.webmanifest"))
      #expect(found["errors"]?.items.count == 0)
      let manifest = try await scene.json("/manifest.webmanifest")
      #expect(manifest["theme_color"]?.string != "#10161d")
      #expect(manifest["name"]?.string == "Radio Example" && manifest["start_url"]?.string == "/")
      let icon = try #require(manifest["icons"]?.items.first?["src"]?.string)
      #expect(try await scene.relay.get(icon).status == 200)
      #expect(try page.refusals() == [])
    }
  }
}
