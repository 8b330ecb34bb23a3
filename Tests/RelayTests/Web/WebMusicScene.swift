import Longwave
import Programmes
import TestSupport
import Testing

/// A relay that plays a folder of music, and its dashboard in a tab.
struct MusicScene {
  let relay: TestRelay
  let page: WebPage
  let folder: TemporaryDirectory

  /// Files of a second and a half are over before anything is done with them.
  private static let framesOfFile: UInt64 = 1600

  /// The station "night" plays six files of 40 s in their order.
  ///
  /// - Parameter isJudged: Whether a tool looks at the page, which does what the page itself may not.
  static func with(
    _ view: String, isJudged: Bool = false,
    change: (inout Configuration, TemporaryDirectory) -> Void = { _, _ in },
    _ body: (MusicScene) async throws -> Void
  ) async throws {
    let folder = TemporaryDirectory()
    for number in 0..<6 {
      let first = UInt64(number) * 10_000
      let name = "Artist \(number) - Title \(number).mp3"
      folder.write(name, NumberedFrames.stream(first..<first + framesOfFile))
      folder.age(name)
    }
    let night = StationDefinition(
      id: "night", source: .programme(Programme(playing: .folder(folder.path))))
    try await Scenario.withRelay([night], change: { change(&$0, folder) }) { relay in
      try await relay.until("night", is: "playing")
      try await ChromePipe.with { chrome in
        let page = try await chrome.page()
        try await page.open("http://\(relay.address)/admin/?lang=en#token=\(Scenario.token)")
        try await page.until("the views", "document.querySelector('nav.views')")
        let scene = MusicScene(relay: relay, page: page, folder: folder)
        try await scene.show(view)
        try await body(scene)
        if isJudged { return }
        // What the relay refused is for people to read, and noted by the browser too.
        let errors = try page.errors().filter { !$0.hasPrefix("Failed to load resource") }
        #expect(try errors == [] && page.refusals() == [])
      }
    }
  }

  /// Goes to a view, or to something in one.
  func show(_ place: String) async throws {
    try await page.evaluate("location.hash = \(WebPage.quoted(place))")
    try await page.until(place, "document.querySelector('.view .music')")
  }

  func json(_ path: String) async throws -> JSON {
    try await RelayAPI(address: relay.address).json(path)
  }

  @discardableResult
  func send(_ method: String, _ path: String, _ body: String) async throws -> HTTPExchange {
    let fields = [
      "Authorization: Bearer \(Scenario.token)", "Content-Type: application/json",
    ]
    let answer = try await HTTPExchange(
      method, "/api/v1/" + path, at: relay.address, fields: fields, body: body)
    #expect((200..<300).contains(answer.status), "\(answer.text)")
    return answer
  }

  /// Texts of elements, in the order in which they stand.
  func texts(_ selector: String) async throws -> [String] {
    try await page.evaluate(
      "[...document.querySelectorAll(\(WebPage.quoted(selector)))].map(e => e.textContent.trim())"
    ).items.compactMap(\.string)
  }

  /// Waits until elements say this.
  func until(_ selector: String, say wanted: [String]) async throws {
    do {
      try await eventually("\(selector) says \(wanted)") {
        try await texts(selector) == wanted
      }
    } catch let late as TimeIsUp {
      throw TimeIsUp(description: "\(late.description), but \(try await texts(selector))")
    }
  }

  /// Gives a dialog a list as its file.
  func choose(list: String, named name: String) async throws {
    try await page.until("the file", "document.querySelector('dialog [name=file]')")
    try await page.evaluate(
      """
      (input => {
        const given = new DataTransfer();
        given.items.add(new File([\(WebPage.quoted(list))], \(WebPage.quoted(name))));
        input.files = given.files;
        input.dispatchEvent(new Event("change"));
      })(document.querySelector("dialog [name=file]"))
      """)
  }

  /// Presses a button by what it does.
  func act(_ action: String, in scope: String = ".view") async throws {
    let found = "document.querySelector(\(WebPage.quoted("\(scope) [data-action='\(action)']")))"
    try await page.until("\(action) in \(scope)", "\(found) && !\(found).disabled")
    try await page.evaluate("\(found).click()")
  }
}
