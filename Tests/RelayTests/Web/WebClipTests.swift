import Longwave
import TestSupport
import Testing
import Wire

/// A piece of the past, to hear, to keep and to send on.
extension WebScenarioTests {
  /// The address that the clip's download leads to, with its moments in Unix seconds.
  private static func clip(in page: WebPage) async throws -> (
    path: String, from: Double, to: Double
  ) {
    let href = try await page.evaluate(
      "document.querySelector('#panel a[download]').getAttribute('href')")
    let path = href.string ?? ""
    let times = try await page.evaluate(
      "['from', 'to'].map((name) => Date.parse(new URLSearchParams(\(WebPage.quoted(path)).split('?')[1]).get(name)) / 1000)"
    ).items.compactMap(\.double)
    try #require(times.count == 2, "\(path)")
    return (path, times[0], times[1])
  }

  @Test func `a clip is chosen by keys and by the pointer, and its file is what was on air`()
    async throws
  {
    try await Self.withPlayer("/listen/jazz?offset=45s") { player in
      let page = player.page
      try await page.press("c")
      try await page.until("the clip", "document.querySelector('#panel .grip.to') !== null")
      let first = try await Self.clip(in: page)
      try await page.evaluate("document.querySelector('#panel .grip.from').focus()")
      try await page.press("ArrowRight")
      let second = try await Self.clip(in: page)
      #expect(abs(second.from - first.from - 1) < 0.01 && second.to == first.to)
      let (x, y) = try await page.middle(of: "#panel .grip.to")
      try await page.mouse("mouseMoved", x, y)
      try await page.mouse("mousePressed", x, y)
      for step in 1...8 {
        try await page.mouse("mouseMoved", x - Double(step * 10), y, isDown: true)
      }
      try await page.mouse("mouseReleased", x - 80, y)
      let third = try await Self.clip(in: page)
      #expect(third.to < second.to - 1 && third.from == second.from)
      #expect(third.to > third.from)

      let file = try await player.scene.relay.get(third.path)
      #expect(file.status == 200)
      let begin = try #require(PitchStation.place(in: file.body))
      let wanted = try await player.scene.place(onAir: third.from)
      #expect(abs(PitchStation.distance(begin, from: wanted)) < 0.03)
      let seconds =
        Double(file.body.count) / Double(PitchStation.frameBytes) * PitchStation.frameSeconds
      #expect(abs(seconds - (third.to - third.from)) < 0.05)
      let bytes = try await page.evaluate(
        "fetch(\(WebPage.quoted(third.path))).then((answer) => answer.arrayBuffer()).then((all) => all.byteLength)"
      )
      #expect(bytes.integer == file.body.count)
      #expect(try page.errors() == [])
    }
  }

  @Test func `a link to a clip opens there, plays and stops at its end`() async throws {
    try await Self.withScene { scene in
      let from = try await Self.live(scene) - 40
      let times = [from, from + 3].map { TimestampText.rfc3339(Int64($0 * 1e9)) }
      let page = try await scene.page("/listen/jazz?clip=\(times[0])/\(times[1])")
      try await page.until("the clip", "document.querySelector('#panel .grip.to') !== null")
      let clip = try await Self.clip(in: page)
      #expect(abs(clip.from - from) < 0.01 && abs(clip.to - from - 3) < 0.01)
      let icon = "document.querySelector('#panel button.primary use').getAttribute('href')"
      try await page.click("#panel button.primary")
      try await page.until("its sound", "\(icon).endsWith('#stop')")
      try await page.until("its end", "\(icon).endsWith('#play')")
      let media = try page.requests().filter { $0.kind == "Media" }
      #expect(!media.isEmpty && media.allSatisfy { $0.path.hasPrefix("/jazz/clip?") })
    }
  }
}
