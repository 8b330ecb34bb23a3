import Longwave
import Programmes
import Settings
import TestSupport
import Testing
import Timeshift
import Wire

/// A folder of music as a station, in a whole relay.
@Suite struct ProgrammeScenarioTests {
  private func music(_ count: Int, in folder: TemporaryDirectory) {
    for number in 0..<count { folder.writeSong(number) }
  }

  private func station(_ folder: TemporaryDirectory) -> StationDefinition {
    StationDefinition(id: "night", source: .programme(Programme(playing: .folder(folder.path))))
  }

  private func history(_ relay: TestRelay) async throws -> [HistoryEntry] {
    try await relay.relay.history(of: "night", limit: 100)
  }

  @Test func `a folder is a station, with the titles of its files, and goes on after a restart`()
    async throws
  {
    let (folder, data) = (TemporaryDirectory(), TemporaryDirectory())
    music(4, in: folder)
    var before: [String?] = []
    var edge = 0.0
    try await Scenario.withRelay([station(folder)], data: data, change: { _ in }) { relay in
      try await relay.until("night", is: "playing")
      try await eventually("three items") { try await history(relay).count >= 3 }
      before = try await history(relay).map(\.playing.title)
      edge = try await relay.edge(of: "night")
    }
    #expect(before.suffix(3) == ["Title 2", "Title 1", "Title 0"])
    try await Scenario.withRelay([station(folder)], data: data, change: { _ in }) { relay in
      try await relay.until("night", is: "playing")
      try await eventually("two more items") {
        try await history(relay).count >= before.count + 2
      }
      let titles = try await history(relay).reversed().compactMap(\.playing.title)
      // One item after the other, whatever came between.
      #expect(titles == (0..<titles.count).map { "Title \($0 % 4)" })
      #expect(try await relay.edge(of: "night") > edge)
    }
  }

  @Test func `a list is a station in its own order, and counts anew when it has changed`()
    async throws
  {
    let (folder, data) = (TemporaryDirectory(), TemporaryDirectory())
    music(4, in: folder)
    folder.write("l.m3u", Array(list([2, 0, 2, 3]).utf8))
    folder.age("l.m3u")
    let source = Source.list(folder.file("l.m3u"))
    let station = StationDefinition(id: "night", source: .programme(Programme(playing: source)))
    try await Scenario.withRelay([station], data: data, change: { _ in }) { relay in
      try await relay.until("night", is: "playing")
      try await eventually("four items") { try await history(relay).count >= 4 }
      let titles = try await history(relay).reversed().prefix(4).map(\.playing.title)
      #expect(titles == ["Title 2", "Title 0", "Title 2", "Title 3"])
      folder.write("l.m3u", Array(list([1]).utf8))
      folder.age("l.m3u")
      try await eventually("the list's new content") {
        try await history(relay).first?.playing.title == "Title 1"
      }
    }
  }

  private func list(_ numbers: [Int]) -> String {
    "#EXTM3U\n" + numbers.map { "Artist \($0) - Title \($0).mp3\n" }.joined()
  }

  @Test
  func `files of any kind are one station, and what was made of them is there after a restart`()
    async throws
  {
    let (folder, data) = (TemporaryDirectory(), TemporaryDirectory())
    for (name, file) in [
      ("1 - Flac.flac", ToneFile(["-c:a", "flac"], "flac", 48_000, 2)),
      ("2 - Alac.m4a", ToneFile(["-c:a", "alac"], "ipod", 44_100, 1)),
      ("3 - Wave.wav", ToneFile(["-c:a", "pcm_s16le"], "wav", 44_100, 2)),
      ("4 - Opus.opus", ToneFile(["-c:a", "libopus"], "ogg", 48_000, 2)),
    ] {
      folder.write(name, try file.bytes(seconds: 3))
      folder.age(name)
    }
    folder.write("5 - Broken.flac", Array("fLaC".utf8))
    folder.age("5 - Broken.flac")
    var configuration = Configuration()
    configuration.cache.keepFree = 0
    for run in 0..<2 {
      try await Scenario.withRelay(
        [station(folder)], data: data, change: { $0.cache = configuration.cache }
      ) { relay in
        try await relay.until("night", is: "playing")
        try await eventually("five items") { try await history(relay).count >= 5 * (run + 1) }
        let station = try await relay.station("night")
        #expect(station["format"]?["codec"]?.string == "mp3")
        let shown = try await RelayAPI(address: relay.address).json(
          "/api/v1/stations/night/programme")
        #expect(shown["now"]?["made"] == .bool(true) && shown["total"]?.integer == 4)
        #expect(shown["refused"]?["count"]?.integer == 1)
        let listener = try StreamClient(to: relay.address, get: "/night")
        try await listener.until("some sound") { $0.received.count > 100_000 }
        let samples = try Fixtures.mpg123(listener.body).samples
        let left = stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
        // At a border a tone's phase is another one.
        let (hertz, amplitude) = ToneFile.tones[0]
        #expect(Signals.amplitude(hertz, in: left, rate: 44_100) > 0.4 * amplitude)
      }
      let names = FileCalls.posix.list(data.file("renditions")).names
      #expect(names.count == 4 && names.allSatisfy { $0.hasSuffix("-192-44100-2.mp3") })
    }
  }

  @Test func `a folder that is not there, or has no music, says so, and plays what comes`()
    async throws
  {
    let (folder, data) = (TemporaryDirectory(), TemporaryDirectory())
    folder.write("notes.mp3", Array("no music".utf8))
    folder.age("notes.mp3")
    var missing = station(folder)
    missing.id = "missing"
    missing.source = .programme(Programme(playing: .folder(folder.path + "/none")))
    try await Scenario.withRelay([station(folder), missing], data: data, change: { _ in }) {
      relay in
      for (id, reason) in [
        ("night", "its only file cannot be played"), ("missing", "cannot be looked through"),
      ] {
        try await eventually("\(id) says why it is silent") {
          let station = try await relay.station(id)
          return station["stateReason"]?.string?.contains(reason) == true
        }
        #expect(try await relay.station(id)["state"]?.string == "buffering")
      }
    }
  }
}

extension TemporaryDirectory {
  /// Writes a file with numbers of its own, of a second and a half unless said otherwise.
  func writeSong(_ number: Int, frames: UInt64 = 60) {
    let first = UInt64(number) * 10_000
    let name = "Artist \(number) - Title \(number).mp3"
    write(name, NumberedFrames.stream(first..<first + frames))
    age(name)
  }
}
