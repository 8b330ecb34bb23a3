import Longwave
import TestSupport
import Testing

/// Modules of the pages by themselves, in the browser, with times of the test's own.
extension WebScenarioTests {
  /// Runs the body of an async function in a page, with a module under a name and the modules' `folder`; returns what
  /// it returns.
  static func module(_ file: String, as name: String, _ body: String) async throws -> JSON {
    var result = JSON.null
    try await withScene { scene in
      let page = try await scene.page("/")
      let folder = try page.assetFolder()
      result = try await page.evaluate(
        """
        (async () => {
          const folder = "\(folder)";
          const \(name) = await import(`/${folder}/\(file)`);
          \(body)
        })()
        """)
    }
    return result
  }

  @Test func `a module runs once, wherever it is asked for`() async throws {
    let found = try await Self.module(
      "deck.js", as: "door",
      """
      const pages = await import(`/${folder}/pages.layer.js`);
      const player = await import(`/${folder}/player.layer.js`);
      return [
        pages.$deck() === pages.$deck() && pages.$deck().deck === door.deck,
        (await import(`/${folder}/app.js`)).App === player.$app().App,
      ];
      """)
    #expect(found == .array([.bool(true), .bool(true)]))
  }

  /// A timeline with an hour's jump of the clock at media second 100, a gap of 20 s at 200, and four titles.
  private static let timeline = """
    const at = (seconds) => new Date(1700000000000 + seconds * 1000).toISOString();
    const json = {
      station: "jazz", timeZone: {name: "Europe/Berlin", seconds: 3600},
      live: {media: 400, air: at(4020), position: 400000}, oldest: {media: 50, air: at(50), position: 50000},
      anchors: [{media: 0, air: at(0)}, {media: 100, air: at(3700)}, {media: 200, air: at(3820)}],
      gaps: [{media: 200, position: 200000, seconds: 20, cause: "disconnected"}],
      titles: [[20, "A"], [90, "B"], [150, "C"], [300, "D"]].map(([media, title]) => ({
        media, position: media * 1000, since: at(media), title, artist: `Artist ${title}`, url: null, artwork: null})),
    };
    const seconds = (air) => Math.round((air - 1700000000000) / 1000);
    const timeline = new timelines.Timeline(json, 1000);
    """

  @Test func `a timeline turns media time into air time and back, over jumps and gaps`()
    async throws
  {
    let found = try await Self.module(
      "timeline.js", as: "timelines",
      Self.timeline + """
        return {
          air: [60, 99, 100, 150, 199, 200, 300].map((media) => seconds(timeline.airOf(media))),
          media: [60, 3750, 3810, 3820, 3920].map((air) =>
            Math.round(timeline.mediaOf(1700000000000 + air * 1000))),
          live: [timeline.live(1000).media, timeline.live(6000).media, seconds(timeline.live(6000).air)],
          gap: timeline.gaps.map((gap) => [seconds(gap.air), gap.seconds]),
        };
        """)
    #expect(found["air"] == [60, 99, 3700, 3750, 3799, 3820, 3920].integers)
    // In the gap: the moment right behind it.
    #expect(found["media"] == [60, 150, 200, 200, 300].integers)
    #expect(found["live"] == [400, 405, 4025].integers)
    #expect(found["gap"] == .array([[3800, 20].integers]))
  }

  @Test func `a timeline knows the title heard, and its neighbours`() async throws {
    let found = try await Self.module(
      "timeline.js", as: "timelines",
      Self.timeline + """
        const name = (title) => title?.title ?? null;
        return {
          at: [60, 89.9, 90, 149, 150, 399].map((media) => name(timeline.titleAt(media))),
          before: name(timeline.titleBefore(160)), after: name(timeline.titleAfter(160)),
          last: name(timeline.titleAfter(350)), end: timeline.titles.at(-1).end,
          clock: [timeline.clock(1700000000000), timeline.clock(1700000000000, true)],
        };
        """)
    #expect(found["at"] == ["A", "A", "B", "B", "C", "D"])
    #expect(found["before"] == "B" && found["after"] == "D")
    #expect(found["last"] == .null && found["end"] == .null)
    // 22:13:20 UTC, an hour later in the station's zone.
    #expect(found["clock"] == ["23:13", "23:13:20"])
  }

