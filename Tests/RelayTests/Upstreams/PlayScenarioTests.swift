import Foundation
import Glibc
import Longwave
import Programmes
import Reactor
import TestSupport
import Testing
import Wire

/// What programmes have played, in whole relays.
@Suite struct PlayScenarioTests {
  private static let admin = ["Authorization: Bearer \(Scenario.token)"]
  private static let head =
    "station,item,kind,track,title,artist,album,at,seconds,whole,why,listeners,listenerSeconds,isrc,label"

  private func station(_ folder: TemporaryDirectory, _ id: String = "night") -> StationDefinition {
    var programme = Programme(playing: .folder(folder.path))
    programme.rules.join = .cut
    return StationDefinition(id: id, source: .programme(programme))
  }

  private func plays(_ address: SocketAddress, _ query: String = "") async throws -> [JSON] {
    try await RelayAPI(address: address).json("/api/v1/plays\(query)")["plays"]?.items ?? []
  }

  /// The lines of a table that came in chunks.
  private func table(_ address: SocketAddress, _ query: String) async throws -> [String] {
    let answer = try await HTTPExchange(
      "GET", "/api/v1/plays?format=csv\(query)", at: address, fields: Self.admin)
    #expect(answer.status == 200 && answer.head["content-type"] == "text/csv; charset=utf-8")
    #expect(answer.text.hasSuffix("0\r\n\r\n"))
    let lines = answer.text.components(separatedBy: "\r\n")
    return lines.filter { $0.contains(",") }
  }

