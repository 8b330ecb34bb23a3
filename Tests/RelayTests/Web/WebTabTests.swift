import Longwave
import TestSupport
import Testing

/// Several tabs of one browser.
extension WebScenarioTests {
  private static let current = "document.querySelector('audio').currentTime"

  @Test func `two tabs play two stations`() async throws {
    try await Self.withScene { scene in
      let (jazz, _) = try await scene.playing("/listen/jazz")
      let (news, _) = try await scene.playing("/listen/news")
      for page in [jazz, news] {
        let before = try await page.evaluate(Self.current).double ?? 0
        try await page.until("more of it", "\(Self.current) > \(before + 1)")
        #expect(try await page.evaluate(WebPage.isPlaying) == .bool(true))
      }
      #expect(try scene.session(of: jazz) != scene.session(of: news, station: "news"))
    }
  }

  @Test func `a tab whose session another tab takes says so, and does not take it back`()
    async throws
  {
    try await Self.withScene { scene in
      let (old, _) = try await scene.playing()
      let stored = try await old.evaluate("JSON.stringify({...sessionStorage})").string ?? "{}"
      let new = try await scene.chrome.page()
      // As a tab is duplicated.
      try await new.beforeEachPage(
        "Object.entries(\(stored)).forEach(([key, value]) => sessionStorage.setItem(key, value));")
      try await new.open(scene.url("/listen/jazz"))
      try await new.play()
      #expect(try scene.session(of: new) == scene.session(of: old))
      try await old.until(
        "words about it", "document.querySelector('#status').textContent.includes('elsewhere')")
      let streams = try old.streams(of: "jazz").count
      let before = try await new.evaluate(Self.current).double ?? 0
      try await new.until("ten seconds more", "\(Self.current) > \(before + 10)")
      #expect(try old.streams(of: "jazz").count == streams)
    }
  }

  @Test func `the seventh tab loads, since hidden ones hold no connection for events`() async throws
  {
    try await Self.withScene { scene in
      var pages: [WebPage] = []
      for _ in 0..<7 {
        let page = try await scene.page()
        try await page.bringToFront()
        pages.append(page)
      }
      let last = pages[6]
      try await last.play()
      let before = try await last.evaluate(Self.current).double ?? 0
      try await last.until("more of it", "\(Self.current) > \(before + 1)")
      for page in pages.dropLast() {
        let hidden = try await page.evaluate("document.visibilityState")
        #expect(hidden == "hidden")
        let events = try page.requests().filter { $0.kind == "EventSource" }
        #expect(!events.contains { !$0.isOver })
      }
    }
  }
}
