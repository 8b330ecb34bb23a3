import Longwave
import TestSupport

/// What tests ask of a page, whatever browser shows it.
protocol WebTab {
  /// The value of an expression, or what a promise comes to.
  func value(of expression: String) async throws -> JSON
  /// Presses the left button there, in pixels of the window, and lets it go.
  func click(x: Double, y: Double) async throws
  /// What the browser complained of.
  func errors() async throws -> [String]
}

extension WebTab {
  /// Waits until an expression is true.
  func until(_ what: String, within seconds: Double = 60, _ expression: String) async throws {
    do {
      try await eventually(what, within: seconds) {
        try await value(of: "Boolean(\(expression))") == .bool(true)
      }
    } catch let late as TimeIsUp {
      let text = try? await value(of: "document.body.innerText.slice(0, 1500)").string
      throw TimeIsUp(
        description:
          "\(late.description); \(try await errors()); the page says: \(text ?? "nothing")")
    }
  }

  /// Waits until a page of a kind stands, at its address.
  func turned(to kind: String, at path: String) async throws {
    try await until(
      "the page \(kind)",
      "document.body.dataset.page === '\(kind)' && location.pathname === '\(path)'"
        + " && !document.querySelector('main').ariaBusy")
  }

  /// The text of an element, without blanks around it.
  func text(_ selector: String) async throws -> String {
    try await value(of: "document.querySelector(\(JSON.string(selector).text))?.textContent.trim()")
      .string ?? ""
  }

  /// The middle of an element that rests and can be hit there, after scrolling to it.
  func middle(of selector: String) async throws -> (x: Double, y: Double) {
    let script = """
      (() => {
        const element = document.querySelector(\(JSON.string(selector).text));
        if (!element) return "nothing there";
        element.scrollIntoView({block: "center", behavior: "instant"});
        const box = element.getBoundingClientRect();
        if (box.width === 0 || box.height === 0) return "no size";
        const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
        const hit = document.elementFromPoint(x, y);
        if (!element.contains(hit)) return `covered by ${hit?.outerHTML.slice(0, 200)}`;
        return [x, y];
      })()
      """
    var found = JSON.null
    do {
      return try await eventually("\(selector) that can be hit") {
        // Twice at the same place: what moves is missed.
        let before = found
        found = try await value(of: script)
        guard found == before else { return nil }
        guard let x = found.items.first?.double, let y = found.items.last?.double else {
          return nil
        }
        return (x, y)
      }
    } catch let late as TimeIsUp {
      throw TimeIsUp(description: "\(late.description): \(found.text)")
    }
  }

  func click(_ selector: String) async throws {
    let (x, y) = try await middle(of: selector)
    try await click(x: x, y: y)
  }

  /// Presses play and waits until the element plays.
  func play() async throws {
    try await click(WebPage.playButton)
    try await until("an element that plays", "document.querySelector('audio').currentTime > 0")
  }

  /// Chooses a language as a user does who stays on the page.
  func speak(_ language: String) async throws {
    _ = try await value(
      of: "(menu => { menu.value = '\(language)'; menu.dispatchEvent(new Event('change')); })"
        + "(document.querySelector('#tools select'))")
  }
}
