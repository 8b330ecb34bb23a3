import GRDB
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Longwave
@testable import LongwaveAPI
@testable import LongwaveAdmin
@testable import Settings
@testable import Store

/// What stands in the store and what is asked for in a body: numbers nobody means do no harm, now or at the next start.
@Suite struct StoredValueTests {
  private static let numbers: [Int64] = [.min, .min + 1, -1, 0, 1, 1 << 53, .max - 1, .max]

  private func entry(_ number: Int64, _ log: PacketLog) -> RecordingEntry {
    var options = RecordingEntry.Options(station: "jazz", name: "{station} %Y {number}")
    (options.from, options.until, options.bytesMax) = (number, number, number)
    (options.splits, options.overlap, options.keep) = (true, Double(number), Double(number))
    var entry = RecordingEntry(id: 1, options: options, startedAt: number)
    (entry.bytes, entry.bytesBefore, entry.fileCount) = (number, number, Int(number))
    (entry.seconds, entry.missedSeconds) = (Double(number), Double(number))
    (entry.firstAir, entry.endedAt) = (number, number)
    entry.place = .init(
      LogPoint(position: UInt64(bitPattern: number), media: .init(flicks: number)))
    entry.current = .init(name: "x", bytes: number, seconds: Double(number))
    entry.schedule = .init(
      RecordingRule(from: 0, to: 3600), Airing(start: number, end: number))
    return entry
  }

  @Test(arguments: numbers) func `a recording of any numbers goes on, ends or is over`(
    number: Int64
  ) throws {
    let station = NumberedLog(
      log: PacketLog(memoryOnly: LogConfiguration(), at: .now()), seconds: 5)
    let folder = TemporaryDirectory()
    var section = RecordingSection()
    section.folder = folder.path
    let space = RecordingSpace(section, data: "/nowhere")
    for delay in [0, 31_622_400, 1e300] {
      var entry = entry(number, station.log)
      entry.hold()
      #expect(!entry.json.text.isEmpty)
      for state in [RecordingEntry.State.recording, .finished] {
        entry.state = state
        _ = RecordingRetention.expired([entry], now: number) { _ in
          RecordingKeep(seconds: Double(number), count: nil)
        }
        _ = RecordingPlan.steps(
          [RecordingRule(from: 0, to: 3600)], [entry], in: .machine, at: 1_795_197_600)
      }
      let work = RecordingWork(
        entry, log: station.log, delay: MediaTime(seconds: delay), station: "Jazz", space: space)
      _ = try? work.turn(isEnding: false, now: Moment.now().wall)
      _ = try? work.turn(isEnding: true, now: WallTime(nanoseconds: number))
      work.abandon()
    }
  }

