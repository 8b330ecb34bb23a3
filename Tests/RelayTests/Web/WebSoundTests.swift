import Foundation
import Ingest
import Longwave
import TestSupport
import Testing
import Wire

/// The picture of the sound: bars, wave and level meter.
extension WebScenarioTests {
  /// Media second, dB left and right, loudest band and number of the last picture, with the page's place at that time.
  private static let drawn = """
    (() => {
      const canvas = document.querySelector(".wave canvas");
      return canvas?.drawn ? { drawn: [...canvas.drawn].map((n) => Number.isFinite(n) ? n : -999) } : null;
    })()
    """

  func picture(_ page: WebPage) async throws -> [Double] {
    try await page.evaluate(Self.drawn)["drawn"]?.items.compactMap(\.double) ?? []
  }

  /// Middles of the bands in Hz, as wide as the ear's from 20 Hz to 16 kHz (Traunmüller's formula for Bark).
  private static let bands: [Double] = {
    func bark(_ hertz: Double) -> Double { 26.81 * hertz / (1960 + hertz) - 0.53 }
    func hertz(_ bark: Double) -> Double { 1960 * (bark + 0.53) / (26.28 - bark) }
    let (low, high) = (bark(20), bark(16_000))
    return (0..<24).map { hertz(low + (high - low) * (Double($0) + 0.5) / 24) }
  }()

  /// Checks that what is drawn is the tone of its media time, and returns that time.
  private func expectTone(
    _ page: WebPage, within seconds: Double = 60, _ words: String
  ) async throws -> Double {
    let drawn = try await eventually("a picture of a sound", within: seconds) {
      let drawn = try await picture(page)
      return drawn.count == 5 && drawn[4] > 0 && drawn[1] > -60 && drawn[3] >= 0 ? drawn : nil
    }
    // 12,000 of 32,768 at its peak.
    #expect(abs(drawn[1] + 11.7) < 1.2 && abs(drawn[2] + 11.7) < 1.2, "\(words): \(drawn)")
    return drawn[0]
  }

  @Test func `bars, wave and meter show the sound that is heard, live and in the past`()
    async throws
  {
    try await Self.withScene { scene in
      let (page, ear) = try await scene.playing()
      _ = try await expectTone(page, "live")
      try await comparePlaces(page, ear, "live")
      let first = try #require(try await ear.place().place)
      let before = try await picture(page)[0]
      try await page.press("J")
      try await eventually("the picture and the sound go back") {
        let drawn = try await picture(page)
        let isBack = drawn.count == 5 && drawn[0] > 0 && drawn[0] < before - 20 && drawn[1] > -60
        guard isBack, let heard = try await ear.place().place else { return false }
        return abs(PitchStation.distance(heard, from: first + drawn[0] - before)) < 2
      }
      try await comparePlaces(page, ear, "half a minute back")
      for mode in ["wave", "meter", "off", "bars"] {
        try await page.press("v")
        try await page.until(mode, "document.querySelector('.wave').dataset.mode === '\(mode)'")
        if mode == "meter" {
          try await page.until(
            "figures",
            "/−1[0-9]\\.[0-9] dB/.test(document.querySelector('.wave-figures').textContent)")
        }
        if mode == "off" {
          let count = try await picture(page)[4]
          let from = try await ear.now()
          try await eventually("a second") { try await ear.now() > from + 1000 }
          #expect(try await picture(page)[4] == count, "nothing is drawn")
          let events = "performance.getEntriesByType('resource')"
          _ = try await page.evaluate("({ n: \(events).length })")
        }
      }
      _ = try await expectTone(page, "again")
      #expect(try page.errors() == [])
    }
  }

  /// The band whose middle is nearest to a pitch in Hz.
  static func band(of pitch: Double) -> Int {
    bands.indices.min { abs(bands[$0] - pitch) < abs(bands[$1] - pitch) }!
  }

  /// The loudest band of what is drawn holds the pitch that is heard.
  func comparePlaces(_ page: WebPage, _ ear: WebEar, _ words: String) async throws {
    var compared = 0
    var wrong: [String] = []
    for _ in 0..<20 {
      let shown = try await picture(page)
      let heard = try await ear.place()
      guard shown.count == 5, shown[3] >= 0, let place = heard.place else { continue }
      let pitch = PitchStation.lowest + PitchStation.climb * place
      let band = Int(shown[3])
      // Within half a band, and what passes between the two questions.
      let near = Self.band(of: pitch)
      if abs(near - band) > 1 { wrong.append("\(pitch) Hz: band \(band), not \(near)") }
      compared += 1
    }
    #expect(compared > 5 && wrong.isEmpty, "\(words): \(wrong)")
  }

  /// What is heard and what is drawn in the same moment, as media seconds and places in the minute.
  private static let together = """
    (() => {
      const canvas = document.querySelector(".wave canvas");
      return canvas?.drawn ? [ear.place(), canvas.drawn[0]] : null;
    })()
    """

