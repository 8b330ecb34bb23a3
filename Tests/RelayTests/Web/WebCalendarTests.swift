import Longwave
import TestSupport
import Testing
import Timeshift

/// Recordings in the dashboard: the week, and how one is begun.
extension WebScenarioTests {
  private static let bearer = "Authorization: Bearer \(Scenario.token)"

  private static func add(_ scene: Scene, _ id: String, _ rest: String) async throws {
    let body = #"{"id":"\#(id)","upstream":["\#(scene.upstream.url("/live"))"],\#(rest)}"#
    let answer = try await HTTPExchange(
      "POST", "/api/v1/stations", at: scene.relay.address, fields: [bearer], body: body)
    #expect(answer.status == 201, "\(answer.text)")
  }

  private static func recordings(_ scene: Scene) async throws -> [JSON] {
    try await scene.json("/api/v1/recordings")["recordings"]?.items ?? []
  }

  /// Places of bars on a day of 24 hours from the second 0 on, in minutes, with their lanes and those left out.
  private static func placed(_ entries: String) async throws -> JSON {
    try await module(
      "admin/week.js", as: "week",
      """
      const entries = \(entries).map(([start, end], at) => ({key: String(at), start: start * 60, end: end * 60}));
      const clock = moment => Math.floor(moment / 60) % 1440;
      const {bars, rest} = week.placed(entries, {start: 0, end: 86400}, clock);
      return {bars: bars.map(({entry, from, to, lane, lanes, isHidden}) =>
        [Number(entry.key), from, to, lane, lanes, isHidden]), rest: rest.map(({at, count}) => [at, count])};
      """)
  }

