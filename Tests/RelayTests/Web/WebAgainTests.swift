import Longwave
import Reactor
import TestSupport
import Testing

/// "Listen again", and files: links to recordings, what steers them, and what becomes of them while the relay is away.
extension WebScenarioTests {
  private static let element = "document.querySelector('main audio')"
  private static let status = "document.querySelector('#status').textContent"

  /// A page of shows with a recording of some seconds, and that recording's number.
  private static func withRecording(
    of seconds: Double, _ body: (Scene, _ number: Int) async throws -> Void
  ) async throws {
    try await withScene { scene in
      let shows = try await ShowScene(scene, isRecorded: true)
      try await shows.until(recorded: seconds)
      let number = try await shows.told()["recordings"]?.items.first?["id"]?.integer
      try await body(scene, try #require(number))
    }
  }

  @Test func `an address opens a recording at a place, and plays it`() async throws {
    try await Self.withRecording(of: 30) { scene, number in
      let path = "/listen/\(ShowScene.id)/shows?recording=\(number)&t=12"
      let page = try await scene.page(path)
      try await page.until(
        "the title there", "document.querySelector('#title').textContent.startsWith('Title')")
      #expect(try await page.text(".place:not(.zone)").contains("0:12"))
      // A browser wants a press before the first sound.
      try await page.press("k")
      let sounds =
        "(a => a && !a.paused && a.currentTime > 12.2 && a.currentTime < 30)(\(Self.element))"
      try await page.until("sound from there", sounds)

      // With a press it plays by itself.
      try await page.open(scene.url("/listen/\(ShowScene.id)"))
      try await page.click("#title")
      try await page.evaluate(
        "document.querySelector('.brand').href = \(WebPage.quoted(path))")
      try await page.click(".brand")
      try await page.until("sound from there", sounds)

      // The beginning is a place, too, whatever was heard before.
      try await page.evaluate("\(Self.element).pause()")
      try await page.open(
        scene.url("/listen/\(ShowScene.id)/shows?recording=\(number)&t=0"))
      try await page.until("its place", "document.querySelector('.place:not(.zone)')")
      try await page.press("k")
      try await page.until(
        "sound from the beginning",
        "(a => a && !a.paused && a.currentTime > 0.2)(\(Self.element))")
      let current = try await page.evaluate("\(Self.element).currentTime").double ?? 0
      #expect(current < 10, "\(current)")
      try await page.open(scene.url("/listen/\(ShowScene.id)/shows?recording=999"))
      try await page.until("words", "\(Self.status).includes('no longer')")
      #expect(try page.errors() == [])
      #expect(try page.refusals() == [])
    }
  }

  @Test func `buttons and keys steer a recording, and its speed stays`() async throws {
    try await Self.withRecording(of: 45) { scene, number in
      let page = try await scene.page("/listen/\(ShowScene.id)/shows?recording=\(number)&t=2")
      try await page.until("the buttons", "document.querySelector('.file-tools button')")
      let time = "\(Self.element).currentTime"
      try await page.press(" ")
      try await page.until("sound", "!\(Self.element).paused && \(time) > 2")
      try await page.click(".file-tools button:has([href$='#forward30'])")
      try await page.until("30 s on", "\(time) >= 32")
      try await page.press("ArrowLeft")
      try await page.until("10 s back", "\(time) >= 22 && \(time) < 32")
      try await page.press("ArrowLeft", shift: true)
      try await page.until("the beginning", "\(time) < 8")
      try await page.evaluate(
        "(menu => { menu.value = '1.5'; menu.dispatchEvent(new Event('change')); })"
          + "(document.querySelector('.file-tools select'))")
      try await page.until("its speed", "\(Self.element).playbackRate === 1.5")
      try await page.press("l")
      try await page.until("30 s on", "\(time) >= 30")
      try await page.press("k")
      try await page.until("a pause", "\(Self.element).paused")
      // Another load, and another visit.
      try await page.open(scene.url("/listen/\(ShowScene.id)/shows"))
      try await page.click(".again [data-recording] .from")
      try await page.until(
        "its speed", "!\(Self.element).paused && \(Self.element).playbackRate === 1.5")
      try await page.press("?", shift: true)
      try await page.until("the list of keys", "document.querySelector('.help .keys')")
      try await page.press("Escape")
      #expect(try page.errors() == [])
    }
  }

  @Test func `a recording can be fetched, and its link be copied`() async throws {
    try await Self.withRecording(of: 5) { scene, number in
      let page = try await scene.page("/listen/\(ShowScene.id)/shows")
      try await page.click(".again [data-recording] > .button")
      let link = ".again [data-recording] a[download]"
      try await page.until("the way", "document.querySelector('\(link)')")
      let path = try await page.evaluate("document.querySelector('\(link)').getAttribute('href')")
      let file = try await scene.relay.get(path.string ?? "")
      #expect(file.status == 200 && file.head["content-type"] == "audio/mpeg")
      #expect(
        try await page.evaluate("document.querySelector('.again .from').getAttribute('href')")
          .string
          == "/listen/\(ShowScene.id)/shows?recording=\(number)")
      try await page.click(".again .copy")
      try await page.until(
        "words", "/^Copied|^The browser/.test(document.querySelector('.again .said').textContent)")
      #expect(try page.errors() == [])
    }
  }