  /// How much later than what is drawn in the same moment lies what is heard, in seconds: the middle of a hundred.
  private func lateness(_ scene: Scene, _ page: WebPage, _ ear: WebEar) async throws -> Double {
    _ = try await ear.place()
    // Which place of the minute a media time has, by the log's own bytes.
    let oldest = try #require(try await scene.json("/api/v1/stations/jazz/timeline")["oldest"])
    let first = try #require(oldest["media"]?.double)
    let air = Double(try TimestampText.parse(oldest.text("air"))) / 1e9
    let place = try await scene.place(onAir: air)
    var late: [Double] = []
    try await eventually("a hundred moments of sound", within: 60) {
      let both = try await page.evaluate(Self.together).items
      if both.count == 2, let heard = both[0].double, let drawn = both[1].double, drawn > 0 {
        late.append(PitchStation.distance(heard - place, from: drawn - first))
      }
      return late.count >= 100
    }
    let sorted = late.sorted()
    // Nothing of it jumps about.
    #expect(sorted[94] - sorted[5] < 0.05, "\(sorted[5]) to \(sorted[94]) s")
    return sorted[50]
  }

  @Test func `a picture ten minutes behind is of the tone that sounds, to a few hundredths`()
    async throws
  {
    try await Self.withScene(
      before: 900, past: 700, change: { settings, _ in settings.upstream.leadMax = 800 }
    ) { scene in
      let (page, ear) = try await scene.playing("/listen/jazz?offset=600s")
      _ = try await expectTone(page, "ten minutes behind")
      try await comparePlaces(page, ear, "ten minutes behind")
      let shown = try await page.evaluate("document.querySelector('#place').textContent").string
      #expect(shown?.contains("10:0") == true, "\(shown ?? "")")
      let past = try await lateness(scene, page, ear)
      try await page.click("#controls .live")
      try await page.until(
        "live", "document.querySelector('#place').textContent.endsWith('live')")
      _ = try await expectTone(page, "live")
      let live = try await lateness(scene, page, ear)
      // The copy of the sound is ahead of the loudspeakers by what the browser buffers, at both places.
      #expect(abs(past - live) < 0.05, "\(past) s ten minutes behind, \(live) s live")
      #expect(abs(past) < 0.12, "\(past) s ten minutes behind, \(live) s live")
      #expect(try page.errors() == [])
    }
  }

  @Test func `the sound's picture is drawn twice a second where motion is unwelcome`() async throws
  {
    try await Self.withScene { scene in
      let page = try await scene.page()
      try await page.call(
        "Emulation.setEmulatedMedia",
        ["features": .array([["name": "prefers-reduced-motion", "value": "reduce"]])])
      let ear = try await WebEar(page)
      try await page.play()
      _ = try await ear.place()
      _ = try await expectTone(page, "calm")
      let before = try await picture(page)[4]
      let from = try await ear.now()
      try await eventually("four seconds") { try await ear.now() > from + 4000 }
      let pictures = try await picture(page)[4] - before
      #expect(pictures >= 2 && pictures <= 14, "\(pictures)")
    }
  }

  @Test func `a station that cannot be decoded has no picture, and the page says nothing of it`()
    async throws
  {
    try await Self.withScene { scene in
      let page = try await scene.page()
      let folder = try page.assetFolder()
      let told = try await page.evaluate(
        """
        (async () => {
          const { Columns } = await import("/\(folder)/columns.js");
          const columns = new Columns("nosuch");
          columns.fetchAround(15, 100);
          for (let k = 0; k < 100 && columns.canBe; k += 1) await new Promise((done) => setTimeout(done, 50));
          const own = new Columns("x"), data = new Uint8Array(2 * 26).fill(100);
          own.put(7, 1, data);
          own.take("nonsense");
          return {
            canBe: columns.canBe, at: own.find(7.05), left: own.bytes[own.find(7) + 1],
            right: own.bytes[own.find(7) + 3], none: own.find(7.2), negative: own.find(-1),
          };
        })()
        """)
      #expect(told["canBe"] == .bool(false))
      #expect(told["at"]?.integer ?? -1 >= 0 && told["left"]?.integer == 100)
      #expect(told["right"]?.integer == 100 && told["none"]?.integer == -1)
      #expect(told["negative"]?.integer == -1)
    }
  }

  @Test func `the dashboard shows a station's levels and loudness`() async throws {
    try await Self.withScene { scene in
      let page = try await Self.dashboard(scene, "stations")
      try await page.evaluate("location.hash = '#stations/jazz'")
      try await page.until("the view", "document.querySelector('.facts .levels')")
      try await page.until(
        "levels", "/−1[12]\\.[0-9] dB/.test(document.querySelector('.facts').textContent)")
      try await page.until(
        "loudness", "/−1[0-9]\\.[0-9] LUFS/.test(document.querySelector('.facts').textContent)")
      let width = "document.querySelector('.levels span').style.getPropertyValue('--level')"
      let level = try await page.evaluate(width).string.flatMap { Double($0) } ?? 0
      #expect(abs(level - 0.805) < 0.02, "\(level)")
      // The relay measures while the view is open, and not much longer.
      try await page.show("stations")
      try await eventually("nobody wants to know") {
        try await scene.relay.station("jazz")["sound"]?["state"]?.string == "idle"
      }
      #expect(try page.errors() == [])
    }
  }
}
