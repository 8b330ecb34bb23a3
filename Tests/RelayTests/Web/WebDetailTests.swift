import Longwave
import TestSupport
import Testing

/// What one meets seldom: wrong addresses, the list of keys, pages without scripts, the remote control.
extension WebScenarioTests {
  @Test func `a browser at an address where nothing is gets a page, and a program JSON`()
    async throws
  {
    try await Self.withScene { scene in
      for path in ["/nothing-here", "/listen/jazz/x", "/embed/nothing"] {
        let page = try await scene.relay.get(path, fields: ["Accept: text/html,*/*;q=0.8"])
        #expect(page.status == 404 && page.head["content-type"]?.hasPrefix("text/html") == true)
        #expect(page.text.contains("There is nothing at this address") && page.text.contains(path))
        let told = try await scene.relay.get(path, fields: ["Accept: */*"])
        #expect(told.status == 404 && told.head["content-type"] == "application/json")
      }
      let api = try await scene.relay.get("/api/v1/nothing", fields: ["Accept: text/html"])
      #expect(api.status == 404 && api.head["content-type"] == "application/json")
    }
  }

  @Test(arguments: [
    ("/listen/nothing", "Diesen Sender gibt es nicht"),
    ("/nothing", "Unter dieser Adresse ist nichts"),
  ])
  func `a page of nothing is in one's language, in one piece, and leads to the stations`(
    path: String, words: String
  ) async throws {
    try await Self.withScene { scene in
      let page = try await scene.page("\(path)?lang=de")
      try await page.until(
        "its words", "document.querySelector('h1').textContent === \(WebPage.quoted(words))")
      try await page.until(
        "its title", "document.title.startsWith(\(WebPage.quoted(words)))")
      let apart = try await page.evaluate(
        """
        (() => {
          const [head, way] = ["h1", ".missing a"].map((one) => document.querySelector(one).getBoundingClientRect());
          return way.top - head.bottom;
        })()
        """
      ).double
      #expect(apart ?? 0 > 0 && apart! < 120)
      try await page.click(".missing a")
      try await page.until("the stations", "document.querySelector('#stations') !== null")
    }
  }

  @Test func `the list of keys scrolls inside of its corners, and its way out stays`() async throws
  {
    try await Self.withScene { scene in
      let page = try await scene.page()
      try await page.resize(width: 360, height: 560)
      try await page.press("?", shift: true)
      try await page.until("the list", "document.querySelector('.help .sheet') !== null")
      let found = try await page.evaluate(
        """
        (() => {
          const dialog = document.querySelector(".help"), sheet = dialog.querySelector(".sheet");
          sheet.scrollTop = sheet.scrollHeight;
          const box = dialog.getBoundingClientRect();
          const round = parseFloat(getComputedStyle(dialog).borderTopRightRadius);
          return {
            isCut: getComputedStyle(dialog).overflowY === "hidden" && dialog.scrollHeight <= dialog.clientHeight + 1,
            scrolled: sheet.scrollTop > 0, round,
            below: sheet.getBoundingClientRect().top - box.top,
          };
        })()
        """)
      #expect(found["isCut"] == .bool(true) && found["scrolled"] == .bool(true), "\(found.text)")
      #expect(found["below"]?.double ?? 0 >= found["round"]?.double ?? .infinity)
      try await page.click(".help .close")
      try await page.until("no list", "document.querySelector('.help') === null")
    }
  }

  @Test func `rows of what was played have one set of columns without scripts`() async throws {
    try await Self.withScene { scene in
      let page = try await scene.chrome.page()
      try await page.allowScripts(false)
      try await page.open(scene.url("/listen/jazz"))
      let ends = try await page.evaluate(
        """
        [...document.querySelectorAll("#history .length")].slice(0, 4)
          .map((one) => Math.round(one.getBoundingClientRect().right))
        """
      ).items.compactMap(\.integer)
      #expect(ends.count == 4 && Set(ends).count == 1, "\(ends)")
      let shown = try await page.evaluate(
        "getComputedStyle(document.querySelector('#history .cut')).visibility")
      #expect(shown == "hidden", "the title that goes on is no clip yet")
    }
  }

  @Test func `a remote control says how much later one hears what it does`() async throws {
    try await Self.withScene { scene in
      let page = try await scene.page("/listen/jazz?session=kitchen-radio&remote")
      try await page.until(
        "its delay", "document.body.innerText.includes('You hear it there some 4 seconds later.')")
      #expect(try page.errors().filter { !$0.contains("404") } == [])
    }
  }
}
