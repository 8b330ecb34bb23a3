import Glibc
import Longwave
import TestSupport
import Testing

/// The pages in Debian's Chromium, on a relay in this process whose station's pitch tells what is heard.
///
/// One after the other: each takes a browser.
@Suite(.serialized, .enabled(if: ChromePipe.isInstalled), .timeLimit(.minutes(10)))
struct WebScenarioTests {
  /// A relay with two stations of the same tone, "jazz" and "news", and a browser.
  struct Scene {
    let relay: TestRelay
    let upstream: FakeUpstream
    let chrome: ChromePipe

    func url(_ path: String) -> String { "http://\(relay.address)\(path)" }

    /// A tab with a page of the relay.
    func page(_ path: String = "/listen/jazz") async throws -> WebPage {
      let page = try await chrome.page()
      try await page.open(url(path))
      return page
    }

    /// A tab that plays, and what hears it.
    func playing(_ path: String = "/listen/jazz") async throws -> (page: WebPage, ear: WebEar) {
      let page = try await page(path)
      let ear = try await WebEar(page)
      try await page.play()
      _ = try await ear.place()
      return (page, ear)
    }

    func place(onAir seconds: Double, of station: String = "jazz") async throws -> Double {
      try await relay.place(onAir: seconds, of: station)
    }

    func json(_ path: String) async throws -> JSON {
      try await RelayAPI(address: relay.address).json(path)
    }

    /// The token of the page's session, as its last stream has it.
    func session(of page: WebPage, station: String = "jazz") throws -> String {
      let path = try page.streams(of: station).last?.path ?? ""
      guard let match = path.firstMatch(of: /[?&]session=([A-Za-z0-9_-]+)/) else {
        throw TimeIsUp(description: "no session in \(path)")
      }
      return String(match.1)
    }

    func session(_ token: String) async throws -> JSON {
      try await json("/api/v1/sessions/\(token)")
    }
  }

  /// - Parameters:
  ///   - before: Seconds that the tone has been on air for.
  ///   - past: Seconds of it that the relay takes at once.
  ///   - change: Adds stations and whatever else the scene needs.
  static func withScene(
    before: Double = 240, past: Double = 88,
    change: (inout Configuration, FakeUpstream) -> Void = { _, _ in },
    _ body: (Scene) async throws -> Void
  ) async throws {
    try await withTone(before: before, past: past, change: change) { relay, upstream in
      try await ChromePipe.with { chrome in
        try await body(Scene(relay: relay, upstream: upstream, chrome: chrome))
      }
    }
  }

  /// The same without a browser.
  static func withTone(
    before: Double = 240, past: Double = 88,
    change: (inout Configuration, FakeUpstream) -> Void = { _, _ in },
    _ body: (TestRelay, FakeUpstream) async throws -> Void
  ) async throws {
    let upstream = try await PitchStation.upstream(before: before, burst: past)
    defer { upstream.stop() }
    let stations = ["jazz", "news"].map {
      StationDefinition(id: $0, upstream: [upstream.url("/live")])
    }
    try await Scenario.withRelay(stations, change: { change(&$0, upstream) }) { relay in
      for station in stations { try await relay.until(station.id, has: past - 3) }
      try await eventually("a title") {
        try await relay.station("jazz")["nowPlaying"]?["title"]?.string != nil
      }
      try await body(relay, upstream)
    }
  }
}

extension TestRelay {
  /// The place in the minute of what "jazz" had on air at a time, by the relay's bytes.
  func place(onAir seconds: Double, of station: String = "jazz") async throws -> Double {
    let client = try StreamClient(
      to: address, get: "/\(station)?burst=1&at=\(JSON.decimal(seconds))")
    try await client.until("a frame") { $0.bodyCount >= PitchStation.frameBytes }
    guard let place = PitchStation.place(in: client.body) else {
      throw TimeIsUp(description: "the stream of \(seconds) does not begin with a frame")
    }
    return place
  }
}

extension WebPage {
  static let playButton = "#controls button.play"

  /// The player's buttons.
  enum Control {
    static let back = "#controls button:has(use[href$='#back30'])"
  }

  /// Whether sound comes out of the element now.
  static let isPlaying = "(a => !a.paused && a.readyState > 2)(document.querySelector('audio'))"
}
