import Audio
import GRDB
import Ingest
import Logging
import Reactor
import Server
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Longwave
@testable import LongwaveAPI
@testable import Settings
@testable import Store
@testable import Timeshift

/// Numbers of stations that lose their past, and how logs are divided, in a whole relay.
@Suite struct RelayNumberTests {
  private let data = TemporaryDirectory()

  private func relay(
    _ stations: [StationDefinition] = [],
    _ change: (inout Longwave.Configuration) -> Void = { _ in }
  ) async throws -> Relay {
    var configuration = Longwave.Configuration()
    configuration.server.threads = 1
    configuration.stations = stations
    change(&configuration)
    var options = RelayOptions(
      data: data.path, listen: [.ipv4(0x7F00_0001, port: 0)], interface: .http)
    options.logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let relay = try await Relay(configuration: configuration, options: options)
    try await relay.start()
    return relay
  }

  /// Its window is in memory only. Nobody listens on the discard port.
  private func station(_ id: String = "jazz", window: Double = 0) -> StationDefinition {
    var station = StationDefinition(id: id, upstream: ["http://127.0.0.1:9/\(id)"])
    station.window = window
    return station
  }

  /// Plays so many seconds into a station's log, whose upstream brings nothing. Returns the log.
  @discardableResult
  private func play(_ seconds: Double, _ relay: Relay, _ id: String = "jazz") async throws
    -> PacketLog
  {
    await relay.ingest.stop(station: id)
    let log = try #require(await relay.log(of: id))
    log.feed(Int(seconds * 44_100 / 1152), at: .now())
    return log
  }

  private func numbers(_ log: PacketLog) -> [NumberMark] { log.lists.withLock { $0.numbers } }

