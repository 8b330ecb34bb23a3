import Longwave
import Programmes
import TestSupport
import Testing
import Wire

/// Folders of music that are looked through, in a whole relay.
@Suite struct RootScenarioTests {
  private func music(_ name: String, _ number: UInt64, in folder: TemporaryDirectory) {
    folder.makeFolders(of: name)
    folder.write(name, NumberedFrames.stream(number * 1000..<number * 1000 + 60))
    folder.age(name)
  }

  private func configuration(_ relay: TestRelay, _ roots: [MusicRoot]) async -> Configuration {
    var configuration = await relay.relay.configuration
    configuration.library.roots = roots
    return configuration
  }

  @Test func `a reload names a folder, whose looks and losses are told as events`() async throws {
    let folder = TemporaryDirectory()
    music("a/1.mp3", 1, in: folder)
    music("b/2.mp3", 2, in: folder)
    let night = StationDefinition(
      id: "night", source: .programme(Programme(playing: .folder(folder.path + "/a"))))
    try await Scenario.withRelay([night]) { relay in
      let events = try relay.events("?kinds=scan-finished,root-suspect,root-restored")
      try await relay.until("night", is: "playing")
      let root = MusicRoot(id: "main", path: folder.path)
      let report = try await relay.relay.apply(await configuration(relay, [root]))
      #expect(report.settings == ["library"] && report.changed.isEmpty)
      try await eventually("it was looked through") {
        events.events.first?.kind == "scan-finished"
      }
      let scan = try #require(events.events.first?.json)
      #expect(scan["root"]?.string == "main" && scan["station"] == .null)
      #expect(scan["files"]?.integer == 2 && scan["added"]?.integer == 2)
      #expect(scan["gone"]?.integer == 0 && scan["problems"]?.integer == 0)
      #expect(try await relay.station("night")["state"]?.string == "playing")

      // A root of the same name that is not there is another one; what is known of it counts for nothing.
      let none = MusicRoot(id: "nas", path: folder.path + "/none")
      _ = try await relay.relay.apply(await configuration(relay, [none]))
      try await eventually("its absence is told") {
        events.events.contains { $0.kind == "root-suspect" && $0.json["root"]?.string == "nas" }
      }
      let suspect = try #require(events.events.last?.json)
      #expect(suspect["reason"]?.string == "is away: No such file or directory")
      withExtendedLifetime(events) {}
    }
  }

  @Test func `what comes into a programme's folder is noticed and played`() async throws {
    let folder = TemporaryDirectory()
    music("1.mp3", 1, in: folder)
    let night = StationDefinition(
      id: "night", source: .programme(Programme(playing: .folder(folder.path))))
    try await Scenario.withRelay([night]) { relay in
      try await relay.until("night", is: "playing")
      music("new/2.mp3", 2, in: folder)
      try await eventually("the new file is played") {
        try await relay.relay.history(of: "night", limit: 100).contains { $0.playing.title == "2" }
      }
    }
  }
}
