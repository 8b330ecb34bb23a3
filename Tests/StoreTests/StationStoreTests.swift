import Foundation
import Settings
import TestSupport
import Testing
import Wire

@testable import Store

@Suite struct StationStoreTests {
  let folder = TemporaryDirectory()
  var path: String { folder.path + "/longwave.db" }

  @Test func `stations are there again after a restart, in the order of adding`() async throws {
    var store = try await StationStore.open(path)
    try await store.save(StationDefinition(id: "b", upstream: ["http://b/"]))
    try await store.save(StationDefinition(id: "a", upstream: ["http://a/"]))
    try await store.save(StationDefinition(id: "b", name: "B", upstream: ["http://c/"]))
    await store.close()
    store = try await StationStore.open(path)
    let stored = try await store.definitions()
    #expect(stored.map(\.id) == ["b", "a"])
    let first = try #require(stored.first)
    let json = try #require(JSON.parse(Array(first.json.utf8)))
    #expect(
      try StationBody.station(json)
        == StationDefinition(id: "b", name: "B", upstream: ["http://c/"]))
    await store.close()
  }

  @Test func `a stopped station is remembered over restarts`() async throws {
    var store = try await StationStore.open(path)
    _ = try await store.memory(of: ["jazz", "rock"])
    try await store.setStopped(true, station: "jazz")
    try await store.setStopped(true, station: "new")
    await store.close()
    store = try await StationStore.open(path)
    let memory = try await store.memory(of: ["jazz", "rock", "new"])
    #expect(memory["jazz"]?.isStopped == true)
    #expect(memory["rock"]?.isStopped == false)
    #expect(memory["new"]?.isStopped == true)
    try await store.setStopped(false, station: "jazz")
    #expect(try await store.memory(of: ["jazz"])["jazz"]?.isStopped == false)
    await store.close()
  }

  @Test func `a sid is kept, follows the order of arrival, and is never given twice`() async throws
  {
    let store = try await StationStore.open(path)
    #expect(try await store.memory(of: ["x", "y"]).mapValues(\.sid) == ["x": 1, "y": 2])
    #expect(
      try await store.memory(of: ["z", "y", "x"]).mapValues(\.sid) == ["x": 1, "y": 2, "z": 3])
    try await store.remove("z")
    #expect(try await store.memory(of: ["w"]).mapValues(\.sid) == ["w": 4])
    await store.close()
  }

  @Test func `what people say of tracks is kept over restarts, until they take it back`()
    async throws
  {
    let tracks = (1...3).map { TrackKey(high: $0, low: 0) }
    var store = try await StationStore.open(path)
    let notes = [
      TrackNote(isExcluded: true), TrackNote(gain: -3.5, cueIn: 1.5),
      TrackNote(cueIn: 0, cueOut: 90.25),
    ]
    for (track, note) in zip(tracks, notes) { try await store.keep(note, of: track) }
    await store.close()
    store = try await StationStore.open(path)
    let kept = try await store.trackNotes()
    #expect(kept == Dictionary(uniqueKeysWithValues: zip(tracks, notes)))
    #expect(kept[tracks[1]]?.cue?.start == 1.5 && kept[tracks[2]]?.cue?.end == 90.25)
    for track in tracks { try await store.keep(TrackNote(), of: track) }
    #expect(try await store.trackNotes().isEmpty)
    await store.close()
  }

  @Test func `how far a programme has come is kept over restarts, until its station is removed`()
    async throws
  {
    var store = try await StationStore.open(path)
    #expect(try await store.programme(of: "night") == nil)
    try await store.keep(programme: "{\"item\":1}", of: "night")
    try await store.keep(programme: "{\"item\":2}", of: "night")
    try await store.keep(programme: "{}", of: "day")
    await store.close()
    store = try await StationStore.open(path)
    #expect(try await store.programme(of: "night") == "{\"item\":2}")
    try await store.remove("night")
    #expect(try await store.programme(of: "night") == nil)
    #expect(try await store.programme(of: "day") == "{}")
    await store.close()
  }

  @Test func `removing a station forgets its listeners`() async throws {
    let store = try await StationStore.open(path)
    try await store.save(StationDefinition(id: "a", upstream: ["http://a/"]))
    _ = try await store.memory(of: ["a"])
    try await store.setListenersTotal(["a": 41])
    #expect(try await store.memory(of: ["a"])["a"]?.listenersTotal == 41)
    try await store.setListed(["a": 218_244_483])
    try await store.setListed(["a": 12])
    #expect(try await store.memory(of: ["a"])["a"]?.listed == 218_244_483)
    try await store.remove("a")
    #expect(try await store.definitions().isEmpty)
    #expect(try await store.memory(of: ["a"])["a"]?.listenersTotal == 0)
    await store.close()
  }

  @Test func `a log's stored position never goes back`() async throws {
    var store = try await StationStore.open(path)
    _ = try await store.memory(of: ["a", "b"])
    try await store.setPositions(["a": 1 << 50, "b": 7])
    try await store.setPositions(["a": 5, "b": 8])
    await store.close()
    store = try await StationStore.open(path)
    let memory = try await store.memory(of: ["a", "b"])
    #expect(memory["a"]?.position == 1 << 50 && memory["b"]?.position == 8)
    await store.close()
  }

  @Test func `a database that cannot be opened is one line`() async throws {
    do {
      _ = try await StationStore.open(folder.path + "/missing/longwave.db")
      Issue.record("a database in a missing folder was opened")
    } catch {
      #expect(error.description.hasPrefix("cannot open \(folder.path)/missing/longwave.db: "))
      #expect(!error.description.contains("\n"))
    }
  }
}

