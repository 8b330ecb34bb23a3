import Foundation
import Longwave
import TestSupport
import Testing

/// Shows of a station. They are always on: no test waits for a time of day.
@Suite struct ShowScenarioTests {
  /// A relay with a configuration of its own, whose station `jazz` has numbered packets and titles.
  private final class Setup {
    let upstream: FakeUpstream
    let data = TemporaryDirectory()
    private var server: LongwaveProcess?

    init(burst: Double = 12) throws {
      upstream = try FakeUpstream(
        .numbered(
          before: 1000,
          titles: [.init(packet: 0, "Miles - So What")]
            + (1..<400).map { .init(packet: 38_000 + $0 * 100, "Miles - Take \($0)") }))
      var stream = FakeStream(burst: burst)
      stream.metaint = 4096
      upstream.reply("/live", with: .stream(stream))
    }

    var file: String { data.path + "/longwave.yml" }

    /// Writes the configuration, with lines for the station `jazz`.
    func write(_ lines: [String], zone: String = "Asia/Tokyo") throws {
      try """
      server: { time-zone: "\(zone)" }
      stations:
        - id: jazz
          upstream: \(upstream.url("/live"))
      \(lines.map { "    " + $0 }.joined(separator: "\n"))
        - { id: later, of: jazz, delay: 2s }
      """.write(toFile: file, atomically: true, encoding: .utf8)
    }

    func serve() async throws {
      server = try await LongwaveProcess(["serve", "--config", file], data: data.path)
      try await server!.api.untilPublic("jazz", is: "playing")
    }

    func reload() async throws {
      let reload = try await LongwaveProcess.command(["config", "reload"], data: data.path)
      #expect(reload.status == 0, "\(reload.log)")
    }

    func stop() async throws {
      server?.process.signal(SIGTERM)
      #expect(try await server?.process.end() == 0)
      server = nil
    }