  @Test func `a timeline that goes on has each title once and forgets what has left the window`()
    async throws
  {
    let found = try await Self.module(
      "timeline.js", as: "timelines",
      Self.timeline + """
        const before = timeline.version;
        const next = {...json, live: {media: 460, air: at(4080), position: 460000},
          oldest: {media: 160, air: at(3760), position: 160000},
          titles: [...json.titles.slice(3), {...json.titles[3], media: 450, position: 450000, title: "E"}]};
        timeline.merge(next, 61000);
        return {titles: timeline.titles.map((title) => title.title), grew: timeline.version > before,
          oldest: timeline.oldest.media, end: timeline.titles.find((title) => title.title === "D").end};
        """)
    // C goes on into the window.
    #expect(found["titles"] == ["C", "D", "E"])
    #expect(found["grew"] == .bool(true))
    #expect(found["oldest"] == .integer(160) && found["end"] == .integer(450))
  }

  @Test func `a timeline says titles as times, as far as the window reaches`() async throws {
    let found = try await Self.module(
      "timeline.js", as: "timelines",
      Self.timeline + """
        const said = (place, heard) => {
          const exact = timeline.exact(place, heard);
          return typeof exact === "string" ? exact : seconds(exact.air);
        };
        return {
          start: [said("track-start", 160), said("previous-track", 160), said("previous-track", 60)],
          next: [said("next-track", 160), said("next-track", 350)],
          place: [said("live", 160), said({media: 150}, 160), said({air: Date.parse(at(70))}, null)],
          unknown: said("previous-track", null), empty: new timelines.Timeline(null).exact("track-start", 5),
        };
        """)
    #expect(found["start"] == [150, 90, 50].integers)
    #expect(found["next"] == .array([.integer(300), "live"]))
    #expect(found["place"] == .array(["live", .integer(3750), .integer(70)]))
    #expect(found["unknown"] == "previous-track" && found["empty"] == "track-start")
  }

  @Test func `a timeline of another log forgets what it knew`() async throws {
    let found = try await Self.module(
      "timeline.js", as: "timelines",
      Self.timeline + """
        const before = timeline.log;
        timeline.merge({...json, live: {media: 401, air: at(4021), position: 401000}}, 2000);
        const same = timeline.log;
        timeline.merge({...json, live: {media: 10, air: at(4100), position: 10000},
          oldest: {media: 0, air: at(4090), position: 0}, anchors: [{media: 0, air: at(4090)}], gaps: [],
          titles: [{...json.titles[0], media: 5, position: 5000, title: "New"}]}, 3000);
        return {grew: [same - before, timeline.log - same], titles: timeline.titles.map(({title}) => title),
          gaps: timeline.gaps.length};
        """)
    #expect(found["grew"] == [0, 1].integers)
    #expect(found["titles"] == ["New"] && found["gaps"] == .integer(0))
  }

  @Test func `times of day are those of their own day, before and after a clock change`()
    async throws
  {
    let found = try await Self.module(
      "timeline.js", as: "timelines",
      """
      const timeline = new timelines.Timeline({timeZone: {name: "Europe/Oslo", seconds: 3600}});
      const times = ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-03-29T00:59:59Z", "2026-03-29T01:00:00Z"];
      const {labelTimes} = await import(`/${folder}/strip.js`);
      const labels = (from, to) => labelTimes({from: Date.parse(from), to: Date.parse(to), width: 400}, timeline)
        .times.map((time) => timeline.clock(time)).join(" ");
      return [
        ...times.map((time) => timeline.clock(Date.parse(time), true)),
        labels("2026-10-24T20:00:00Z", "2026-10-25T12:00:00Z"), labels("2026-03-28T21:00:00Z", "2026-03-29T12:00:00Z"),
      ];
      """)
    #expect(found.items.prefix(4) == ["02:30:00", "02:30:00", "01:59:59", "03:00:00"])
    // Full hours by the clock on both sides, at the places where they were.
    let hours: JSON = "00:00 03:00 06:00 09:00 12:00"
    #expect(found.items.suffix(2) == [hours, hours], "\(found.text)")
  }