@Suite struct DataDirectoryTests {
  @Test func `a second server on the same folder is told who has it`() throws {
    let folder = TemporaryDirectory()
    let first = try DataDirectory.open(folder.path + "/data")
    let message =
      "another longwave (process \(ProcessInfo.processInfo.processIdentifier)) runs on "
      + "\(first.path); stop it, or give this one a folder of its own by --data"
    #expect(throws: DataDirectoryError(description: message)) {
      _ = try DataDirectory.open(first.path)
    }
    withExtendedLifetime(first) {}
  }

  @Test func `the lock is given back when the server ends`() throws {
    let folder = TemporaryDirectory()
    do { _ = try DataDirectory.open(folder.path) }
    #expect(try DataDirectory.open(folder.path).socketPath == folder.path + "/longwave.sock")
  }

  @Test func `a new folder is ours alone to read`() throws {
    let folder = TemporaryDirectory()
    let data = try DataDirectory.open(folder.path + "/a/b")
    let attributes = try FileManager.default.attributesOfItem(atPath: data.path)
    #expect(attributes[.posixPermissions] as? Int == 0o700)
  }

  @Test func `the data folder is the option's, else the environment's, file's, system's or ours`() {
    func path(
      _ option: String?, _ configured: String?, _ environment: [String: String], ours: Bool = false
    ) -> String {
      DataDirectory.resolve(
        option: option, configured: configured, environment: environment, isOurs: { _ in ours })
    }
    #expect(path("/o", "/c", ["LONGWAVE_DATA": "/e"]) == "/o")
    #expect(path(nil, "/c", ["LONGWAVE_DATA": "/e"]) == "/e")
    #expect(path(nil, "/c/", [:]) == "/c")
    #expect(path(nil, nil, ["HOME": "/h"], ours: true) == "/var/lib/longwave")
    #expect(path(nil, nil, ["HOME": "/h", "XDG_DATA_HOME": "/x"]) == "/x/longwave")
    #expect(path(nil, nil, ["HOME": "/h"]) == "/h/.local/share/longwave")
    // To a String, a slash and an accent are another character than a slash; to the kernel they are not.
    #expect(path("/\u{301}o", nil, [:]) == "/\u{301}o")
    #expect(
      path(nil, nil, ["HOME": "/h", "XDG_DATA_HOME": "/\u{301}x"]) == "/\u{301}x/longwave")
    #expect(path("rel", nil, [:]) == FileManager.default.currentDirectoryPath + "/rel")
  }
}
