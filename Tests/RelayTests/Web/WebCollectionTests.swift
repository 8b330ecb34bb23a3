import Longwave
import TestSupport
import Testing

/// Collections in the dashboard: what is done there is kept by the relay.
extension WebScenarioTests {
  private static let names = "[data-member] .named"

  /// The titles of a collection's members, as the relay has them.
  private static func titles(_ scene: MusicScene, _ collection: String) async throws -> [String] {
    let members = try await scene.json("/api/v1/collections/\(collection)")["members"]
    return members?.items.map { $0["title"]?.string ?? "" } ?? []
  }

  /// Makes the collection "party" of a list in the dashboard.
  private static func makeParty(_ scene: MusicScene) async throws {
    let lines = [2, 0, 5, 1].map { "\(scene.folder.path)/Artist \($0) - Title \($0).mp3" }
    let list = "#EXTM3U\n" + (lines + ["../<b>nowhere</b>.mp3"]).joined(separator: "\n") + "\n"
    try await scene.act("import")
    try await scene.choose(list: list, named: "Party.m3u")
    try await scene.page.press(button: "Import", in: "dialog")
    try await scene.page.until("its members", "document.querySelector('li[data-member]')")
  }

  @Test func `an import reports what it found, and what is not there as text`() async throws {
    try await MusicScene.with("collections") { scene in
      try await Self.makeParty(scene)
      #expect(try await scene.page.evaluate("location.hash") == "#collections/party")
      try await scene.until("[data-report] > p:first-child", say: ["4 of 5 entries found"])
      let missing = try await scene.page.text("[data-report] li")
      #expect(missing.hasPrefix("Line 6: ../<b>nowhere</b>.mp3"), "\(missing)")
      try await scene.until(Self.names, say: [2, 0, 5, 1].map { "Title \($0) – Artist \($0)" })

      try await scene.show("collections")
      try await scene.until("[data-collection] a", say: ["party"])
    }
  }

  @Test func `a long list is cut behind entries, which stay with their comments and lines`()
    async throws
  {
    let cut = try await Self.module(
      "admin/lists.js", as: "lists",
      """
      const text = "#EXTM3U\\n#EXTINF:1,A\\na.mp3\\n#EXTINF:2,B\\nb.mp3\\nc.mp3\\n#EXTINF:3,D\\nd.mp3";
      const bytes = new TextEncoder().encode(text), all = [];
      for (let most = 1; most <= bytes.length; most++) {
        const pieces = lists.pieces(bytes, most).map(({bytes, before}) => [before, new TextDecoder().decode(bytes)]);
        all.push(pieces.map(([, text]) => text).join("") === text);
        if (most === 30) all.push(pieces);
      }
      return {whole: all.filter(one => one === true).length === bytes.length, pieces: all.find(Array.isArray)};
      """)
    #expect(cut["whole"] == .bool(true))
    let pieces = cut["pieces"]?.items.map {
      "\($0.items[0].integer ?? -1): \($0.items[1].string ?? "")"
    }
    #expect(
      pieces == [
        "0: #EXTM3U\n#EXTINF:1,A\na.mp3\n", "3: #EXTINF:2,B\nb.mp3\nc.mp3\n",
        "6: #EXTINF:3,D\nd.mp3",
      ])
  }

  @Test func `a member is moved by keys and by the mouse, and removed, and put back`() async throws
  {
    try await MusicScene.with("collections") { scene in
      try await Self.makeParty(scene)
      let page = scene.page
      try await page.evaluate("document.querySelector('li[data-member]').focus()")
      for _ in 1...2 { try await page.press("ArrowDown", alt: true) }
      try await eventually("the relay's order") {
        try await Self.titles(scene, "party") == ["Title 0", "Title 5", "Title 2", "Title 1"]
      }
      let focused = "document.activeElement.querySelector('.named').textContent"
      #expect(try await page.evaluate(focused) == "Title 2 – Artist 2")
      try await page.press("ArrowUp", alt: true)
      try await eventually("the relay's order") {
        try await Self.titles(scene, "party") == ["Title 0", "Title 2", "Title 5", "Title 1"]
      }

      let (x, from) = try await page.middle(of: "li[data-member]:last-child .figure")
      let (_, to) = try await page.middle(of: "li[data-member]:first-child .figure")
      try await page.mouse("mouseMoved", x, from)
      try await page.mouse("mousePressed", x, from)
      for step in 1...4 {
        try await page.mouse(
          "mouseMoved", x, from + (to - 6 - from) * Double(step) / 4, isDown: true)
      }
      try await page.mouse("mouseReleased", x, to - 6)
      try await eventually("the dragged one is first") {
        try await Self.titles(scene, "party") == ["Title 1", "Title 0", "Title 2", "Title 5"]
      }

      try await page.evaluate("document.querySelector('li[data-member]:nth-child(2)').focus()")
      try await page.press("Delete")
      try await eventually("it is gone") {
        try await Self.titles(scene, "party") == ["Title 1", "Title 2", "Title 5"]
      }
      try await page.press(button: "Put back", in: ".said")
      try await eventually("it is back at its place") {
        try await Self.titles(scene, "party") == ["Title 1", "Title 0", "Title 2", "Title 5"]
      }
      try await scene.until(
        Self.names, say: [1, 0, 2, 5].map { "Title \($0) – Artist \($0)" })
    }
  }

  @Test func `a collection is made, renamed, made a station, and deleted once none plays it`()
    async throws
  {
    // A station that comes by the page plays what is open to everybody who may add one.
    try await MusicScene.with(
      "collections", change: { settings, folder in settings.server.paths = [folder.path] }
    ) { scene in
      let page = scene.page
      try await scene.act("create")
      try await page.write("Not a name", into: "dialog [name=collection]")
      try await page.press(button: "Make it", in: "dialog")
      try await page.until("why not", "document.querySelector('dialog .trouble').textContent")
      try await page.write("late", into: "dialog [name=collection]")
      try await page.press(button: "Make it", in: "dialog")
      try await page.until("its view", "document.querySelector('[data-collection=late] h1')")
      try await scene.act("import")
      try await scene.choose(
        list: "\(scene.folder.path)/Artist 3 - Title 3.mp3\n", named: "late.m3u")
      try await page.press(button: "Import", in: "dialog")
      try await scene.until(Self.names, say: ["Title 3 – Artist 3"])
      try await page.choose("Rename…", in: ".view .head")
      try await page.write("Late <i>songs</i>", into: "dialog [name=name]")
      try await page.press(button: "Save", in: "dialog")
      try await scene.until(".view h1", say: ["Late <i>songs</i>"])

      try await scene.act("make-station")
      try await page.press(button: "Make a station", in: "dialog")
      try await scene.relay.until("late", is: "playing")
      try await page.until("its view", "location.hash === '#stations/late'")

      try await scene.show("collections/late")
      try await page.choose("Delete…", in: ".view .head")
      try await page.press(button: "Delete", in: "dialog")
      try await page.until(
        "who plays it", "document.querySelector('dialog .trouble').textContent.includes('late')")
      try await page.press(button: "Cancel", in: "dialog")
      try await scene.send("DELETE", "stations/late", "")
      try await page.choose("Delete…", in: ".view .head")
      try await page.press(button: "Delete", in: "dialog")
      try await page.until("none", "document.querySelector('.view .empty:not([hidden])')")
      let left = try await scene.json("/api/v1/collections")["collections"]?.items.count
      #expect(left == 0)
    }
  }
}