  /// Two nights, each from 01:00 to 04:00 by the clock, and the mornings behind them.
  @Test func `airings are as long as they were, over both clock changes`() async throws {
    let found = try await Self.module(
      "airings.js", as: "airings",
      """
      const {xOf} = await import(`/${folder}/strip.js`);
      const shows = new airings.Airings();
      const airing = (show, start, end) => ({show, start: `2026-${start}:00Z`, end: `2026-${end}:00Z`});
      shows.learn({show: {name: "Now", start: "2026-03-28T00:00:00Z", end: "2026-03-28T01:00:00Z"}, nextShow: null});
      const before = shows.all.map(({show}) => show.name);
      shows.merge({shows: [{name: "Night"}, {name: "Morning"}], recordings: [], airings: [
        airing(0, "03-29T00:00", "03-29T02:00"), airing(1, "03-29T02:00", "03-29T04:00"),
        airing(0, "10-24T23:00", "10-25T03:00"), airing(1, "10-25T03:00", "10-25T05:00"),
        airing(7, "10-25T05:00", "10-25T06:00"), airing(1, "10-25T07:00", "10-25T06:00")]});
      // A station does not know more than what it was told of all.
      shows.learn({show: null, nextShow: null});
      const at = (time) => Date.parse(`2026-${time}:00Z`);
      const placed = (from, to) => {
        const axis = {from: at(from), to: at(to), width: 600};
        return shows.within(axis.from, axis.to).map(({airing, from, to}) =>
          `${airing.show.name} ${Math.round(xOf(axis, from))}–${Math.round(xOf(axis, to))}`);
      };
      return {
        before, spring: placed("03-29T00:00", "03-29T06:00"), autumn: placed("10-25T00:00", "10-25T06:00"),
        none: placed("10-26T00:00", "10-26T06:00"),
        heard: ["10-25T02:59", "10-25T03:00", "10-25T05:00"].map((time) => shows.at(at(time))?.show.name ?? null),
        next: [shows.after(at("10-25T00:00")).show.name, shows.after(at("10-25T03:00"))],
        changes: ["10-25T02:59", "10-25T03:00"].map((to) => shows.changes(at("10-25T00:00"), at(to))),
      };
      """)
    #expect(found["before"] == ["Now"])
    #expect(found["spring"] == ["Night 0–200", "Morning 200–400"], "\(found.text)")
    #expect(found["autumn"] == ["Night 0–300", "Morning 300–500"], "\(found.text)")
    #expect(found["none"] == [])
    #expect(found["heard"] == ["Night", "Morning", nil], "\(found.text)")
    #expect(found["next"] == ["Morning", nil], "\(found.text)")
    #expect(found["changes"] == .array([.bool(false), .bool(true)]))
  }

