import Longwave
import Settings
import TestSupport
import Testing

/// The library in the dashboard, on a relay that looks through a folder.
extension WebScenarioTests {
  private static let titleCells = "tr[data-track] td:first-child a"

  private static func withLibrary(_ body: (MusicScene) async throws -> Void) async throws {
    try await MusicScene.with(
      "library",
      change: { settings, folder in
        settings.library.roots = [MusicRoot(id: "main", path: folder.path)]
      }
    ) { scene in
      try await eventually("all tracks are in the database") {
        try await scene.json("/api/v1/library")["tracks"]?.integer == 6
      }
      try await scene.search("")
      try await eventually("all tracks are shown") { try await scene.texts(titleCells).count == 6 }
      try await body(scene)
    }
  }

  @Test func `a search answers as one types, and an older answer never replaces a newer one`()
    async throws
  {
    try await Self.withLibrary { scene in
      // The first search is held back until the second one is answered.
      try await scene.page.evaluate(
        """
        const ask = globalThis.fetch;
        globalThis.fetch = async (address, options) => {
          const answer = await ask(address, options);
          if (!String(address).includes("q=Artist%201")) return answer;
          globalThis.isHeld = true;
          await new Promise(release => (globalThis.release = release));
          setTimeout(() => (globalThis.isLate = true), 200);
          return answer;
        };
        """)
      try await scene.search("Artist 1")
      try await scene.page.until("the first question", "globalThis.isHeld")
      try await scene.search("Title 2")
      try await scene.until(Self.titleCells, say: ["Title 2"])
      try await scene.page.evaluate("globalThis.release()")
      try await scene.page.until("the late answer", "globalThis.isLate")
      #expect(try await scene.texts(Self.titleCells) == ["Title 2"])
      try await scene.search("no such thing")
      try await scene.until(Self.titleCells, say: [])
      #expect(try await scene.page.text(".view .empty:not([hidden])").contains("No track"))
    }
  }

  @Test func `a track is a favourite, is excluded, and comes next on a programme`() async throws {
    try await Self.withLibrary { scene in
      try await scene.search("Title 4")
      try await scene.until(Self.titleCells, say: ["Title 4"])
      let row = "tr[data-track]"
      try await scene.act("favourite", in: row)
      try await scene.page.until(
        "its heart",
        "document.querySelector('[data-action=favourite]').getAttribute('aria-pressed') === 'true'")
      let kept = try await scene.json("/api/v1/collections/favourites")["members"]?.items
      #expect(kept?.map { $0["title"]?.string } == ["Title 4"])
      try await scene.act("favourite", in: row)
      try await eventually("no favourite") {
        try await scene.json("/api/v1/collections/favourites")["members"]?.items.isEmpty == true
      }
      try await scene.act("queue-next", in: row)
      try await eventually("it is the next") {
        let shown = try await scene.json("/api/v1/stations/night/programme")
        let next = shown["upcoming"]?.items.first
        return next?["title"]?.string == "Title 4" && next?["why"]?.string == "queue"
      }
      try await scene.act("exclude", in: row)
      let key = try await scene.page.evaluate("document.querySelector('\(row)').dataset.track")
      try await eventually("it is excluded") {
        let path = "/api/v1/tracks/\(key.string ?? "")"
        return try await scene.json(path)["excluded"] == .bool(true)
      }
    }
  }

  @Test func `a root is looked through, and a track tells its files and is heard`() async throws {
    try await Self.withLibrary { scene in
      let root = "tr[data-root=main][data-state=ok]"
      try await scene.page.until("its root", "document.querySelector('\(root)')")
      scene.folder.write("new.mp3", NumberedFrames.stream(90_000..<90_100))
      scene.folder.age("new.mp3")
      try await scene.act("scan", in: root)
      try await eventually("one more track") {
        try await scene.json("/api/v1/library")["tracks"]?.integer == 7
      }
      try await scene.search("Title 3")
      try await scene.until(Self.titleCells, say: ["Title 3"])
      try await scene.page.evaluate("document.querySelector('tr[data-track] a').click()")
      try await scene.until(
        ".track .boxed .named", say: ["Artist 3 - Title 3.mp3"])
      try await scene.act("listen")
      try await scene.page.until(
        "its sound", "document.querySelector('.track audio').readyState > 0")
    }
  }
}

extension MusicScene {
  /// Types words into the search.
  fileprivate func search(_ words: String) async throws {
    try await page.write(words, into: ".library [name=q]")
  }
}
