import Foundation
import Ingest
import Logging
import Reactor
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Longwave

/// What a program names is held to what a file may say.
@Suite struct StationValidationTests {
  private typealias Change = @Sendable (inout StationDefinition) -> Void

  private static func station(
    _ id: String = "jazz", _ upstream: [String] = ["http://127.0.0.1:9/jazz"],
    change: Change = { _ in }
  ) -> StationDefinition {
    var station = StationDefinition(id: id, upstream: upstream)
    change(&station)
    return station
  }

  /// Definitions that no file could have, with the key that is refused.
  private static let refused: [(StationDefinition, field: String)] = [
    (station(""), "id"), (station("../../evil"), "id"), (station(".."), "id"),
    (station("a/b"), "id"), (station("Jazz"), "id"), (station("api"), "id"),
    (station("jazz.m3u"), "id"), (station(String(repeating: "a", count: 65)), "id"),
    (station("a\0b"), "id"),
    (station("jazz", ["x"]), "upstream"), (station("jazz", ["ftp://x/"]), "upstream"),
    (station("jazz", [""]), "upstream"), (station("jazz", []), "upstream"),
    (station("jazz", ["http://a/", "file:///etc/passwd"]), "upstream"),
    (station("jazz", Array(repeating: "http://a/", count: 1000)), "upstream"),
    (station("jazz", ["push:"]), "sourcePassword"),
    (station("jazz", ["alsa:default"]), "encode"),
    (station { $0.mounts = ["/../evil"] }, "mounts"),
    (station { $0.mounts = ["stream"] }, "mounts"),
    (station { $0.homepage = "javascript:alert(1)" }, "homepage"),
    (station { $0.artwork = "file:///etc/passwd" }, "artwork"),
    (station { $0.name = "two\nlines" }, "name"),
    (station { $0.burst = .nan }, "burst"), (station { $0.window = -1 }, "window"),
    (station { $0.lagMax = .infinity }, "maxLag"), (station { $0.metaint = 0 }, "metaint"),
    (station { $0.listenersMax = -1 }, "maxListeners"),
    (station { $0.connection.requestHeaders = ["A: b\r\nC: d"] }, "requestHeaders"),
    (station { $0.fallback = .station("../x") }, "fallback"),
    (station { $0.fallback = .file("loop.mp3") }, "fallback"),
    (station { $0.source = .copy(of: "../x", delay: 60) }, "of"),
    (station { $0.source = .copy(of: "jazz", delay: 60) }, "of"),
    (station { $0.source = .copy(of: "rock", delay: -1) }, "delay"),
    (station { $0.source = .rendition(of: "rock") }, "delay"),
    (station { $0.source = .files("music", throttleBypass: nil) }, "files"),
    (station { $0.source = .command(ProgramCall([""], in: "/")) }, "command"),
  ]

  @Test(arguments: refused.indices)
  func `a definition that no file could have is refused by its key`(index: Int) throws {
    let (station, field) = Self.refused[index]
    let error = try #require(throws: RelayError.self) { try station.validated() }
    guard case .badField(let key, let message) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(key == field && !message.isEmpty)
  }

  /// Definitions that a file could have.
  private static let accepted: [StationDefinition] = [
    station(), station("7") { $0.mounts = ["/live/jazz.mp3"] },
    station("jazz", ["push:", "https://example.org/"]) { $0.sourcePassword = "long-enough" },
    station { $0.fallback = .file("/srv/loop.mp3") },
    station { $0.source = .command(.input) },
    station {
      $0.source = .command(.input)
      $0.encode = PCMEncoding()
    },
    station { $0.source = .command(ProgramCall(["cat", "/srv/jazz.mp3"], in: "/srv")) },
    station {
      $0.source = SoundInput("alsa:default").map { .soundInput($0) } ?? $0.source
      $0.encode = PCMEncoding()
    },
    station { $0.source = .copy(of: "rock", delay: 60) },
    station { $0.source = .files("/srv/music", throttleBypass: 3) },
  ]

  @Test(arguments: accepted.indices)
  func `a definition that a file could have is taken as it is`(index: Int) throws {
    #expect(try Self.accepted[index].validated() == Self.accepted[index])
  }

  @Test func `an upstream is what a file's reader makes of it`() throws {
    var station = Self.station("jazz", ["push"]) { $0.sourcePassword = "long-enough" }
    #expect(try station.validated().upstream == ["push:"])
    station = Self.station("jazz", ["alsa:default"]) { $0.encode = PCMEncoding() }
    guard case .soundInput = try station.validated().source else {
      Issue.record("a sound input is no URL")
      return
    }
  }

  private func made(_ data: String, _ stations: [StationDefinition]) async throws -> Relay {
    var configuration = Configuration()
    configuration.server.threads = 1
    configuration.stations = stations
    var options = RelayOptions(data: data, listen: [.ipv4(0x7F00_0001, port: 0)])
    options.logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    return try await Relay(configuration: configuration, options: options)
  }

  /// Definitions that would write outside of their folder, or that no upstream answers.
  private static let unsafe = [
    station("../../evil"), station(""), station("."), station("jazz", ["x"]),
    station("jazz", ["ftp://x/"]), station("jazz", ["alsa:default"]),
  ]

  @Test func `a command of a program cannot name a folder outside of the relay's own`()
    async throws
  {
    let folder = TemporaryDirectory()
    let data = folder.path + "/a/data"
    try FileManager.default.createDirectory(
      atPath: data, withIntermediateDirectories: true)
    let relay = try await made(data, [])
    try await relay.start()
    for station in Self.unsafe {
      await #expect(throws: RelayError.self) { try await relay.add(station) }
    }
    #expect(await relay.stationIDs.isEmpty)
    _ = try await relay.add(Self.station())
    await #expect(throws: RelayError.self) {
      try await relay.station("jazz").change { $0.source = .upstream(["ftp://x/"]) }
    }
    await relay.stop()
    let files = FileManager.default
    #expect(try files.contentsOfDirectory(atPath: folder.path) == ["a"])
    #expect(try files.contentsOfDirectory(atPath: folder.path + "/a") == ["data"])
    #expect(try files.contentsOfDirectory(atPath: data + "/stations") == ["jazz"])
  }

  @Test func `a configuration made in a program has only stations that a file could have`()
    async throws
  {
    let folder = TemporaryDirectory()
    for station in Self.unsafe {
      await #expect(throws: RelayError.self) { try await made(folder.path, [station]) }
    }
    let twice = [Self.station(), Self.station("rock") { $0.mounts = ["/jazz"] }, Self.station()]
    let error = await #expect(throws: RelayError.self) { try await made(folder.path, twice) }
    guard case .badConfiguration(let text)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(text.contains("stations[1].mounts: /jazz already leads to stations[0]"))
    #expect(text.contains("stations[2].id: \"jazz\" is already the id of stations[0]"))

    let relay = try await made(folder.path, [Self.station()])
    try await relay.start()
    for station in Self.unsafe {
      var other = await relay.configuration
      other.stations = [Self.station("rock"), station]
      await #expect(throws: RelayError.self) { try await relay.apply(other) }
    }
    #expect(await relay.stationIDs == ["jazz"])
    await relay.stop()
  }
}