  @Test func `each item that is over is a play, by the page and as a table, with its listeners`()
    async throws
  {
    let (folder, data) = (TemporaryDirectory(), TemporaryDirectory())
    for number in 0..<3 { folder.writeSong(number, frames: 120) }
    let copy = StationDefinition(id: "copy", source: .copy(of: "night", delay: 1))
    try await Scenario.withRelay([station(folder), copy], data: data) { relay in
      try await relay.until("night", is: "playing")
      let listeners = try ["/night?burst=1", "/night?offset=3&burst=1", "/copy?burst=1"].map {
        try StreamClient(to: relay.address, get: $0)
      }
      for listener in listeners { #expect(try await listener.answer().status == 200) }
      let heard = try await eventually("plays that were heard", within: 120) {
        for listener in listeners { listener.drain() }
        let heard = try await plays(relay.address, "?station=night").filter {
          $0["listenerSeconds"]?.integer ?? 0 > 0
        }
        return heard.count >= 3 ? heard : nil
      }
      for play in heard {
        let number = ((play["item"]?.integer ?? 0) - 1) % 3
        #expect(play["title"]?.string == "Title \(number)" && play["kind"]?.string == "track")
        #expect(play["whole"] == .bool(true) && play["why"]?.string == "order")
        let seconds = try #require(play["seconds"]?.double)
        #expect(abs(seconds - 120 * 1152 / 44_100) < 0.01)
        #expect(play["track"]?.string?.count == 32 && play["isrc"]?.isNull == true)
        // Three hear each of them, and no more than that.
        #expect((play["listeners"]?.double ?? 0) < 3.7, "\(play.text)")
      }
      let page = try await RelayAPI(address: relay.address).json("/api/v1/plays?limit=2")
      let next = try #require(page["next"]?.string)
      let first = try #require(page["plays"]?.items)
      let rest = try await plays(relay.address, "?limit=1000&after=\(next)")
      #expect(first.count == 2 && !rest.isEmpty)
      let items = (first + rest).compactMap { $0["item"]?.integer }
      #expect(items == (1...items.count).reversed().map { $0 })

      let lines = try await table(relay.address, "&station=night")
      #expect(lines.first == Self.head && lines.count > 3)
      #expect(lines.last?.hasPrefix("night,1,track,") == true)
      #expect(lines.allSatisfy { $0.components(separatedBy: ",").count == 15 })
      let at = try #require(rest.last?["at"]?.string)
      #expect(try await table(relay.address, "&to=\(at)") == [Self.head])
      #expect(try await plays(relay.address, "?from=\(at)&limit=1000").count >= items.count)

      for (query, status, word) in [
        ("?station=nobody", 404, "unknown-station"), ("?limit=0", 400, "limit"),
        ("?after=x", 400, "after"), ("?format=xml", 400, "format"), ("?from=soon", 400, "from"),
        ("?from=-1h&to=-2h", 400, "to"), ("?format=csv&limit=5", 400, "limit"),
      ] {
        let answer = try await relay.get("/api/v1/plays\(query)", fields: Self.admin)
        #expect(answer.status == status && answer.text.contains(word), "\(query): \(answer.text)")
      }
      for query in ["", "?format=csv"] {
        #expect(try await relay.get("/api/v1/plays\(query)").status == 401)
      }
    }
  }

  @Test
  func `what plays when the relay is killed is one play, whose rest comes behind the restart`()
    async throws
  {
    let (folder, data) = (TemporaryDirectory(), TemporaryDirectory())
    // Half a minute, and what follows it.
    for number in 0..<2 { folder.writeSong(number, frames: 1150) }
    let text = """
      admin: {token: \(Scenario.token)}
      stations:
        - {id: night, programme: {play: "folder:\(folder.path)", join: cut}}
      """
    let file = data.write("longwave.yml", Array(text.utf8))
    let arguments = ["serve", "--config", file]
    var server = try await LongwaveProcess(arguments, data: data.path)
    try await server.api.until("night", is: "playing")
    let item = try await eventually("an item is on air and on the disk") {
      let shown = try await server.api.json("/api/v1/stations/night/programme")
      let item = shown["now"]?["item"]?.integer
      return shown["now"]?["position"]?.double ?? 0 > 3 ? item : nil
    }
    // What plays is no play yet.
    #expect(try await !plays(server.address).contains { $0["item"]?.integer == item })
    try await server.kill()

    server = try await LongwaveProcess(arguments, data: data.path)
    try await server.api.until("night", is: "playing")
    let listed = try await eventually("the item is over", within: 120) {
      let listed = try await plays(server.address).filter { $0["item"]?.integer == item }
      return listed.contains { $0["whole"] == .bool(true) } ? listed : nil
    }
    #expect(listed.count == 1)
    let seconds = try #require(listed[0]["seconds"]?.double)
    #expect(abs(seconds - 1150 * 1152 / 44_100) < 0.1)
    server.process.signal(SIGTERM)
    #expect(try await server.process.end() == 0)

    // Away for longer than it goes on: as much as the log has of it.
    let other = text.replacing("join: cut", with: "join: cut, resume: 0s")
    data.write("longwave.yml", Array(other.utf8))
    // The log is ahead by the programme's lead, 2 s.
    try await Task.sleep(for: .seconds(3))
    server = try await LongwaveProcess(arguments, data: data.path)
    try await server.api.until("night", is: "playing")
    let left = try await eventually("what was left is there") {
      try await plays(server.address).first { $0["whole"] == .bool(false) }
    }
    #expect(left["item"]?.integer ?? 0 > item && (left["seconds"]?.double ?? 0) > 0)

    let shown = try await LongwaveProcess.command(["plays", "night", "--utc"], data: data.path)
    #expect(shown.status == 0 && shown.output.contains("Artist 0 – Title 0"))
    #expect(shown.output.contains("left early"))
    let out = data.file("plays.csv")
    let written = try await LongwaveProcess.command(
      ["plays", "--from", "-1h", "--csv", "-o", out], data: data.path)
    #expect(written.status == 0, "\(written.log)")
    let lines = String(decoding: data.read("plays.csv"), as: UTF8.self)
      .components(separatedBy: "\r\n")
    #expect(lines.first == Self.head && lines.last == "" && lines.count >= 4)
    let piped = try await LongwaveProcess.command(
      ["plays", "--from", "-1h", "--csv"], data: data.path)
    #expect(piped.outputBytes == data.read("plays.csv"))
    for (words, complaint) in [
      (["plays", "nobody"], "nobody"), (["plays", "--from", "soon"], "--from"),
      (["plays", "-o", out], "--csv"), (["plays", "--csv", "--limit", "5"], "--limit"),
    ] {
      let refused = try await LongwaveProcess.command(words, data: data.path)
      #expect(refused.status != 0 && refused.log.contains(complaint), "\(words): \(refused.log)")
    }
    server.process.signal(SIGTERM)
    #expect(try await server.process.end() == 0)
  }
}