  /// A waveform of media seconds 50 to 400 of which those before `measured` are known, and a strip of the last 100.
  ///
  /// `short()` draws after the next answer, and returns the bars without a height.
  private static let waveform = """
    const timelines = await import(`/${folder}/timeline.js`);
    let now = 1000;
    performance.now = () => now;
    const at = (seconds) => new Date(1700000000000 + seconds * 1000).toISOString();
    const timeline = new timelines.Timeline({
      station: "jazz", timeZone: {name: "UTC", seconds: 0}, gaps: [], titles: [],
      live: {media: 400, air: at(400), position: 400000}, oldest: {media: 50, air: at(50), position: 50000},
      anchors: [{media: 0, air: at(0)}]}, now);
    let measured = 380;
    const asked = [];
    globalThis.fetch = async (path) => {
      const query = new URL(path, location).searchParams;
      const from = Math.max(50, Number(query.get("from") ?? 50)), to = Math.min(400, Number(query.get("to") ?? 400));
      if (query.has("from")) asked.push(from);
      const bytes = Array.from({length: to - from}, (_, k) => from + k < measured ? 150 : 0);
      return new Response(JSON.stringify({
        media: from, secondsPerPoint: 1, kind: "measured", data: btoa(String.fromCharCode(...bytes))}));
    };
    const wave = new waves.Waveform({station: {id: "jazz"}, timeline});
    await wave.refresh(300);
    const heights = [];
    Path2D.prototype.rect = (x, y, width, height) => heights.push(height);
    const axis = {from: timeline.airOf(300), to: timeline.airOf(400), width: 300};
    const draw = () => {
      heights.length = 0;
      wave.draw({fill() {}}, axis,
        {top: 0, bar: 100, from: axis.from, to: axis.to, cuts: []}, () => ({colour: "", alpha: 1}));
    };
    const short = async () => {
      const before = wave.version;
      draw();
      while (wave.version === before) await new Promise((done) => setTimeout(done, 10));
      draw();
      return heights.filter((height) => height <= 2).length;
    };
    """

  @Test func `a waveform asks again for seconds that were not measured yet`() async throws {
    let found = try await Self.module(
      "waveform.js", as: "waves",
      Self.waveform + """
        const first = await short();
        [measured, now] = [400, 6000];
        return {first, second: await short(), asked};
        """)
    #expect(found["first"] == .integer(20))
    #expect(found["second"] == .integer(0), "\(found.text)")
    #expect(found["asked"] == .array([.integer(50), .integer(380)]), "\(found.text)")
  }

  /// Sound that only a listener's decoder measures becomes known as it is heard, however far behind live.
  @Test func `a waveform asks again for seconds that are measured long after they were on air`()
    async throws
  {
    let found = try await Self.module(
      "waveform.js", as: "waves",
      Self.waveform + """
        measured = 310;
        const first = await short();
        [measured, now] = [330, 6000];
        const second = await short();
        [measured, now] = [400, 11000];
        return {first, second, third: await short(), asked};
        """)
    #expect(found["first"] == .integer(90), "\(found.text)")
    #expect(found["second"] == .integer(70), "\(found.text)")
    #expect(found["third"] == .integer(0), "\(found.text)")
  }

  @Test func `a waveform takes no second as whole that still goes on at the relay`() async throws {
    let found = try await Self.module(
      "waveform.js", as: "waves",
      Self.waveform + """
        // The page guesses that live has gone on, and the relay's edge stands where it was.
        [measured, now] = [400, 3500];
        await short();
        now = 9000;
        draw();
        for (let k = 0; k < 200 && asked.length < 2; k += 1) await new Promise((done) => setTimeout(done, 10));
        return {asked};
        """)
    #expect(found["asked"] == [50, 399].integers, "\(found.text)")
  }

  @Test func `a waveform asks ever more rarely for seconds that stay silent`() async throws {
    let found = try await Self.module(
      "waveform.js", as: "waves",
      Self.waveform + """
        measured = 310;
        await short();
        const times = [];
        for (let k = 0; k < 60; k += 1) {
          now += 2000;
          const before = asked.length;
          draw();
          await new Promise((done) => setTimeout(done, 20));
          if (asked.length > before) times.push(now);
        }
        return {pauses: times.map((time, k) => (time - (times[k - 1] ?? 1000)) / 1000)};
        """)
    #expect(found["pauses"] == [4, 8, 16, 32, 32].integers, "\(found.text)")
  }
}

extension [Int] {
  fileprivate var integers: JSON { .array(map { JSON($0) }) }
}
