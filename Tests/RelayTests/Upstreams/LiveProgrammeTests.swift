import Glibc
import Longwave
import Programmes
import TestSupport
import Testing
import Wire

/// A studio that takes over a programme, in a whole relay.
@Suite struct LiveProgrammeTests {
  private static let framesOfFile: UInt64 = 300

  private func station(
    _ folder: TemporaryDirectory, _ change: (inout Programme) -> Void
  ) -> StationDefinition {
    for number in 0..<4 {
      let first = UInt64(number) * 1000
      let name = "Artist \(number) - Title \(number).mp3"
      folder.write(name, NumberedFrames.stream(first..<first + Self.framesOfFile))
      folder.age(name)
    }
    var programme = Programme(playing: .folder(folder.path))
    programme.rules.join = .cut
    change(&programme)
    return StationDefinition(id: "night", source: .programme(programme))
  }

  private func kinds(_ relay: TestRelay) async throws -> [TitleItem.Kind?] {
    try await relay.relay.history(of: "night", limit: 100).reversed().map {
      $0.playing.kind
    }
  }

  @Test func `a studio takes over, and after it comes the next item`() async throws {
    let (folder, data) = (TemporaryDirectory(), TemporaryDirectory())
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: 1)))
    // Its frames are silence to a decoder.
    let night = station(folder) { $0.live = .init("studio", afterSilence: 600) }
    var studio = StationDefinition(id: "studio", upstream: [upstream.url("/live")])
    studio.name = "The studio"
    try await Scenario.withRelay([night], data: data, change: { _ in }) { relay in
      try await relay.until("night", is: "playing")
      try await eventually("music plays") { try await kinds(relay).contains(.track) }
      let events = try relay.events()
      _ = try await relay.relay.add(studio)
      try await eventually("the studio plays") { try await kinds(relay).last == .live }
      let before = try await kinds(relay)
      #expect(before.filter { $0 == .live }.count == 1)
      try await relay.relay.station("studio").remove()
      try await eventually("music plays again") { try await kinds(relay).last == .track }
      let started = try await events.first("the studio") { $0.kind == "live-started" }.json
      #expect(started["station"]?.string == "night" && started["from"]?.string == "studio")
      let stopped = try await events.first("its end") { $0.kind == "live-stopped" }.json
      #expect(stopped["from"]?.string == "studio")
      #expect(stopped["seconds"]?.double ?? 0 > 0)
      #expect(stopped["position"]?.integer ?? 0 > started["position"]?.integer ?? 0)
    }
  }
}
