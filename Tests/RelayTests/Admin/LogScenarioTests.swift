import Foundation
import Glibc
import Longwave
import TestSupport
import Testing

/// The files that other programs count listeners with.
@Suite struct LogScenarioTests {
  private func lines(_ path: String) -> [String] {
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  @Test func `requests and titles are written down, and logrotate may come at any time`()
    async throws
  {
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    upstream.reply("/jazz", with: .stream())
    let data = TemporaryDirectory()
    let file = data.path + "/longwave.yml"
    let (access, playlist) = (data.path + "/access.log", data.path + "/playlist.log")
    let yaml =
      "log:\n  access: \(access)\n  playlist: \(playlist)\n  anonymise: true\n"
      + "admin:\n  token: administrator\nserver:\n  trusted-proxies: 127.0.0.1\n"
      + "stations:\n  - id: jazz\n    upstream: \(upstream.url("/jazz"))\n"
    try yaml.write(toFile: file, atomically: true, encoding: .utf8)
    let server = try await LongwaveProcess(["serve", "--config", file], data: data.path)
    try await server.api.untilPublic("jazz", is: "playing")
    let listener = try StreamClient(
      to: server.address,
      sending: "GET /jazz?token=secret HTTP/1.1\r\nHost: a\r\nUser-Agent: my \"player\"\r\n"
        + "X-Forwarded-For: 203.0.113.77\r\n\r\n")
    try await listener.until { $0.bodyCount > 10_000 }
    let said = try await HTTPExchange(
      "PUT", "/api/v1/stations/jazz/metadata", at: server.address,
      fields: ["Authorization: Bearer administrator"], body: #"{"title": "Anna – Song"}"#)
    #expect(said.status == 200)
    try await eventually("the title") {
      lines(playlist).contains { $0.hasSuffix("|/jazz|1|Anna – Song") }
    }
    listener.hangUp()
    try await eventually("the listener's line") {
      lines(access).contains { $0.hasPrefix("203.0.113.0 - - [") }
    }
    let line = try #require(lines(access).first { $0.contains("/jazz?") })
    #expect(line.contains(#""GET /jazz?token=- HTTP/1.1" 200 "#))
    #expect(line.contains(#" "-" "my \x22player\x22" "#))

    // Renamed, and a configuration that is wrong: the log goes on in a new file all the same.
    try FileManager.default.moveItem(atPath: access, toPath: access + ".1")
    try "stations: [{}]\n".write(toFile: file, atomically: true, encoding: .utf8)
    server.process.signal(SIGHUP)
    try await eventually("a new file") { FileManager.default.fileExists(atPath: access) }
    let before = lines(access + ".1").count
    _ = try await HTTPExchange("GET", "/healthz", at: server.address)
    try await eventually("its line") {
      lines(access).contains { $0.contains(#""GET /healthz HTTP/1.1" 200 "#) }
    }
    #expect(lines(access + ".1").count == before)
    server.process.signal(SIGTERM)
    #expect(try await server.process.end() == 0)
  }

  @Test func `SIGUSR1 opens the logs anew, and leaves a changed configuration for a reload`()
    async throws
  {
    let data = TemporaryDirectory()
    let file = data.path + "/longwave.yml"
    let (access, other) = (data.path + "/access.log", data.path + "/other.log")
    try "log: {access: \(access)}\n".write(toFile: file, atomically: true, encoding: .utf8)
    let server = try await LongwaveProcess(["serve", "--config", file], data: data.path)
    try FileManager.default.moveItem(atPath: access, toPath: access + ".1")
    try "log: {access: \(other)}\n".write(toFile: file, atomically: true, encoding: .utf8)
    server.process.signal(SIGUSR1)
    try await eventually("a new file") { FileManager.default.fileExists(atPath: access) }
    _ = try await HTTPExchange("GET", "/healthz", at: server.address)
    try await eventually("its line") {
      lines(access).contains { $0.contains(#""GET /healthz HTTP/1.1" 200 "#) }
    }
    #expect(!FileManager.default.fileExists(atPath: other))
    server.process.signal(SIGTERM)
    #expect(try await server.process.end() == 0)
  }
}