  @Test func `a file goes on by itself where it was, once the relay is back`() async throws {
    let folder = TemporaryDirectory()
    let data = TemporaryDirectory()
    let minute = try await offPool { Array(PitchStation.frames.joined()) }
    // More than a browser fetches ahead.
    folder.write("long.mp3", Array((0..<40).map { _ in minute }.joined()))
    let file = data.write(
      "longwave.yml",
      Array("stations: [{id: shelf, files: \(folder.path)}]\n".utf8))
    let arguments = ["serve", "--config", file]
    let server = try await LongwaveProcess(arguments, data: data.path)
    try await ChromePipe.with { chrome in
      let page = try await chrome.page()
      try await page.open("http://\(server.address)/listen/shelf")
      try await page.until("modules", "document.documentElement.classList.contains('js')")
      try await page.click("#files li a")
      try await page.until("sound", "\(Self.element).currentTime > 0.5")
      let port = server.address.port
      try await server.kill()
      try await page.evaluate("\(Self.element).currentTime = 1500")
      try await page.until("words about it", "\(Self.status).startsWith('No connection.')")
      let again = try await LongwaveProcess(arguments, data: data.path, port: port)
      try await page.until(
        "sound from there", within: 120,
        "(a => !a.paused && a.currentTime > 1500.5 && a.currentTime < 1560)(\(Self.element))")
      #expect(try await page.text("#status") == "")
      withExtendedLifetime(again) {}
    }
  }

  @Test(arguments: [
    ("at=gibberish", "gibberish"), ("offset=abc", "abc"),
    ("at=2099-01-01T00:00:00Z", "2099 is still to come"),
    ("at=99999999999999999999", "99999"), ("at=track-start", ""), ("offset=30s", ""),
  ])
  func `an address with a moment that is none says so, and plays live`(
    query: String, words: String
  ) async throws {
    try await Self.withScene { scene in
      for path in ["/listen/jazz", "/listen/jazz/embed"] {
        let page = try await scene.page("\(path)?\(query)")
        try await page.until("the buttons", "document.querySelector('#controls button.play')")
        if words.isEmpty {
          try await page.settled()
          #expect(try await page.text("#status") == "", "\(path)")
        } else {
          try await page.until(
            "words about it in \(path)",
            "\(Self.status).includes(\(WebPage.quoted(words))) && \(Self.status).includes('on air')"
          )
          #expect(try await page.text("#controls .live") == "Live")
        }
        #expect(try page.errors() == [])
        try await page.close()
      }
    }
  }
}
