import Foundation
import Glibc
import Longwave
import TestSupport
import Testing

/// A relay that dies at each start comes back without what may be the cause, and is repaired by its own commands.
@Suite(.serialized) struct DeathScenarioTests {
  private struct Setup {
    let upstream: FakeUpstream
    let data = TemporaryDirectory()

    init() throws {
      upstream = try FakeUpstream(.numbered(before: 1000))
      upstream.reply("/live", with: .stream(FakeStream(burst: 12)))
    }

    func serve() async throws -> LongwaveProcess {
      try await LongwaveProcess(["serve"], data: data.path)
    }

    func longwave(_ arguments: String...) async throws -> ChildProcess.Result {
      try await LongwaveProcess.command(arguments, data: data.path)
    }

    /// Ends three starts before their minute is over.
    func die() async throws {
      for _ in 0..<3 { try await serve().kill() }
    }

    func state(_ id: String) async throws -> String? {
      try await longwave("station", "show", id, "--json").json["state"]?.string
    }
  }

  private func ready(_ server: LongwaveProcess) async throws -> (status: Int, body: String) {
    let client = try StreamClient(to: server.address, get: "/readyz")
    try await client.until("the answer") { $0.isEnded }
    return (try client.head().status, String(decoding: client.body, as: UTF8.self))
  }

  @Test func `a relay leaves out what was added last after three deaths, until it is repaired`()
    async throws
  {
    let setup = try Setup()
    defer { setup.upstream.stop() }
    let first = try await setup.serve()
    for id in ["jazz", "rock"] {
      #expect(
        try await setup.longwave("station", "add", id, setup.upstream.url("/live")).status == 0)
    }
    try await first.api.untilPublic("jazz", is: "playing")
    #expect(try await setup.longwave("record", "start", "jazz", "--for", "1h").status == 0)
    try await first.kill()
    try await setup.serve().kill()
    try await setup.serve().kill()

    let safe = try await setup.serve()
    #expect(safe.process.log.contains("critical"))
    #expect(safe.process.log.contains("died within a minute of each of its last 3 starts"))
    let answer = try await ready(safe)
    #expect(answer.status == 503 && answer.body.contains("left out: jazz, rock"))
    #expect(try await setup.longwave("stats").output.contains("left out: jazz, rock"))
    let doctor = try await setup.longwave("doctor")
    #expect(doctor.output.contains("without recordings"))
    let list = try await setup.longwave("station", "list")
    #expect(list.output.contains("jazz, rock: left out of this start"))
    let export = try await setup.longwave("station", "export")
    #expect(export.output.contains("id: jazz") && export.output.contains("id: rock"))
    #expect(try await setup.state("jazz") == "stopped")
    let listener = try StreamClient(to: safe.address, get: "/jazz")
    #expect(try await listener.answer().status == 503)
    let recordings = try await setup.longwave("record", "list", "--json").json["recordings"]
    #expect(recordings?.items.first?["reason"]?.string?.contains("left out") == true)

    // One is tried again, one is changed, one is taken away.
    #expect(try await setup.longwave("station", "start", "jazz").status == 0)
    try await safe.api.untilPublic("jazz", is: "playing")
    let again = try await setup.longwave("station", "add", "rock", setup.upstream.url("/live"))
    #expect(again.status == 1 && again.complaint?.contains("left out") == true)
    #expect(try await setup.longwave("station", "edit", "rock", "--name", "Rock").status == 0)
    #expect(try await setup.longwave("station", "remove", "rock", "--yes").status == 0)
    #expect(try await setup.longwave("record", "stop", "1").status == 0)
    #expect(try await setup.longwave("listener", "forget").status == 0)
    safe.process.signal(SIGTERM)
    #expect(try await safe.process.end(within: 60) == 0)

