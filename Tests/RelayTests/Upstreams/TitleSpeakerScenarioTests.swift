import Longwave
import Reactor
import TestSupport
import Testing

/// A title goes with whoever said it.
@Suite struct TitleSpeakerScenarioTests {
  private typealias Encoder = PushScenarioTests.Encoder

  private static let field = String(PushScenarioTests.right.dropLast(1))

  private static func ask(_ name: String) -> String {
    "SOURCE /live HTTP/1.0\r\n\(PushScenarioTests.right)Content-Type: audio/mpeg\r\n"
      + "ice-name: \(name)\r\nUser-Agent: butt\r\n\r\n"
  }

  private func title(_ relay: TestRelay) async throws -> String? {
    try await relay.station("live")["nowPlaying"]?["title"]?.string
  }

  /// Plays under a name of its own.
  private func play(
    _ relay: TestRelay, _ name: String, first: Int
  ) async throws -> Encoder {
    let source = try Encoder(relay, Self.ask(name), first: first)
    try await source.greeted()
    try await source.send(until: "\(name) plays") {
      let station = try await relay.station("live")
      return station["state"]?.string == "playing" && station["name"]?.string == name
    }
    return source
  }

  private func end(_ source: Encoder, _ relay: TestRelay) async throws {
    Socket.shutdownWriting(source.client.fd)
    try await eventually("the source's end is noticed", within: 60) {
      try await relay.station("live")["state"]?.string == "connecting"
    }
  }

  @Test func `the next encoder begins without the last one's title, the same one goes on with it`()
    async throws
  {
    try await Scenario.withRelay([PushScenarioTests.station()]) { relay in
      let one = try await play(relay, "One", first: 0)
      let said = "/admin/metadata?mount=/live&mode=updinfo&song=Last+Song"
      #expect(try await relay.get(said, fields: [Self.field]).status == 200)
      try await one.send(until: "its title") { try await title(relay) == "Last Song" }
      try await end(one, relay)
      let again = try await play(relay, "One", first: 100_000)
      #expect(try await title(relay) == "Last Song")
      try await end(again, relay)
      let two = try await play(relay, "Two", first: 200_000)
      try await two.send(until: "no title") { try await title(relay) == nil }
      let listener = try StreamClient(to: relay.address, get: "/live?burst=1", titles: true)
      try await two.send(until: "it is heard without one") {
        listener.drain()
        return String(decoding: listener.received, as: UTF8.self).contains("StreamTitle='';")
      }
      try await end(two, relay)
    }
  }
}
