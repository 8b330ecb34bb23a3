import Glibc
import Longwave
import TestSupport
import Testing

/// axe-core on the pages, and what it cannot see.
extension WebScenarioTests {
  /// axe-core, where deploy/setup put it; nil without it.
  static let axe: String? = {
    let cache =
      getenv("XDG_CACHE_HOME").map { String(cString: $0) }
      ?? getenv("HOME").map { String(cString: $0) + "/.cache" }
    guard let bytes = try? readFile((cache ?? "") + "/longwave/axe.min.js") else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }()

  struct Look: Sendable, CustomTestStringConvertible {
    var path: String
    var theme: String
    var width: Int
    var testDescription: String { "\(path), \(theme), \(width) px" }
  }

  static let looks = ["/", "/listen/jazz", "/listen/jazz?offset=60s", "/admin/"].flatMap { path in
    ["dark", "light"].flatMap { theme in
      [1280, 320].map { Look(path: path, theme: theme, width: $0) }
    }
  }

  /// What axe finds in the page as it is now, one line each.
  static func violations(in page: WebPage) async throws -> [String] {
    let found = try await page.evaluate(
      """
      axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}).then(
        (result) => result.violations.flatMap((rule) => rule.nodes.map((node) =>
          `${rule.id}: ${node.target.join(" ")}: ${node.failureSummary.replace(/\\s+/g, " ")}`)))
      """)
    return found.items.compactMap(\.string)
  }

  @Test(.enabled(if: axe != nil, "deploy/setup test fetches axe-core"))
  func `axe finds nothing in any page, dark or light, wide or narrow`() async throws {
    try await Self.withScene { scene in
      let page = try await scene.chrome.page()
      for look in Self.looks {
        try await page.resize(width: look.width, height: 800)
        try await page.prefer(["prefers-color-scheme": look.theme])
        try await page.open(scene.url(look.path))
        try await page.settled()
        try await page.evaluate(Self.axe!)
        let violations = try await Self.violations(in: page)
        #expect(violations == [], "\(look.testDescription)")
        let sizes = try await page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        #expect(
          sizes.items[0].double ?? .infinity <= sizes.items[1].double ?? 0,
          "\(look.testDescription): \(sizes.text)")
      }
    }
  }

  @Test(.enabled(if: axe != nil, "deploy/setup test fetches axe-core"))
  func `axe finds nothing in a player that plays, nor in what its buttons open`() async throws {
    try await Self.withScene { scene in
      let (page, _) = try await scene.playing()
      try await page.evaluate(Self.axe!)
      #expect(try await Self.violations(in: page) == [], "playing")
      for key in ["?", "c", "s", "t"] {
        try await page.press(key, shift: key == "?")
        try await page.settled()
        let violations = try await Self.violations(in: page)
        #expect(violations == [], "after \(key)")
        try await page.press("Escape")
      }
    }
  }
}

extension WebPage {
  /// Waits until nothing moves and no text comes any more.
  func settled() async throws {
    var before = ""
    try await eventually("a page that has settled") {
      let now =
        try await evaluate(
          """
          document.getAnimations().filter((one) => one.playState === "running").length
            + document.body.innerHTML.replace(/[0-9]+/g, "")
          """
        ).string ?? ""
      defer { before = now }
      guard now == before, now.hasPrefix("0") else {
        try await Task.sleep(for: .milliseconds(250))
        return false
      }
      return true
    }
  }
}