  @Test func `bars of a day stand at their hours, and beside those of the same time`() async throws
  {
    // Shorter than a line is as tall as one; at the day's end it stands above it.
    let lone = try await Self.placed(
      "[[600, 605], [1435, 1440], [-60, 30], [1400, 2000], [2000, 2100]]")
    #expect(
      lone["bars"]
        == [
          [2, 0, 60, 0, 1], [0, 600, 660, 0, 1], [1, 1380, 1440, 0, 2], [3, 1380, 1440, 1, 2],
        ].rows)
    let beside = try await Self.placed("[[600, 720], [630, 700], [710, 800], [800, 900]]")
    #expect(
      beside["bars"]
        == [[0, 600, 720, 0, 2], [1, 630, 700, 1, 2], [2, 710, 800, 1, 2], [3, 800, 900, 0, 1]].rows
    )
    let crowd = try await Self.placed("Array.from({length: 6}, () => [600, 700])")
    #expect(crowd["bars"]?.items.count { $0.items.last == .bool(true) } == 4)
    #expect(crowd["rest"] == .array([.array([JSON(600), JSON(4)])]))
  }

  @Test
  func `a week shows what is to be recorded, what runs and what was, each with its way there`()
    async throws
  {
    try await Self.withScene { scene in
      try await Self.add(
        scene, "shows",
        #""timeZone":"+02:00","record":["daily 00:00-24:00",{"from":"03:00","to":"04:00","name":"Night %d"}]"#
      )
      try await scene.relay.until("shows", is: "playing")
      try await eventually("a recording") { try await Self.recordings(scene).first?["id"] != nil }
      let page = try await Self.dashboard(scene, "recordings")
      try await page.until("seven days", "document.querySelectorAll('.week .day').length === 7")
      try await page.until(
        "a running one", "document.querySelector('.week [data-state=recording]')")
      #expect(
        try await page.evaluate("document.querySelectorAll('.week [data-state=planned]').length")
          .integer ?? 0 >= 12)
      let planned = "document.querySelector('.week [data-state=planned] ')"
      #expect(try await page.evaluate("\(planned).hash") == "#stations/shows")
      let text = "document.querySelector('.week').textContent"
      #expect(try await page.evaluate("\(text).includes('Night')") == .bool(true))

      // In the station's own zone its times are those of its rule.
      try await page.evaluate(
        "(s => { s.value = 'shows'; s.dispatchEvent(new Event('change')); })(document.querySelector('.calendar select'))"
      )
      try await page.until(
        "its zone", "document.querySelector('.calendar .head').textContent.includes('+02:00')")
      try await page.until("its times", "\(text).includes('03:00–04:00')")

      // Days that are over have nothing planned; a week later there is nothing but that.
      try await page.press(button: "Later", in: ".calendar")
      try await page.until(
        "only planned ones", "!document.querySelector('.week [data-state=recording]') && \(planned)"
      )
      try await page.press(button: "Today", in: ".calendar")
      try await page.until(
        "the running one", "document.querySelector('.week [data-state=recording]')")

      // A bar opens its recording, and so does its address.
      try await page.evaluate("document.querySelector('.week [data-state=recording]').click()")
      try await page.until(
        "its files", "document.querySelector('dialog h2')?.textContent.includes('shows')")
      try await page.press(button: "Close", in: "dialog")
      let id = try #require(try await Self.recordings(scene).first?["id"]?.integer)
      let linked = try await scene.page("/admin/?lang=en#recordings/\(id)")
      try await linked.write(Scenario.token, into: "#token")
      try await linked.press(button: "Sign in", in: "form.login")
      try await linked.until(
        "its files", "document.querySelector('dialog h2')?.textContent.includes('shows')")
      #expect(try page.errors() == [])
    }
  }

  @Test(.enabled(if: axe != nil, "deploy/setup test fetches axe-core"))
  func `axe finds nothing in the week, dark or light, as columns or as a list`() async throws {
    try await Self.withScene { scene in
      for number in 1...5 {
        try await Self.add(
          scene, "show\(number)", #""record":["daily 03:00-04:00","daily 12:0\#(number)-14:00"]"#)
      }
      let page = try await Self.dashboard(scene, "recordings")
      try await page.until("a crowd", "document.querySelector('.week .more button')")
      try await page.evaluate(Self.axe!)
      for width in [1280, 768, 320] {
        try await page.resize(width: width, height: 800)
        for theme in ["dark", "light"] {
          try await page.prefer(["prefers-color-scheme": theme])
          try await page.settled()
          #expect(try await Self.violations(in: page) == [], "\(theme), \(width) px")
          let sizes = try await page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
          #expect(
            sizes.items[0].double ?? .infinity <= sizes.items[1].double ?? 0,
            "\(theme), \(width) px: \(sizes.text)")
        }
      }
      // Where bars find no room, the list has them all.
      try await page.resize(width: 1280, height: 800)
      let hidden = "getComputedStyle(document.querySelector('.week .crowded')).display === 'none'"
      try await page.until("columns", hidden)
      try await page.evaluate("document.querySelector('.week .more button').click()")
      try await page.until("the list", "!(\(hidden))")
      #expect(try await Self.violations(in: page) == [], "as a list")
    }
  }

  @Test func `a recording is begun in the past, for a length, with a file for each title`()
    async throws
  {
    try await Self.withScene { scene in
      let page = try await Self.dashboard(scene, "recordings")
      try await page.press(button: "Record…", in: ".recordings")
      for (name, value) in [("from", "-20s"), ("seconds", "1h")] {
        try await page.write(value, into: "dialog [name=\(name)]")
      }
      try await page.evaluate("document.querySelector('dialog [name=split]').click()")
      try await page.press(button: "Record", in: "dialog")
      // Its beginning is known once it has its first packet.
      let made = try await eventually("a recording that has begun") {
        try await Self.recordings(scene).first {
          $0["state"]?.string == "recording" && $0["from"]?.string != nil
        }
      }
      #expect(made["split"] == .bool(true))
      let (from, until) = (made["from"]?.string, made["until"]?.string)
      let begin = try WallTime(parsing: from ?? ""), end = try WallTime(parsing: until ?? "")
      #expect(abs(end.seconds(since: begin) - 3600) < 2)
    }
  }

  @Test(arguments: [(0.25, 0.75), (0.75, 0.25)])
  func `a stretch of a station's past is dragged and recorded, in either direction`(
    from: Double, to: Double
  ) async throws {
    try await Self.withScene { scene in
      let page = try await Self.dashboard(scene, "stations")
      try await page.evaluate("location.hash = 'stations/jazz'")
      try await page.until("its past", "document.querySelector('svg.audience .title')")
      let (x, y) = try await page.middle(of: "svg.audience")
      let width =
        try await page.evaluate("document.querySelector('svg.audience').clientWidth").double ?? 0
      func at(_ share: Double) -> Double { x + (share - 0.5) * width }
      try await page.mouse("mouseMoved", at(from), y)
      try await page.mouse("mousePressed", at(from), y)
      for step in 1...4 {
        try await page.mouse(
          "mouseMoved", at(from + (to - from) * Double(step) / 4), y, isDown: true)
      }
      try await page.mouse("mouseReleased", at(to), y)
      try await page.press(button: "Record", in: "dialog")
      let made = try await eventually("a finished one") {
        try await Self.recordings(scene).first { $0["state"]?.string == "finished" }
      }
      #expect(made["station"]?.string == "jazz" && made["seconds"]?.double ?? 0 > 20)
    }
  }
}

extension [[Int]] {
  /// Numbers as the page tells them, each row with whether it is left out.
  fileprivate var rows: JSON { .array(map { .array($0.map { JSON($0) } + [.bool(false)]) }) }
}
