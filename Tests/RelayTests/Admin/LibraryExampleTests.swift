import Foundation
import Longwave
import LongwaveAPI
import Server  // Where a session's snapshot is declared: strict about members' imports, this package has to name it.
import TestSupport
import Testing

/// What a program writes that uses the library: only the library's public declarations are used here.
@Suite struct LibraryExampleTests {
  /// A relay that says what plays on its station, until it has said enough.
  private func firstTitles(_ count: Int, from upstream: String, data: String) async throws
    -> [String]
  {
    var configuration = Configuration()
    configuration.stations = [StationDefinition(id: "jazz", name: "Jazz", upstream: [upstream])]
    let options = try RelayOptions(data: data, listen: ["127.0.0.1:0"], interface: .http)
    let relay = try await Relay(configuration: configuration, options: options)
    let titles = relay.events(of: .metadataLive)
    try await relay.start()
    let jazz = relay.station("jazz")
    var songs: [String] = []
    for await event in titles where event.station == "jazz" {
      songs += try await jazz.snapshot().nowPlaying.title.map { [$0] } ?? []
      if songs.count == count { break }
    }
    await relay.stop()
    return songs
  }

  @Test func `a program reads what plays in a loop`() async throws {
    let folder = TemporaryDirectory()
    let upstream = try FakeUpstream(
      .numbered(titles: (0..<40).map { .init(packet: $0 * 100, "Artist - Song \($0)") }))
    defer { upstream.stop() }
    var stream = FakeStream(burst: 2)
    stream.metaint = 1000
    upstream.reply("/live", with: .stream(stream))
    let songs = try await firstTitles(2, from: upstream.url("/live"), data: folder.path)
    #expect(songs.count == 2 && songs.allSatisfy { $0.hasPrefix("Song ") })
  }

  /// A relay with a station that a program added, and 15 s of its past.
  private func withJazz(_ body: (TestRelay) async throws -> Void) async throws {
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: 20)))
    try await Scenario.withRelay([]) { test in
      _ = try await test.relay.add(StationDefinition(id: "jazz", upstream: [upstream.url("/live")]))
      try await test.until("jazz", has: 15)
      try await body(test)
    }
  }

  @Test func `a program steers a listener's session, and changes a station it added`() async throws
  {
    try await withJazz { test in
      let relay = test.relay

      let jazz = relay.station("jazz")
      let changed = try await jazz.change { station in
        station.genre = "Jazz"
        station.mounts = ["/smooth"]
      }
      #expect(changed.genre == "Jazz")
      #expect(try await jazz.change { $0.genre = nil }.genre == nil)
      #expect(try await jazz.definition.mounts == ["/smooth"])
      let refused = await #expect(throws: RelayError.self) {
        try await jazz.change { $0.id = "rock" }
      }
      #expect(refused?.description.contains("cannot be changed") == true)

      let session = relay.session("my-session_1")
      await #expect(throws: RelayError.self) { try await session.pause() }
      let player = try StreamClient(to: test.address, get: "/jazz?session=my-session_1&burst=2")
      try await player.until("it plays") { $0.bodyCount > 10_000 }
      #expect(try await session.pause().state == .paused)
      let back = try await session.seek(behindLive: .seconds(10))
      #expect(back.state == .paused && abs(back.offset - 10) < 1.5)
      #expect(try await session.rewind(by: .seconds(2)).offset > back.offset + 1)
      #expect(try await session.seek(to: Date.distantPast).canRewind == false)
      #expect(try await session.resume().state == .playing)
      #expect(try await session.goLive().canForward == false)
      await #expect(throws: RelayError.self) { try await relay.session("short").snapshot() }
      withExtendedLifetime(player) {}
    }
  }

  @Test func `a program records a station, cuts a piece out of its window, and bans an address`()
    async throws
  {
    try await withJazz { test in
      let relay = test.relay
      let jazz = relay.station("jazz")

      let start = try #require(try await jazz.snapshot().window.oldest).date
      let clip = try await jazz.clip(from: start + 2, to: start + 8)
      let numbers = try NumberedFrames.numbers(in: Array(clip ?? Data()))
      // 6 s are 229.7 packets.
      #expect((229...230).contains(numbers.count))
      #expect(try await jazz.clip(from: .distantPast, to: start - 60) == nil)
      await #expect(throws: RelayError.self) {
        try await relay.station("rock").clip(from: start, to: start + 1)
      }

      let begun = try await jazz.record(from: start + 2, name: "show")
      #expect(begun.state == .recording && begun.until == nil)
      try await eventually("six seconds in a file") {
        await jazz.recordings().contains { $0.seconds > 6 }
      }
      #expect(try await relay.stopRecording(begun.id))
      let ended: Recording = try await eventually("its end") {
        await jazz.recordings().first { $0.state == .finished }
      }
      #expect(ended.id == begun.id && ended.missedSeconds == 0)
      #expect(ended.files.map(\.name) == ["show.mp3"])
      await #expect(throws: RelayError.self) { try await jazz.record(name: "show {nothing}") }
      await #expect(throws: RelayError.self) { try await jazz.record(from: start, until: start) }

      let ban = try await relay.ban("192.0.2.0/24", for: .seconds(60), reason: "noise")
      #expect(await relay.bans() == [ban])
      #expect(try await relay.liftBan(ban.id))
      await #expect(throws: RelayError.self) { try await relay.ban("everybody") }
    }
  }
}
