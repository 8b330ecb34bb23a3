import Glibc
import Longwave
import Programmes
import TestSupport
import Testing
import Wire

/// What is told of a programme's items, by a whole relay.
@Suite struct ProgrammeEventTests {
  private func withRelay(
    _ programme: Programme, _ body: (TestRelay, EventClient) async throws -> Void
  ) async throws {
    let station = StationDefinition(id: "night", source: .programme(programme))
    try await Scenario.withRelay([], change: { _ in }) { relay in
      let events = try relay.events()
      _ = try await relay.relay.add(station)
      try await body(relay, events)
    }
  }

  private func told(_ events: EventClient, _ kind: String) -> [JSON] {
    events.events.filter { $0.kind == kind }.map(\.json)
  }

  @Test func `each item is told when its first packet is there, with its number and its why`()
    async throws
  {
    let folder = TemporaryDirectory()
    for number in 0..<3 { folder.writeSong(number) }
    try await withRelay(Programme(playing: .folder(folder.path))) { relay, events in
      try await events.first("the fourth item") {
        $0.kind == "item-started" && $0.json["item"]?.integer == 4
      }
      let items = told(events, "item-started").prefix(4)
      #expect(items.map { $0["item"]?.integer } == [1, 2, 3, 4])
      #expect(items.map { $0["title"]?.string } == [0, 1, 2, 0].map { "Title \($0)" })
      let first = try #require(items.first)
      #expect(first["itemKind"]?.string == "track" && first["why"]?.string == "order")
      #expect(first["artist"]?.string == "Artist 0" && first["join"]?.string == "cut")
      #expect(first["track"]?.string?.utf8.count == 32)
      #expect(abs((first["seconds"]?.double ?? 0) - 1.567) < 0.01)
      // Everybody reads events: no folder is named.
      #expect(first["source"]?.string == "folder")
      // The event's place is the title's.
      let titles = told(events, "metadata-live").prefix(4).map { $0["position"]?.integer }
      #expect(items.map { $0["position"]?.integer } == titles)
      #expect(!events.events.contains { $0.data.contains(folder.path) })
    }
  }

  @Test func `parts that begin and rules that change are told`() async throws {
    let (folder, party) = (TemporaryDirectory(), TemporaryDirectory())
    folder.writeSong(0)
    party.writeSong(1)
    var programme = Programme(playing: .folder(folder.path))
    programme.parts = [
      .init(
        WeeklyTimes(), PlayRules(.play(.folder(party.path))), onset: .hard)
    ]
    try await withRelay(programme) { relay, events in
      let part = try await events.first("the part") { $0.kind == "part-started" }.json
      #expect(part["play"]?.string == "folder" && part["until"]?.string?.hasSuffix("Z") == true)
      var other = programme
      other.rules.order = .shuffle
      other.parts = []
      let changed = other
      _ = try await relay.relay.station("night").change { $0.source = .programme(changed) }
      let event = try await events.first("the change") { $0.kind == "programme-changed" }.json
      #expect(event["by"]?.string == "configuration" && event["tracks"]?.integer == 2)
      try await events.first("the end of the part") {
        $0.kind == "part-started" && $0.json["until"]?.isNull == true
      }
    }
  }
}
