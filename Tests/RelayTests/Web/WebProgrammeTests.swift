import Longwave
import TestSupport
import Testing

/// A programme in the dashboard.
extension WebScenarioTests {
  private static let coming = "[data-upcoming] > li"

  /// Numbers of the items to come, as the page has them.
  private static func items(_ scene: MusicScene) async throws -> [Int] {
    let found = try await scene.page.evaluate(
      "[...document.querySelectorAll('\(Self.coming)')].map(line => Number(line.dataset.item))")
    return found.items.compactMap(\.integer)
  }

  @Test func `next acts, and what comes moves up`() async throws {
    try await MusicScene.with("stations/night") { scene in
      let before = try await Self.items(scene)
      #expect(before.count == 10 && before == before.sorted())
      let names = try await scene.texts("\(Self.coming) .named")
      #expect(names.first == "Title 1 – Artist 1")
      let now = "[data-now] strong"
      try await scene.until(now, say: ["Title 0"])
      try await scene.act("next")
      try await scene.until(now, say: ["Title 1"])
      #expect(try await Self.items(scene).first == before[1])
      #expect(
        try await scene.json("/api/v1/stations/night/programme")["now"]?["item"]?.integer
          == before[0])

      // An item is left out, and the focus goes on with the line that moves up.
      let second = try await Self.items(scene)[1]
      try await scene.page.evaluate("document.querySelector('\(Self.coming) button').focus()")
      try await scene.act("skip", in: Self.coming)
      try await eventually("one line less") { try await Self.items(scene).first == second }
      let focused = "Number(document.activeElement.closest('li')?.dataset.item)"
      #expect(try await scene.page.evaluate(focused).integer == second)
    }
  }

  @Test func `rules are changed and reset, and a plan is made when it is opened`() async throws {
    try await MusicScene.with("stations/night") { scene in
      #expect(try await scene.page.evaluate("document.querySelector('[data-plan] li')") == .null)
      try await scene.act("plan")
      try await scene.page.until(
        "a day", "document.querySelectorAll('[data-plan] > li').length > 1000")
      try await scene.act("rules")
      try await scene.page.evaluate(
        "document.querySelector('.rules [name=order]').value = 'shuffle'")
      try await scene.act("save-rules")
      let path = "/api/v1/stations/night/programme"
      try await eventually("it is shuffled") {
        let shown = try await scene.json(path)
        return shown["order"]?.string == "shuffle" && shown["changed"]?.items.count == 1
      }
      try await scene.act("reset-rules")
      try await eventually("as it is defined") {
        try await scene.json(path)["changed"]?.items.isEmpty == true
      }
      try await scene.page.until(
        "the form", "document.querySelector('.rules [name=order]').value === 'sequence'")
    }
  }
}