    let whole = try await setup.serve()
    let after = try await ready(whole)
    #expect(after.status == 200, "\(after.body)")
    try await whole.api.untilPublic("jazz", is: "playing")
    #expect(try await setup.state("rock") == nil)
    #expect(
      try await setup.longwave("record", "list", "--json").json["recordings"]?.items.isEmpty == true
    )
    whole.process.signal(SIGTERM)
    #expect(try await whole.process.end(within: 60) == 0)
  }

  @Test func `a station left out and then written into the file is there once, and plays`()
    async throws
  {
    let setup = try Setup()
    defer { setup.upstream.stop() }
    let file = setup.data.path + "/c.yml"
    try Data("stations: []\n".utf8).write(to: URL(fileURLWithPath: file))
    func serve() async throws -> LongwaveProcess {
      try await LongwaveProcess(["serve", "--config", file], data: setup.data.path)
    }
    let first = try await serve()
    let url = setup.upstream.url("/live")
    #expect(try await setup.longwave("station", "add", "jazz", url).status == 0)
    try await first.kill()
    for _ in 0..<2 { try await serve().kill() }
    let safe = try await serve()
    #expect(try await setup.state("jazz") == "stopped")
    try Data("stations:\n  - id: jazz\n    upstream: \(url)\n".utf8)
      .write(to: URL(fileURLWithPath: file))
    #expect(try await setup.longwave("config", "reload").status == 0)
    try await safe.api.untilPublic("jazz", is: "playing")
    let ids = try await setup.longwave("station", "list", "--json").json["stations"]?.items
    #expect(ids?.map { $0["id"]?.string } == ["jazz"])
    let listener = try StreamClient(to: safe.address, get: "/jazz")
    #expect(try await listener.answer().status == 200)
    safe.process.signal(SIGTERM)
    #expect(try await safe.process.end(within: 60) == 0)
  }

  @Test func `a repair over the network may name no more files than before`() async throws {
    let setup = try Setup()
    defer { setup.upstream.stop() }
    let token = "a-token-of-some-length"
    setup.data.write("longwave.yml", Array("admin: {token: \(token)}\n".utf8))
    let arguments = ["serve", "--config", setup.data.path + "/longwave.yml"]
    func serve() async throws -> LongwaveProcess {
      try await LongwaveProcess(arguments, data: setup.data.path)
    }
    let first = try await serve()
    #expect(
      try await setup.longwave("station", "add", "jazz", setup.upstream.url("/live")).status == 0)
    try await first.kill()
    for _ in 0..<2 { try await serve().kill() }
    let safe = try await serve()
    #expect(try await setup.longwave("stats").output.contains("left out: jazz"))
    func change(_ body: String) async throws -> HTTPExchange {
      try await HTTPExchange(
        "PATCH", "/api/v1/stations/jazz", at: safe.address,
        fields: ["Authorization: Bearer \(token)", "Content-Type: application/json"], body: body)
    }
    for body in [
      #"{"auth":{"htpasswd":"/etc/passwd"}}"#, #"{"fallback":"file:/etc/passwd"}"#,
    ] {
      let refused = try await change(body)
      #expect(refused.status == 403 && refused.text.contains("path-not-allowed"))
    }
    #expect(try await change(#"{"name":"Jazz"}"#).status == 200)
    try await safe.kill()
  }

  @Test func `an orderly stop in between is no death, and nothing is lost by a start with less`()
    async throws
  {
    let setup = try Setup()
    defer { setup.upstream.stop() }
    let first = try await setup.serve()
    #expect(
      try await setup.longwave("station", "add", "jazz", setup.upstream.url("/live")).status == 0)
    try await first.kill()
    try await setup.serve().kill()
    let second = try await setup.serve()
    second.process.signal(SIGTERM)
    #expect(try await second.process.end(within: 60) == 0)
    try await setup.serve().kill()
    let third = try await setup.serve()
    #expect(try await ready(third).status == 200)
    try await third.api.untilPublic("jazz", is: "playing")
    try await third.kill()
    try await setup.serve().kill()
    let safe = try await setup.serve()
    #expect(try await setup.state("jazz") == "stopped")
    safe.process.signal(SIGTERM)
    #expect(try await safe.process.end(within: 60) == 0)
    let whole = try await setup.serve()
    try await whole.api.untilPublic("jazz", is: "playing")
    whole.process.signal(SIGTERM)
    #expect(try await whole.process.end(within: 60) == 0)
  }
}
