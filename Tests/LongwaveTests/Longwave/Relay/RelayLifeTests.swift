import Ingest
import Logging
import Reactor
import Server
import TestSupport
import Testing
import Timeshift

@testable import Longwave
@testable import LongwaveAPI
@testable import LongwaveAdmin
@testable import Store

@Suite struct RelayLifeTests {
  /// A relay on a port of the system's choice, that says nothing.
  private func relay(_ data: String, _ stations: [StationDefinition] = []) async throws -> Relay {
    var configuration = Configuration()
    configuration.server.threads = 1
    configuration.stations = stations
    configuration.stationLines = Dictionary(uniqueKeysWithValues: stations.map { ($0.id, 3) })
    configuration.file = "c.yml"
    var options = RelayOptions(data: data, listen: [.ipv4(0x7F00_0001, port: 0)], interface: .http)
    options.logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let relay = try await Relay(configuration: configuration, options: options)
    try await relay.start()
    return relay
  }

  /// Nobody listens on the discard port.
  private func station(_ id: String) -> StationDefinition {
    StationDefinition(id: id, name: "Name of \(id)", upstream: ["http://127.0.0.1:9/\(id)"])
  }

  /// The code of the error that `work` ends with.
  private func refusal(
    _ work: () async throws(RelayError) -> StationSnapshot
  ) async -> String? {
    do throws(RelayError) {
      _ = try await work()
      return nil
    } catch {
      return APIError(error).code
    }
  }

  @Test func `a station added by command is there after a restart, and stays stopped`() async throws
  {
    let folder = TemporaryDirectory()
    var relay = try await relay(folder.path, [station("own")])
    _ = try await relay.add(station("added"))
    #expect(try await relay.perform(.stop, on: "own").state == .stopped)
    #expect(await relay.stationSnapshots().map(\.id) == ["own", "added"])
    await relay.stop()

    relay = try await self.relay(folder.path, [station("own")])
    let stations = await relay.stationSnapshots()
    #expect(stations.map(\.id) == ["own", "added"])
    #expect(stations.map(\.sid) == [1, 2])
    #expect(stations.first?.state == .stopped)
    #expect(stations.last?.state != .stopped)
    #expect(try await relay.perform(.start, on: "own").state != .stopped)
    await relay.stop()
  }

  @Test func `a station by its name is asked of the relay, and its events end with it`()
    async throws
  {
    let folder = TemporaryDirectory()
    let relay = try await relay(folder.path)
    let states = relay.events(of: .stopped)
    let jazz = relay.station("jazz")
    #expect(
      await refusal { () throws(RelayError) in try await jazz.snapshot() } == "unknown-station")
    _ = try await relay.add(station("jazz"))
    #expect(try await jazz.change(by: ["genre": "Jazz"]).genre == "Jazz")
    #expect(try await jazz.titles().isEmpty)
    #expect(await jazz.url.hasSuffix("/jazz"))
    #expect(try await jazz.perform(.stop).state == .stopped)
    try await jazz.remove()
    #expect(await relay.stationIDs.isEmpty)
    await relay.stop()
    for await event in states { #expect(event.station == "jazz") }
  }

  @Test func `the commands of an administrator go over the Unix socket`() async throws {
    let folder = TemporaryDirectory()
    // Longer than the 107 bytes a socket's address holds.
    let data = folder.path + "/" + String(repeating: "long", count: 30)
    let relay = try await relay(data)
    let client = AdminClient(.data(data))
    let added = try await client.request(
      "POST", AdminClient.path("stations"),
      body: ["id": "a", "upstream": "http://127.0.0.1:9/", "burst": "8s"])
    #expect(added?["id"] == "a")
    let refused = await #expect(throws: AdminError.self) {
      try await client.request(
        "POST", AdminClient.path("stations"), body: ["id": "a", "upstream": "http://x/"])
    }
    #expect(refused?.description == "There is a station \"a\" already.")
    #expect(refused?.status == 409 && refused?.isAboutValue == false)
    let changed = try await client.request(
      "PATCH", AdminClient.path("stations", "a"), body: ["name": "A"])
    #expect(changed?["name"] == "A")
    #expect(try await client.request("DELETE", AdminClient.path("stations", "a")) == nil)
    #expect(try await client.request("GET", AdminClient.path("stations")) == ["stations": []])
    await relay.stop()
    await #expect(throws: AdminError.self) {
      try await client.request("GET", AdminClient.path("stations"))
    }
  }

  @Test func `a station of the file is not changed by command`() async throws {
    let folder = TemporaryDirectory()
    let relay = try await relay(folder.path, [station("own")])
    let removing = await #expect(throws: RelayError.self) { try await relay.remove("own") }
    let message = "own is written in c.yml:3: it cannot be removed by command."
    #expect(
      removing.map { APIError($0) } == APIError(409, "station-of-file", message, field: "id"))
    #expect(
      await refusal { () throws(RelayError) in try await relay.change("own", by: ["name": "X"]) }
        == "station-of-file")
    let same = station("own")
    #expect(
      await refusal { () throws(RelayError) in try await relay.add(same) } == "station-exists")
    var other = station("other")
    other.mounts = ["/own"]
    let mounted = other
    #expect(
      await refusal { () throws(RelayError) in try await relay.add(mounted) } == "mount-exists")
    #expect(await relay.stationSnapshots().map(\.name) == ["Name of own"])
    await relay.stop()
  }

  @Test func `a second server is told in one line what runs already`() async throws {
    let folder = TemporaryDirectory()
    let relay = try await relay(folder.path)
    await #expect(throws: RelayError.self) { _ = try await self.relay(folder.path) }
    let address = try #require(await relay.addresses.first)
    var options = RelayOptions(data: folder.path + "/other", listen: [address], interface: .http)
    options.logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let second = try await Relay(configuration: Configuration(), options: options)
    do {
      try await second.start()
      Issue.record("two servers on one port")
    } catch {
      #expect(error.description.hasPrefix("port in use: \(address); "))
    }
    await relay.stop()
  }

  @Test func `commands on one station wait for each other`() async throws {
    let folder = TemporaryDirectory()
    let relay = try await relay(folder.path)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { _ = try? await relay.add(self.station("same")) }
        group.addTask { try? await relay.remove("same") }
      }
    }
    let left = await relay.stationSnapshots().map(\.id)
    #expect(left == [] || left == ["same"])
    #expect(try await relay.store.definitions().map(\.id) == left)
    await relay.stop()
  }
}