  @Test(arguments: [
    #"{"station":"jazz","until":"9999-12-31T23:59:59Z"}"#,
    #"{"station":"jazz","until":"2201-01-01T00:00:00Z"}"#,
    #"{"station":"jazz","until":"2200-12-31T23:59:59Z"}"#,
    #"{"station":"jazz","from":"9999-01-01T00:00:00Z","seconds":3600}"#,
    #"{"station":"jazz","from":"1600-01-01T00:00:00Z","seconds":3600}"#,
    #"{"station":"jazz","seconds":1e300}"#, #"{"station":"jazz","seconds":315576001}"#,
    #"{"station":"jazz","seconds":9223372036854775807}"#,
    #"{"station":"jazz","until":9223372036854775807}"#, #"{"station":"jazz","keep":1e18}"#,
    #"{"station":"jazz","maxSize":9223372036854775807}"#,
    #"{"station":"jazz","maxSize":"99999999999TiB"}"#,
    #"{"station":"jazz","overlap":1e99,"split":true}"#, #"{"station":"jazz","name":"{artst}"}"#,
  ])
  func `a recording that cannot be meant is refused`(body: String) throws {
    let json = try #require(JSON.parse(Array(body.utf8)))
    #expect(throws: APIError.self) {
      try RecordingBody.options(json, now: WallTime(unixSeconds: 1_795_197_600), in: .utc)
    }
  }

  @Test(arguments: [
    (#""from":"17:00","until":"17:30""#, -3600, -1800),
    (#""from":"17:00","until":"19:30""#, -3600, 5400), (#""until":"19:00""#, nil, 3600),
    (#""from":"23:00","until":"01:00""#, -68_400, -61_200),
  ])
  func `a recording ends at the first such time behind its beginning`(
    times: String, from: Double?, until: Double
  ) throws {
    let now = WallTime(unixSeconds: 1_795_197_600)
    let json = try #require(JSON.parse(Array("{\"station\":\"jazz\",\(times)}".utf8)))
    let options = try RecordingBody.options(json, now: now, in: .utc)
    #expect(options.from == from.map { now.adding(seconds: $0).stored })
    #expect(options.until == now.adding(seconds: until).stored)
  }

  @Test(arguments: [
    // Around the night of 23 hours, and that of 25.
    ("2026-03-28T18:30:00+01:00", "19:00", "2026-03-28T18:00:00.000Z"),
    ("2026-03-28T18:30:00+01:00", "18:30", "2026-03-29T16:30:00.000Z"),
    ("2026-10-24T18:00:00+02:00", "17:30", "2026-10-25T16:30:00.000Z"),
    ("2026-10-24T18:00:00+02:00", "18:00", "2026-10-25T17:00:00.000Z"),
    ("2026-10-24T18:00:00+02:00", "18:01", "2026-10-24T16:01:00.000Z"),
  ])
  func `a recording's end is not a day off where the clock is changed`(
    from: String, until: String, end: String
  ) throws {
    let body = "{\"station\":\"jazz\",\"from\":\"\(from)\",\"until\":\"\(until)\"}"
    let json = try #require(JSON.parse(Array(body.utf8)))
    let zone = try #require(ZoneOffsets("Europe/Berlin"))
    let options = try RecordingBody.options(
      json, now: WallTime(unixSeconds: 1_795_197_600), in: zone)
    #expect(options.until.map { WallTime(stored: $0).rfc3339 } == end)
  }

  @Test(arguments: [
    #"{"address":"192.0.2.1","until":"9999-12-31T23:59:59Z"}"#,
    #"{"address":"192.0.2.1","seconds":1e300}"#, #"{"address":"192.0.2.1","seconds":315576001}"#,
    #"{"listener":9223372036854775808}"#, #"{"listener":-1}"#,
  ])
  func `a ban that cannot be meant is refused`(body: String) throws {
    let json = try #require(JSON.parse(Array(body.utf8)))
    #expect(throws: APIError.self) {
      try BanBody(json, now: WallTime(unixSeconds: 1_795_197_600))
    }
  }

  @Test(arguments: [
    #"{"at":"9999-12-31T23:59:59Z"}"#, #"{"at":"1600-01-01T00:00:00Z"}"#, #"{"seconds":1e300}"#,
    #"{"seconds":-1}"#, #"{"seconds":315576001}"#, #"{"at":-9223372036854775808}"#,
  ])
  func `a place in time that cannot be meant is refused`(body: String) throws {
    let json = try #require(JSON.parse(Array(body.utf8)))
    #expect(throws: APIError.self) {
      try SteeringBody.target(json, now: WallTime(unixSeconds: 1_795_197_600), in: .utc)
    }
  }

  @Test func `a station has at most so many upstreams, and of stored ones the first count`() throws
  {
    func json(_ count: Int) -> JSON {
      ["id": "jazz", "upstream": .array((0..<count).map { .string("http://a.example/\($0)") })]
    }
    #expect(try StationBody.station(json(64)).upstream.count == 64)
    for count in [65, 257, 300, 1000] {
      let refused = #expect(throws: RelayError.self) { try StationBody.station(json(count)) }
      let told = refused.map { APIError($0) }
      #expect(told?.field == "upstream" && told?.status == 400)
      #expect(try StationBody.stored(json(count)).upstream.count == 64)
    }
    let yaml =
      "stations:\n  - id: jazz\n    upstream: ["
      + (0..<300).map { "http://a.example/\($0)" }.joined(separator: ", ") + "]\n"
    let error = #expect(throws: ConfigurationError.self) {
      try Configuration.parse(yaml: yaml, file: "x.yml")
    }
    #expect("\(error!)".contains("upstream: has 300 entries; write at most 64"))
  }

  @Test func `a name that an older version took stays, until the schedule is written anew`() throws
  {
    let record: JSON = [["from": "1:00", "to": "2:00", "name": "{artst} %Y"]]
    let json: JSON = ["id": "jazz", "upstream": ["http://a.example/"], "record": record]
    let refused = #expect(throws: RelayError.self) { try StationBody.station(json) }
    let told = refused.map { APIError($0) }
    #expect(told?.field == "record[0].name" && told?.status == 400)
    let stored = try StationBody.stored(json)
    #expect(stored.record.first?.name == "{artst} %Y")
    let renamed = try StationBody.patched(stored, with: ["name": "Jazz"])
    #expect(renamed.name == "Jazz" && renamed.record == stored.record)
    #expect(throws: RelayError.self) { try StationBody.patched(stored, with: ["record": record]) }
  }

  @Test func `entries of one name in a list are one station, up to a number of addresses`() throws {
    let list = "#EXTM3U\n" + (0..<300).map { "#EXTINF:-1,Jazz\nhttp://a.example/\($0)\n" }.joined()
    let stations = try StationCandidate.read(Array(list.utf8), name: "x.m3u")
    #expect(stations.count == 1 && stations[0].definition.upstream.count == 64)
    #expect(stations[0].notes == ["236 addresses left out: a station has at most 64"])
    _ = try StationBody.station(stations[0].definition.json.patched(id: "jazz"))
  }

  @Test func `a store with anything in its columns is read`() async throws {
    let folder = TemporaryDirectory()
    let path = folder.path + "/longwave.db"
    try await StationStore.open(path).close()
    let odd: [any DatabaseValueConvertible] =
      Self.numbers.map { $0 } + ["", "x", 1e300, -1.5, "9223372036854775808"]
    let values = odd.map(\.databaseValue)
    let database = try DatabaseQueue(path: path)
    try await database.write { db in
      for (number, value) in values.enumerated() {
        let token = "token-\(number)-xx"
        try db.execute(
          sql: "INSERT INTO session VALUES (?, ?, ?, ?, ?, ?)",
          arguments: [token, value, value, value, value, value])
        try db.execute(
          sql: "INSERT INTO ban (range, created, until, reason) VALUES (?, ?, ?, ?)",
          arguments: ["192.0.2.\(number)", value, value, value])
        try db.execute(
          sql: "INSERT INTO memory (station, stopped, listenersTotal) VALUES (?, ?, ?)",
          arguments: ["s\(number)", value, value])
        try db.execute(sql: "INSERT INTO recording (entry) VALUES (?)", arguments: [value])
        try db.execute(
          sql: "INSERT INTO station (id, definition, created) VALUES (?, ?, ?)",
          arguments: ["s\(number)", value, value])
      }
    }
    try database.close()
    let store = try await StationStore.open(path)
    #expect(try await store.sessions().count == values.count)
    _ = try await store.bans(now: Moment.now().wall)
    #expect(try await store.recordings().isEmpty)
    let memory = try await store.memory(of: values.indices.map { "s\($0)" })
    #expect(memory.count == values.count)
    for stored in try await store.definitions() {
      if let json = JSON.parse(Array(stored.json.utf8)) { _ = try? StationBody.stored(json) }
    }
    await store.close()
  }
}

extension JSON {
  fileprivate func patched(id: String) -> JSON {
    .object(members.filter { $0.key != "id" } + [.init(key: "id", value: .string(id))])
  }
}
