import Longwave
import TestSupport
import Testing

/// "Steady": the page in a browser that plays HLS by itself and tells its dates.
extension WebScenarioTests {
  /// What Chromium lacks of such a browser: it plays the relay's own list and segments from where the list says, and
  /// knows its dates. A list without its end would begin at the edge there, whatever it says.
  private static let browser = #"""
    // A browser with HLS of its own, as Safari: it plays the relay's list from where the list says, and knows its dates.
    const dates = new WeakMap(), asked = new WeakMap();
    const src = Object.getOwnPropertyDescriptor(HTMLMediaElement.prototype, "src");
    const list = (address) => {
      const request = new XMLHttpRequest();
      request.open("GET", address, false);
      request.send();
      const lines = request.responseText.split("\n");
      const date = Date.parse(lines.find((line) => line.includes("PROGRAM-DATE-TIME")).slice(25));
      const isFrom = address.includes("?at=");
      const segments = lines.flatMap((line, k) =>
        line.startsWith("#EXTINF") ? [[parseFloat(line.slice(8)), lines[k + 1]]] : []);
      const left = isFrom ? [] : segments.slice(0, -4), kept = segments.slice(left.length);
      const text = [
        "#EXTM3U", "#EXT-X-VERSION:6", "#EXT-X-TARGETDURATION:7", "#EXT-X-PLAYLIST-TYPE:VOD",
        ...kept.flatMap(([seconds, name]) => [`#EXTINF:${seconds},`, new URL(name, request.responseURL)]),
        "#EXT-X-ENDLIST", "",
      ].join("\n");
      return {
        date: date + 1000 * left.reduce((sum, [seconds]) => sum + seconds, 0),
        address: URL.createObjectURL(new Blob([text], { type: "application/vnd.apple.mpegurl" })),
      };
    };
    Object.defineProperty(HTMLMediaElement.prototype, "src", {
      ...src,
      get() { return asked.get(this) ?? src.get.call(this); },
      set(value) {
        asked.delete(this);
        dates.delete(this);
        if (!value.includes("/hls/main.m3u8")) return src.set.call(this, value);
        (globalThis.steady ??= []).push(value);
        const { date, address } = list(value);
        asked.set(this, new URL(value, location.href).href);
        dates.set(this, date);
        src.set.call(this, address);
      },
    });
    HTMLMediaElement.prototype.getStartDate = function () { return new Date(dates.get(this) ?? NaN); };
    const can = HTMLMediaElement.prototype.canPlayType;
    HTMLMediaElement.prototype.canPlayType = function (type) {
      return type.includes("mpegurl") ? "maybe" : can.call(this, type);
    };
    """#

  /// The tone of `PitchStation` as AAC, which Chromium plays in HLS.
  private static func softTone() async throws -> FakeUpstream {
    let frames = try await offPool { () throws -> [[UInt8]] in
      let scratch = TemporaryDirectory()
      let out = scratch.file("aac")
      let place = "mod(t,\(PitchStation.round))"
      let wave =
        "0.3*sin(2*PI*\(place)*(\(PitchStation.lowest)+\(PitchStation.climb / 2)*\(place)))"
      try Tool.must(
        [
          "ffmpeg", "-v", "error", "-f", "lavfi", "-i",
          "aevalsrc='\(wave)':s=48000:d=\(2 * PitchStation.round)", "-c:a", "aac", "-b:a", "96k",
          "-f", "adts", out,
        ], in: scratch)
      return ADTSFrames.split(try readFile(out)).frames
    }
    let interval = 1024.0 / 48_000
    // Two rounds are a whole number of frames.
    let count = Int(2 * PitchStation.round / interval)
    let titles = (0..<400).map {
      FakeProgramme.TitleChange(
        packet: Int((Double($0) * PitchStation.titleSeconds / interval).rounded(.up)),
        "Artist \($0) - Title \($0)")
    }
    let upstream = try FakeUpstream(
      FakeProgramme(samples: 1024, sampleRate: 48_000, before: 240, titles: titles) {
        frames[$0 % count]
      })
    var stream = FakeStream(burst: 88)
    stream.metaint = 256
    upstream.reply("/live", with: .stream(stream, mediaType: "audio/aac"))
    return upstream
  }

  /// A scene with the station "soft" besides, in such a browser.
  private static func withSteady(_ body: (Scene, WebPage) async throws -> Void) async throws {
    let soft = try await softTone()
    defer { soft.stop() }
    try await withScene(change: { settings, _ in
      settings.stations.append(StationDefinition(id: "soft", upstream: [soft.url("/live")]))
    }) { scene in
      try await scene.relay.until("soft", has: 85)
      let page = try await scene.chrome.page()
      // The list that the browser is made to play is a blob.
      try await page.call("Page.setBypassCSP", ["enabled": .bool(true)])
      try await page.beforeEachPage(browser)
      try await body(scene, page)
    }
  }

  private static let playsHLS =
    "(a => a.src.includes('/soft/hls/main.m3u8') && a.currentTime > 0.5)(document.querySelector('audio'))"

  /// What is heard and by what time on air the page has it, at one moment; and its title.
  private static func heard(_ page: WebPage, _ ear: WebEar) async throws -> (
    place: Double, air: Double, behind: Double, title: String
  ) {
    _ = try await ear.place()
    let folder = try page.assetFolder()
    return try await eventually("sound and its time") {
      let seen = try await page.evaluate(
        """
        import("/\(folder)/deck.js").then(({ deck }) => [
          ear.place(), deck.player.engine.heardAir() / 1000, deck.player.engine.behind(),
          document.querySelector("#title").textContent, deck.player.engine.state])
        """
      ).items
      guard seen.count == 5, let place = seen[0].double, let air = seen[1].double,
        let behind = seen[2].double, seen[4] == "playing"
      else { return nil }
      return (place, air, behind, seen[3].string ?? "")
    }
  }

  /// Checks that the title is that of the sound, but near its beginning.
  private static func expectTitle(_ title: String, at place: Double, _ words: String) {
    let inTitle = place.truncatingRemainder(dividingBy: PitchStation.titleSeconds)
    guard (1.5...8.5).contains(inTitle) else { return }
    let number = Int(title.drop { !$0.isNumber }) ?? -1
    let wanted = Int((place - inTitle) / PitchStation.titleSeconds)
    #expect(number % 6 == wanted, "\(words): \(title) at \(place)")
  }

  @Test func `a browser with HLS of its own plays it steadily, exact by the date`() async throws {
    try await Self.withSteady { scene, page in
      try await page.open(scene.url("/listen/soft?lang=en"))
      let ear = try await WebEar(page)
      try await page.play()
      let stream = try await Self.heard(page, ear)
      let offset = PitchStation.distance(stream.place, from: stream.air)
      try await page.click("#actions button:has(use[href$='#quality'])")
      try await page.until("the choice", "document.querySelectorAll('#panel input').length === 2")
      let words = try await page.evaluate("document.querySelector('#panel').textContent").string
      #expect(words?.contains("20 s later") == true, "\(words ?? "")")
      if let axe = Self.axe {
        try await page.evaluate(axe)
        #expect(try await Self.violations(in: page) == [])
      }
      try await page.click("#panel input[value=hls]")
      try await page.until("HLS", Self.playsHLS)
      // By its own date; a list is some segments behind the edge, and counts as live there.
      func expectExact(_ behind: ClosedRange<Double>, _ words: String) async throws {
        let now = try await Self.heard(page, ear)
        let off = PitchStation.distance(now.place - offset, from: now.air)
        #expect(abs(off) < 0.15, "\(words): \(off) s")
        #expect(behind.contains(now.behind), "\(words): \(now.behind)")
        Self.expectTitle(now.title, at: now.place, words)
      }
      try await expectExact(15...34, "live")
      #expect(
        try await page.evaluate("document.querySelector('#controls .live').dataset.live") == "true")
      for (place, words) in [(44.0...66.0, "a jump"), (72.0...98.0, "another one")] {
        let before = try await page.evaluate("steady.length").integer ?? 0
        try await page.click(WebPage.Control.back)
        try await page.until(
          words, "steady.length === \(before + 1) && steady.at(-1).includes('?at=')")
        try await page.until("its sound", Self.playsHLS)
        try await expectExact(place, words)
      }
      // Paused, it goes on at its place.
      let paused = try await Self.heard(page, ear)
      try await page.click(WebPage.playButton)
      try await page.until("a pause", "document.documentElement.dataset.engine === 'paused'")
      try await page.click(WebPage.playButton)
      try await page.until("its sound", Self.playsHLS)
      let resumed = try await Self.heard(page, ear)
      #expect((0...8).contains(resumed.air - paused.air), "\(resumed.air - paused.air)")
      try await page.click("#controls .live")
      try await page.until("live", "!steady.at(-1).includes('at=')")
      try await page.until("its sound", Self.playsHLS)
      try await expectExact(15...34, "live again")
      // A clip is cut at what is heard.
      try await page.press("c")
      try await page.until("a clip", "document.querySelector('#panel a[download]')")
      #expect(try page.errors() == [])
    }
  }

  @Test func `steady is kept for the station, begins by its address, and ends by another choice`()
    async throws
  {
    try await Self.withSteady { scene, page in
      try await page.open(scene.url("/listen/soft?via=hls&lang=en"))
      try await page.play()
      try await page.until("HLS", Self.playsHLS)
      #expect(try page.streams(of: "soft").isEmpty)
      // Nobody chose it yet.
      try await page.open(scene.url("/listen/soft"))
      try await page.play()
      #expect(try page.streams(of: "soft").count == 1)
      try await page.open(scene.url("/listen/soft?via=hls"))
      try await page.click("#actions button:has(use[href$='#quality'])")
      try await page.until(
        "what the address asks for",
        "document.querySelector('#panel input:checked')?.value === 'hls'")
      try await page.click("#panel input[value=soft]")
      try await page.click("#panel input[value=hls]")
      #expect(try await page.evaluate("String(location.search.includes('via'))") == "false")
      try await page.open(scene.url("/listen/soft"))
      try await page.play()
      try await page.until("HLS as chosen", Self.playsHLS)
      #expect(try page.streams(of: "soft").count == 1)
      try await eventually("a listener of HLS") {
        try await scene.relay.station("soft")["listeners"]?["hls"]?.integer == 1
      }
      try await page.open(scene.url("/listen/soft?bitrate=96"))
      try await page.play()
      #expect(try page.streams(of: "soft").count == 2)
      #expect(try page.errors() == [])
    }
  }

  @Test func `a browser that tells no dates has no such choice`() async throws {
    try await Self.withScene { scene in
      let quality = "document.querySelector(\"#actions use[href$='#quality']\")"
      let page = try await scene.page("/listen/jazz?via=hls")
      try await page.until("its buttons", "document.querySelector('#actions button')")
      #expect(try await page.evaluate(quality).isNull)
      try await page.play()
      #expect(try page.streams(of: "jazz").count == 1)
      #expect(try page.requests().allSatisfy { !$0.path.contains("/hls/") })
      // Nor one that tells them and plays no HLS.
      try await page.beforeEachPage(
        "HTMLMediaElement.prototype.getStartDate = () => new Date(NaN);"
          + "HTMLMediaElement.prototype.canPlayType = () => '';")
      try await page.open(scene.url("/listen/jazz?via=hls"))
      try await page.until("its buttons", "document.querySelector('#actions button')")
      #expect(try await page.evaluate(quality).isNull)
    }
  }

  /// Reads a code of versions 1 to 5 with error correction M (ISO/IEC 18004), of which nothing is damaged.
  private static let reader = """
    (() => {
      const dark = new Set();
      for (const [, x, y] of document.querySelector(".elsewhere .qr path").getAttribute("d")
        .matchAll(/M(\\d+) (\\d+)/g)) dark.add(`${x - 4},${y - 4}`);
      const size = document.querySelector(".elsewhere .qr").viewBox.baseVal.width - 8;
      const version = (size - 17) / 4, blocks = [1, 1, 1, 2, 2][version - 1];
      const data = [16, 28, 44, 64, 86][version - 1];
      const at = (x, y) => dark.has(`${x},${y}`) ? 1 : 0;
      // Three bits of the format behind its mask.
      const mask = (at(2, 8) ^ 1) << 2 | at(3, 8) << 1 | at(4, 8) ^ 1;
      const isFlipped = [
        (x, y) => (x + y) % 2 === 0, (x, y) => y % 2 === 0, (x) => x % 3 === 0, (x, y) => (x + y) % 3 === 0,
        (x, y) => ((y >> 1) + Math.floor(x / 3)) % 2 === 0, (x, y) => x * y % 2 + x * y % 3 === 0,
        (x, y) => (x * y % 2 + x * y % 3) % 2 === 0, (x, y) => ((x + y) % 2 + x * y % 3) % 2 === 0,
      ][mask];
      const isData = (x, y) => !(x === 6 || y === 6 || x < 9 && y < 9 || x < 9 && y > size - 9 || x > size - 9 && y < 9
        || version > 1 && Math.abs(x - size + 7) < 3 && Math.abs(y - size + 7) < 3);
      const bits = [];
      let isUp = true;
      for (let right = size - 1; right > 0; right -= 2, isUp = !isUp) {
        if (right === 6) right = 5;
        for (let k = 0; k < size; k++) for (const x of [right, right - 1]) {
          const y = isUp ? size - 1 - k : k;
          if (isData(x, y)) bits.push(at(x, y) ^ (isFlipped(x, y) ? 1 : 0));
        }
      }
      const number = (from, count) => bits.slice(from, from + count).reduce((sum, bit) => sum * 2 + bit, 0);
      const bytes = [];
      for (let block = 0; block < blocks; block++) {
        for (let k = 0; k < data / blocks; k++) bytes.push(number((k * blocks + block) * 8, 8));
      }
      const stream = bytes.flatMap((byte) => [...byte.toString(2).padStart(8, "0")].map(Number));
      const read = (from, count) => stream.slice(from, from + count).reduce((sum, bit) => sum * 2 + bit, 0);
      const text = Array.from({ length: read(4, 8) }, (_, k) => read(12 + 8 * k, 8));
      return [read(0, 4), String.fromCharCode(...text)];
    })()
    """

  @Test func `the address for players of HLS is there as text, and as a code on a press`()
    async throws
  {
    try await Self.withScene { scene in
      let wanted = scene.url("/jazz/hls/live.m3u8")
      // It has the listener's token where the page's own address has it, as the stream's.
      for query in ["", "?token=open-sesame"] {
        let plain = try await scene.relay.get("/listen/jazz" + query).text
        for path in ["/jazz", "/jazz/hls/live.m3u8"] {
          #expect(plain.contains("relay.test\(path)\(query)</code>"), "\(path)\(query)")
        }
      }
      let page = try await scene.page("/listen/jazz?lang=de")
      let press = ".elsewhere button"
      try await page.until(
        "a button", "document.querySelector('\(press)')?.textContent === 'QR-Code'")
      #expect(try page.requests().allSatisfy { !$0.path.hasSuffix("/qr.js") })
      // The list above it comes later, and would move it away from under the pointer.
      try await page.until("the list's head", "document.querySelector('.played-head')")
      try await page.click(press)
      try await page.until("a code", "document.querySelector('.elsewhere .qr')")
      // Bytes.
      #expect(try await page.evaluate(Self.reader) == [JSON(4), .string(wanted)])
      if let axe = Self.axe {
        try await page.evaluate(axe)
        #expect(try await Self.violations(in: page) == [])
      }
      try await page.click(press)
      try await page.until("no code", "!document.querySelector('.elsewhere .qr')")
      #expect(try page.errors() == [])
    }
  }
}