    func get(_ path: String, fields: [String] = []) async throws -> HTTPExchange {
      try await HTTPExchange("GET", path, at: try #require(server).address, fields: fields)
    }

    /// Returns the number of the first packet that a listener gets.
    func listen(_ path: String) async throws -> UInt64 {
      let client = try StreamClient(to: try #require(server).address, get: path)
      try await client.until("some packets") { $0.bodyCount > 4096 }
      return try #require(try NumberedFrames.numbers(in: client.body).first)
    }

    func shows(of id: String = "jazz") async throws -> JSON {
      let answer = try await get("/api/v1/stations/\(id)/shows")
      #expect(answer.status == 200, "\(answer.text)")
      return JSON.parse(answer.body) ?? .null
    }

    /// Returns the seconds of audio that came so far.
    func edge() async throws -> Double {
      let answer = try await get("/api/v1/stations/jazz/timeline")
      return JSON.parse(answer.body)?["live"]?["media"]?.double ?? 0
    }

    func untilRecorded(_ seconds: Double) async throws -> JSON {
      try await eventually("\(seconds) s of the show", within: 60) {
        let recorded = try await shows()["recordings"]?.items.first
        return (recorded?["seconds"]?.double ?? 0) > seconds ? recorded : nil
      }
    }
  }

  private static let time = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
  private static let late = """
    shows: [{ name: Late Night, from: 00:00, to: 24:00, text: Until the sun is up, record: true }]
    """

  private func withSetup(_ body: (Setup) async throws -> Void) async throws {
    let setup = try Setup()
    defer { setup.upstream.stop() }
    try await body(setup)
  }

  private func audio(_ file: [UInt8]) -> [UInt8] {
    guard file.starts(with: "ID3".utf8) else { return file }
    return Array(file[(10 + file[6..<10].reduce(0) { $0 << 7 | Int($1) })...])
  }

  @Test func `a show is told and recorded, and everybody hears it again, with its titles`()
    async throws
  {
    try await withSetup { setup in
      try setup.write([Self.late])
      try await setup.serve()
      let recorded = try await setup.untilRecorded(8)
      #expect(recorded["show"]?.string == "Late Night" && recorded["isGrowing"] == .bool(true))
      #expect(recorded["start"]?.string?.hasSuffix("T15:00:00.000Z") == true)
      let shows = try await setup.shows()
      #expect(shows["timeZone"]?["name"]?.string == "Asia/Tokyo")
      #expect(shows["shows"]?.items.first?["text"]?.string == "Until the sun is up")
      #expect(shows["airings"]?.items.contains { $0["start"] == recorded["start"] } == true)
      let station = JSON.parse(try await setup.get("/api/v1/stations/jazz").body)
      #expect(station?["show"]?["name"]?.string == "Late Night")
      #expect(station?["show"]?["start"] == recorded["start"])
      #expect(station?["nextShow"]?["start"] == recorded["end"])
      // The copy has them two seconds later, and records none.
      let later = try await setup.shows(of: "later")
      #expect(later["recordings"]?.items.isEmpty == true)
      #expect(later["shows"]?.items.first?["recorded"] == .bool(false))
      #expect(later["airings"]?.items.first?["start"]?.string?.hasSuffix(":00:02.000Z") == true)

      let path = try #require(recorded["files"]?.items.first?["path"]?.string)
      let heard = try await setup.get(path)
      #expect(heard.status == 200 && heard.head["content-type"] == "audio/mpeg")
      let numbers = try NumberedFrames.numbers(in: audio(heard.body))
      #expect(areUnbroken(numbers) && numbers.count > 200)
      // Each title stands where its packet is.
      let titles = try #require(recorded["titles"]?.items)
      #expect(titles.first?["seconds"]?.double ?? 9 < 0.5, "\(titles) behind packet \(numbers[0])")
      let takes = titles.filter { $0["title"]?.string?.hasPrefix("Take ") == true }
      #expect(!takes.isEmpty)
      for take in takes where take["seconds"]?.double ?? 0 > 0 {
        let number = UInt64(take["title"]?.string?.dropFirst(5) ?? "") ?? 0
        let packet = Double(38_000 + number * 100 - numbers[0])
        let seconds = packet * 1152 / 44_100
        // Blocks of titles come every 4,096 bytes: up to ten packets after their title.
        let told = take["seconds"]?.double ?? 0
        #expect(told >= seconds - 0.001 && told < seconds + 0.4, "\(take)")
        #expect(take["artist"]?.string == "Miles")
      }
      try await setup.stop()
    }
  }

  @Test
  func
    `the beginning of a show is the same moment for its recording, a clip and whoever goes there`()
    async throws
  {
    let setup = try Setup(burst: 100)
    defer { setup.upstream.stop() }
    try setup.write(["shows: []"], zone: "+00:00")
    try await setup.serve()
    // When what came at once was on air is known better a little later.
    try await eventually("a settled past") {
      try await setup.edge() > 102
    }
    // The last full minute that half a minute has gone by since: the window has it.
    let began = (Int(Date.now.timeIntervalSince1970) - 30) / 60 * 60
    func clock(_ time: Int) -> String {
      let minute = time / 60 % 1440
      return String(format: "\"%02d:%02d\"", minute / 60, minute % 60)
    }
    let times = "from: \(clock(began)), to: \(clock(began + 3600))"
    try setup.write(["shows: [{ name: Minutes, \(times), record: true }]"], zone: "+00:00")
    try await setup.reload()
    let recorded = try await setup.untilRecorded(10)
    let start = try #require(recorded["start"]?.string)
    #expect(try Date(start, strategy: Self.time).timeIntervalSince1970 == Double(began))
    let path = try #require(recorded["files"]?.items.first?["path"]?.string)
    let first = try #require(
      try NumberedFrames.numbers(in: audio(try await setup.get(path).body)).first)
    let clip = try await setup.get("/jazz/clip?from=\(start)")
    #expect(try NumberedFrames.numbers(in: audio(clip.body)).first == first)
    let heard = try await setup.listen("/jazz?at=\(start)&burst=1")
    // Who goes to a moment hears the packet that it lies in; files begin with the next one.
    #expect([first - 1, first].contains(heard))
    // In the copy the show begins two seconds later, with the same packet.
    let later = try await setup.shows(of: "later")["airings"]?.items.first?["start"]?.string
    let moved = try #require(later)
    #expect(try Date(moved, strategy: Self.time).timeIntervalSince1970 == Double(began + 2))
    #expect(try await setup.listen("/later?at=\(moved)&burst=1") == heard)
    // Of the list of airings, the first is the one that is on.
    let station = JSON.parse(try await setup.get("/api/v1/stations/jazz").body)
    #expect(station?["show"]?["start"]?.string == start)
    try await setup.stop()
  }

