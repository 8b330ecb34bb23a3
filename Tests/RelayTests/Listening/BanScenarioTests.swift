import Foundation
import Glibc
import Longwave
import TestSupport
import Testing

/// Keeping addresses out by command.
@Suite struct BanScenarioTests {
  private func withServer(
    data: String, _ upstream: FakeUpstream, _ body: (LongwaveProcess) async throws -> Void
  ) async throws {
    let file = data + "/longwave.yml"
    let yaml =
      "server:\n  trusted-proxies: 127.0.0.1\n"
      + "stations:\n  - id: jazz\n    upstream: \(upstream.url("/jazz"))\n"
    try yaml.write(toFile: file, atomically: true, encoding: .utf8)
    let server = try await LongwaveProcess(["serve", "--config", file], data: data)
    try await server.api.until("jazz", is: "playing", within: 60)
    try await body(server)
    server.process.signal(SIGTERM)
    #expect(try await server.process.end() == 0)
  }

  private func listen(_ server: LongwaveProcess, from address: String) throws -> StreamClient {
    try StreamClient(
      to: server.address,
      sending: "GET /jazz HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: \(address)\r\n\r\n")
  }

  @Test func `a listener who is banned is ended and stays out, over a restart`() async throws {
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    upstream.reply("/jazz", with: .stream())
    let data = TemporaryDirectory()
    func command(_ arguments: String...) async throws -> ChildProcess.Result {
      try await LongwaveProcess.command(["listener"] + arguments, data: data.path)
    }
    try await withServer(data: data.path, upstream) { server in
      let banned = try listen(server, from: "203.0.113.7")
      let other = try listen(server, from: "203.0.114.7")
      try await banned.until { $0.bodyCount > 1000 }
      try await other.until { $0.bodyCount > 1000 }
      let listeners = try await command("list", "--json").json["listeners"]?.items ?? []
      let listener = listeners.first { $0["address"]?.string == "203.0.113.7" }
      let id = try #require(listener?["id"]?.integer)
      let result = try await command("ban", "\(id)", "--for", "1d", "--reason", "noise")
      #expect(result.output.hasPrefix("1: 203.0.113.7 is banned until 20"), "\(result.log)")
      try await banned.until("its end") { $0.isEnded }
      #expect(try await listen(server, from: "203.0.113.7").answer().status == 403)
      #expect(try await command("ban", "2001:db8::1/32").output == "2: 2001:db8::/32 is banned\n")
      let list = try await command("bans").output
      #expect(list.contains("203.0.113.7") && list.contains("noise"))
      let before = other.bodyCount
      try await other.until("more") { $0.bodyCount > before + 10_000 }
    }
    try await withServer(data: data.path, upstream) { server in
      #expect(try await listen(server, from: "203.0.113.7").answer().status == 403)
      #expect(try await listen(server, from: "2001:db8:9::9").answer().status == 403)
      let lifted = try await command("unban", "2001:db8::1/32")
      #expect(lifted.output == "2001:db8::/32 is banned no longer\n")
      #expect(try await listen(server, from: "2001:db8:9::9").answer().status == 200)
      let bans = try await command("bans", "--json").json["bans"]?.items ?? []
      #expect(bans.map { $0["id"]?.integer } == [1])
      #expect(bans.first?["reason"]?.string == "noise")
      #expect(try await command("unban", "1").status == 0)
      #expect(try await listen(server, from: "203.0.113.7").answer().status == 200)
      let unknown = try await command("unban", "1")
      #expect(unknown.status == 1 && unknown.log.contains("There is no ban 1"))
      #expect(try await command("ban", "99999").log.contains("There is no listener 99999"))
      #expect(try await command("ban", "radio.example").status == 64)
      #expect(try await command("bans").output == "nobody is banned\n")
    }
  }
}
