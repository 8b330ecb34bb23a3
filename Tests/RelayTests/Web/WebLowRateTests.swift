import Longwave
import TestSupport
import Testing

/// Stations of very few bytes a second: browsers begin by bytes.
extension WebScenarioTests {
  @Test func `a burst holds what a browser begins with, at every bit rate`() async throws {
    let found = try await Self.module(
      "output.js", as: "outputs",
      """
      const {Timeline} = await import(`/${folder}/timeline.js`);
      const burst = (bitrate, place = {media: 1}, timeline = new Timeline(null)) => {
        const audio = Object.assign(new EventTarget(), {play: async () => {}});
        const output = new outputs.Output({audio, station: "jazz", token: "token-of-tab", timeline, bitrate});
        void output.open(place);
        return output.burst;
      };
      const at = (media) => new Date(1764460800000 + media * 1000).toISOString();
      const edge = (media, position) => ({media, air: at(media), position});
      const told = (position, titles = []) => new Timeline({
        station: "jazz", timeZone: {name: "UTC", seconds: 0}, live: edge(1000, position), oldest: edge(0, 0),
        anchors: [edge(0, 0)], gaps: [],
        titles: titles.map(([media, position]) => ({...edge(media, position), since: at(media), title: "A"}))}, 0);
      return {
        rates: [4, 5, 8, 16, 24, 48, 128, null].map((rate) => burst(rate)),
        // Music of 64 kbit/s until the last two minutes, which are silence of 8.
        silence: burst(64, "live", told(7160000, [[880, 7040000]])),
        music: burst(64, "live", told(8000000)),
        past: burst(64, {media: 1}, told(7160000, [[880, 7040000]])),
        fresh: burst(64, "live", told(20000)),
      };
      """)
    #expect(
      found["rates"]?.items.compactMap(\.double) == [60, 58.5, 38.8, 22.4, 16.4, 8.2, 4, 4],
      "\(found.text)")
    #expect(found["silence"] == .number(38.8), "\(found.text)")
    #expect(found["music"] == .number(6.2), "\(found.text)")
    #expect(found["past"] == .number(6.2), "\(found.text)")
    #expect(found["fresh"] == .number(6.2), "\(found.text)")
  }

  /// Silence in frames of 72 bytes and 72 ms: MPEG 2.5, layer III, 8 kHz, mono.
  private static let frame: [UInt8] = [0xFF, 0xE3, 0x18, 0xC0] + [UInt8](repeating: 0, count: 68)

  @Test func `a station of 8 kbit a second sounds at once, and it is said how far behind live`()
    async throws
  {
    let slow = try FakeUpstream(
      FakeProgramme(samples: 576, sampleRate: 8000, before: 240) { _ in Self.frame })
    defer { slow.stop() }
    slow.reply("/live", with: .stream(FakeStream(burst: 88)))
    try await Self.withScene(change: { configuration, _ in
      configuration.stations.append(StationDefinition(id: "slow", upstream: [slow.url("/live")]))
    }) { scene in
      try await scene.relay.until("slow", has: 80)
      let page = try await scene.page("/listen/slow")
      try await page.play()
      // What begins late is later than its burst.
      try await page.until(
        "its distance",
        "/· 0:(38|39|40|41) behind/.test(document.querySelector('#place').textContent)")
      #expect(
        try await page.evaluate("document.querySelector('#controls .live').dataset.live") == "true")
      #expect(try page.errors() == [])
    }
  }
}