  @Test func `a show of a closed station, and one that may not be gone back to, is not given away`()
    async throws
  {
    try await withSetup { setup in
      try setup.write([Self.late])
      try await setup.serve()
      let path = try #require(
        try await setup.untilRecorded(4)["files"]?.items.first?["path"]?.string)
      try setup.write([Self.late, "auth: { tokens: [open-sesame-open-sesame] }"])
      try await setup.reload()
      #expect(try await setup.get(path).status == 403)
      #expect(try await setup.get(path + "&token=wrong-wrong-wrong-wrong").status == 403)
      #expect(try await setup.get(path + "&token=open-sesame-open-sesame").status == 200)
      for rights in [["shift: false"], ["offset-max: 1s", "burst: 0s"]] {
        try setup.write([Self.late] + rights)
        try await setup.reload()
        #expect(try await setup.get(path).status == 404)
        // What everybody is told may be a second old.
        try await eventually("a list without it") {
          try await setup.shows()["recordings"]?.items.isEmpty == true
        }
      }
      // No number but that of its own show's recording opens anything.
      try setup.write([Self.late])
      try await setup.reload()
      #expect(try await setup.get(path).status == 200)
      let (own, later) = ("/api/v1/stations/jazz/shows/", "/api/v1/stations/later/shows/1")
      #expect(try await setup.get(later).status == 404)
      for (rest, status) in [("1", 200), ("2", 404), ("1?part=0", 400), ("1?part=99", 404)] {
        #expect(try await setup.get(own + rest).status == status)
      }
      // The same hours without a show, for administrators: another recording begins, and is nobody else's.
      let before = try await setup.untilRecorded(0)
      try setup.write(["record: daily 00:00-24:00"])
      try await setup.reload()
      let listed = try await LongwaveProcess.command(
        ["record", "list", "--json"], data: setup.data.path
      ).json["recordings"]?.items
      #expect(listed?.map { $0["state"]?.string } == ["finished", "recording"])
      let after = try #require(try await setup.shows()["recordings"]?.items)
      #expect(after.map { $0["id"] } == [before["id"]])
      #expect(try await setup.get(own + "2").status == 404)
      // And it does not become everybody's by a show of the same hours.
      try setup.write([Self.late])
      try await setup.reload()
      #expect(try await setup.get(own + "2").status == 404)
      // Another file of the same name is not what was recorded.
      let name = try #require(after[0]["files"]?.items.first?["name"]?.string)
      #expect(try await setup.get(own + "1").status == 200)
      try "private".write(
        toFile: setup.data.path + "/recordings/" + name, atomically: true, encoding: .utf8)
      #expect(try await setup.get(own + "1").status == 404)
      try await setup.stop()
    }
  }

  @Test func `a show that is renamed while it runs goes on, over a restart, and its page says all`()
    async throws
  {
    try await withSetup { setup in
      try setup.write([Self.late])
      try await setup.serve()
      let before = try await setup.untilRecorded(4)
      try setup.write([Self.late.replacing("Late Night", with: "<Early> & 'Bright'")])
      try await setup.reload()
      let renamed = try await setup.untilRecorded((before["seconds"]?.double ?? 0) + 2)
      #expect(renamed["id"] == before["id"])
      #expect(renamed["show"]?.string == "<Early> & 'Bright'")
      try await setup.stop()
      try await setup.serve()
      let after = try await setup.untilRecorded((renamed["seconds"]?.double ?? 0) + 2)
      #expect(after["id"] == before["id"] && after["files"]?.items.count == 2)
      let numbers = try await after["files"]!.items.asyncMap {
        try NumberedFrames.numbers(
          in: audio(try await setup.get($0["path"]?.string ?? "").body))
      }
      #expect(numbers.allSatisfy(areUnbroken) && numbers[1][0] > numbers[0].last!)
      let page = try await setup.get("/listen/jazz/shows")
      #expect(page.status == 200 && page.text.contains("&lt;Early&gt; &amp; "))
      #expect(page.text.contains("/api/v1/stations/jazz/shows/1?part=1"))
      // Without any show it is no show's recording any more that is made, and what was made stays.
      try setup.write(["shows: []"])
      try await setup.reload()
      let left = try await setup.shows()
      #expect(left["shows"]?.items.isEmpty == true && left["airings"]?.items.isEmpty == true)
      let kept = try #require(left["recordings"]?.items.first)
      #expect(kept["isGrowing"] == .bool(false) && kept["show"]?.string == "<Early> & 'Bright'")
      try await setup.stop()
    }
  }
}

extension [JSON] {
  fileprivate func asyncMap<Value>(_ make: (JSON) async throws -> Value) async throws -> [Value] {
    var values: [Value] = []
    for item in self { values.append(try await make(item)) }
    return values
  }
}