  private func reached(_ log: PacketLog) throws -> NumberStart { try #require(log.numberReached) }

  private func listed(_ relay: isolated Relay) -> Int64? {
    relay.stations["jazz"]?.counters.listed
  }

  /// Works on the database of a relay that has ended.
  private func edit(_ sql: String) async throws {
    let database = try DatabaseQueue(path: data.path + "/longwave.db")
    try await database.write { db in try db.execute(sql: sql) }
    try database.close()
  }

  @Test func `a station without a disk goes on in numbers exactly where an orderly end was`()
    async throws
  {
    var relay = try await relay([station()])
    let first = try reached(try await play(100, relay))
    #expect(first.number > 200_000_000)
    await relay.stop()
    for _ in 0..<2 {
      relay = try await self.relay([station()])
      // Also where nothing has come meanwhile.
      #expect(await relay.log(of: "jazz")?.configuration.numberStart == first)
      await relay.stop()
    }
    relay = try await self.relay([station()])
    let log = try await play(30, relay)
    let mark = try #require(numbers(log).first)
    #expect(mark.number == first.number && mark.programme == first.programme)
    await relay.stop()
  }

  @Test func `what lists begin with is known after a restart`() async throws {
    var relay = try await relay([station()])
    await relay.stop()
    try await edit("UPDATE memory SET listed = 218244483")
    relay = try await self.relay([station()])
    #expect(await listed(relay) == 218_244_483)
    await relay.stop()
    // It is kept, although nobody asked for a list.
    relay = try await self.relay([station()])
    #expect(await listed(relay) == 218_244_483)
    await relay.stop()
  }

  @Test func `behind a crash it goes on above all that may have been given out`() async throws {
    var relay = try await relay([station()])
    let first = try reached(try await play(100, relay))
    await relay.stop()
    // As if it had been noted 90 s ago, before the end.
    try await edit(
      "UPDATE reached SET final = 0, noted = noted - 90000, uptime = uptime - 90000000000")
    relay = try await self.relay([station()])
    let start = try #require(await relay.log(of: "jazz")?.configuration.numberStart)
    #expect((first.number + 91..<first.number + 181).contains(start.number))
    let ahead = (start.programme - first.programme).seconds
    #expect((90..<180).contains(ahead))
    #expect(start.discontinuities == first.discontinuities)
    // The running relay has not ended: another crash finds no orderly end, although nothing came.
    let row = try await relay.store.memory(of: ["jazz"])["jazz"]?.numbers
    #expect(row?.isFinal == false && row?.reached == start)
    await relay.stop()
    try await edit("UPDATE reached SET number = 9e18")
    relay = try await self.relay([station()])
    #expect(await relay.log(of: "jazz")?.configuration.numberStart == nil)
    let log = try await play(10, relay)
    #expect(try reached(log).number > 200_000_000)
    await relay.stop()
  }

  @Test func `a station that is removed and comes back goes on above its old numbers`() async throws
  {
    let relay = try await relay()
    _ = try await relay.add(station(window: 3600))
    let first = try reached(try await play(100, relay))
    try await relay.remove("jazz")
    _ = try await relay.add(station(window: 3600))
    let second = try await play(30, relay)
    #expect(try #require(numbers(second).first).number == first.number)
    #expect(try reached(second).number > first.number)
    await relay.stop()
  }

  @Test func `a window that leaves its disk, and comes back to it, loses no number`() async throws {
    let relay = try await relay()
    _ = try await relay.add(station(window: 3600))
    let first = try reached(try await play(100, relay))
    _ = try await relay.change("jazz", by: ["window": .integer(0)])
    let second = try reached(try await play(200, relay))
    #expect(second.number >= first.number + 30 && second.programme > first.programme)
    _ = try await relay.change("jazz", by: ["window": .integer(3600)])
    // The folder knows nothing of what came in memory.
    let log = try await play(30, relay)
    let jump = try #require(numbers(log).last)
    #expect(jump.isJump && jump.number == second.number)
    #expect(try reached(log).number > second.number)
    await relay.stop()
  }

  private func cells(_ relay: Relay, _ id: String) async throws -> CellSettings {
    let log = try #require(await relay.log(of: id))
    return log.lists.withLock { $0.cells }
  }

  @Test func `a log is divided as its station says, and otherwise from a reload or a change on`()
    async throws
  {
    var jazz = station(window: 3600)
    jazz.hls = .on(HLSRule.Keys(segment: 4))
    jazz.titleShift = -10
    var small = StationDefinition(id: "jazz-64", source: .rendition(of: "jazz"))
    small.encode = try PCMEncoding(bitrate: 64)
    small.window = 0
    let later = StationDefinition(id: "later", source: .copy(of: "jazz", delay: 600))
    let stations = [station("rock"), jazz, small, later]
    let relay = try await relay(stations) { $0.listeners.hls.segment = 3 }
    let (four, three) = (
      CellSettings(delay: MediaTime(seconds: 10), seconds: 4), CellSettings(seconds: 3)
    )
    #expect(try await cells(relay, "rock") == three)
    for id in ["jazz", "jazz-64", "later"] {
      #expect(try await cells(relay, id) == four, "\(id)")
      #expect(await relay.log(of: id)?.configuration.cells == four, "\(id)")
    }
    let logs = [await relay.log(of: "jazz"), await relay.log(of: "jazz-64")]
    var new = Longwave.Configuration()
    new.server.threads = 1
    new.listeners.hls.segment = 5
    jazz.hls = .on(HLSRule.Keys(segment: 8))
    jazz.titleShift = 3
    new.stations = [station("rock"), jazz, small, later]
    _ = try await relay.apply(new)
    #expect(try await cells(relay, "rock") == CellSettings(seconds: 5))
    for id in ["jazz", "jazz-64", "later"] {
      #expect(try await cells(relay, id) == CellSettings(seconds: 8), "\(id)")
    }
    #expect(await relay.log(of: "jazz") === logs[0])
    #expect(await relay.log(of: "jazz-64") === logs[1])
    _ = try await relay.add(station("added"))
    _ = try await relay.change(
      "added", by: ["hls": ["segment": .integer(2)], "titleShift": .integer(-4)])
    let changed = CellSettings(delay: MediaTime(seconds: 4), seconds: 2)
    #expect(try await cells(relay, "added") == changed)
    await relay.stop()
  }

  @Test func `mounts have the settings of HLS, and other ones after a reload`() async throws {
    var jazz = station(window: 3600)
    jazz.hls = .on(HLSRule.Keys(segment: 4, window: 600))
    var small = StationDefinition(id: "jazz-64", source: .rendition(of: "jazz"))
    small.encode = try PCMEncoding(bitrate: 64)
    let later = StationDefinition(id: "later", source: .copy(of: "jazz", delay: 600))
    let relay = try await relay([jazz, small, later])
    func hls(_ id: String) async throws -> HLSSettings { try #require(await relay.hls(of: id)) }
    #expect(try await hls("jazz").window?.seconds == 600)
    #expect(try await hls("jazz-64") == hls("jazz"))
    #expect(try await hls("later").segment == 4)
    #expect(try await hls("later").window == nil)
    jazz.hls = .off
    var new = await relay.taken
    new.stations = [jazz, small, later]
    _ = try await relay.apply(new)
    #expect(try await hls("jazz").isOn == false)
    #expect(try await hls("jazz-64").isOn == false)
    #expect(try await hls("later").isOn)
    await relay.stop()
  }

  @Test func `the key of segments' paths is the configured one, else one that stays`() async throws
  {
    let (other, text) = (TemporaryDirectory(), "a secret of 24 letters, ü")
    func secret(_ data: String, _ configured: String?) async throws -> [UInt8] {
      var configuration = Longwave.Configuration()
      configuration.server.threads = 1
      configuration.server.hlsSecret = configured
      var options = RelayOptions(
        data: data, listen: [.ipv4(0x7F00_0001, port: 0)], interface: .http)
      options.logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      let relay = try await Relay(configuration: configuration, options: options)
      try await relay.start()
      let secret = await relay.hlsSecret
      await relay.stop()
      return secret
    }
    let made = try await secret(data.path, nil)
    #expect(made.count == 32)
    #expect(try await secret(data.path, text) == Array(text.utf8))
    #expect(try await secret(data.path, nil) == made)
    #expect(try await secret(other.path, nil) != made)
  }
}

extension Relay {
  fileprivate func hls(of id: String) -> HLSSettings? {
    stations[id]?.mount(configuration.listeners).settings.hls
  }

  fileprivate var hlsSecret: [UInt8] { serving.configuration.hlsSecret }
  fileprivate var taken: Longwave.Configuration { configuration }
}
