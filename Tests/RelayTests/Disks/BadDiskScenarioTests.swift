import Foundation
import Glibc
import Longwave
import TestSupport
import Testing

/// A relay whose data folder is damaged, or cannot be used for a while.
@Suite(.serialized) struct BadDiskScenarioTests {
  private func upstream() throws -> FakeUpstream {
    let upstream = try FakeUpstream(.numbered(before: 1000))
    upstream.reply("/live", with: .stream(FakeStream(burst: 12)))
    return upstream
  }

  private func stop(_ server: LongwaveProcess) async throws {
    server.process.signal(SIGTERM)
    #expect(try await server.process.end() == 0)
  }

  @Test func `a station whose folder cannot be used plays from memory, and from disk when it can`()
    async throws
  {
    let upstream = try upstream()
    defer { upstream.stop() }
    let data = TemporaryDirectory()
    mkdir(data.path + "/stations", 0o700)
    // A file where its folder should be.
    data.write("stations/jazz", [1])
    let server = try await LongwaveProcess(["serve"], data: data.path)
    let added = try await LongwaveProcess.command(
      ["station", "add", "jazz", upstream.url("/live")], data: data.path)
    #expect(added.status == 0)
    func storage() async throws -> String? {
      let shown = try await LongwaveProcess.command(
        ["station", "show", "jazz", "--json"], data: data.path)
      return shown.json["window"]?["storage"]?.string
    }
    try await server.api.untilPublic("jazz", is: "playing")
    #expect(try await storage() == "failed")
    unlink(data.path + "/stations/jazz")
    try await eventually("its folder is used") { try await storage() == "healthy" }
    try await server.api.untilPublic("jazz", is: "playing")
    let listener = try StreamClient(to: server.address, get: "/jazz")
    #expect(try await listener.answer().status == 200)
    try await eventually("segments") {
      let names = try? FileManager.default.contentsOfDirectory(atPath: data.path + "/stations/jazz")
      return names?.contains { $0.hasSuffix(".idx") } == true
    }
    #expect(server.process.log.contains("jazz: disk: works again"))
    try await stop(server)
  }

  @Test func `a relay with a damaged database starts, and says so`() async throws {
    let upstream = try upstream()
    defer { upstream.stop() }
    let data = TemporaryDirectory()
    data.write(
      "longwave.yml",
      Array("stations:\n  - {id: jazz, upstream: \"\(upstream.url("/live"))\"}\n".utf8))
    let arguments = ["serve", "--config", data.path + "/longwave.yml"]
    try await stop(try await LongwaveProcess(arguments, data: data.path))
    var bytes = data.read("longwave.db")
    for index in 0..<min(4096, bytes.count) { bytes[index] = 0x5A }
    data.write("longwave.db", bytes)
    let server = try await LongwaveProcess(arguments, data: data.path)
    try await server.api.untilPublic("jazz", is: "playing")
    #expect(server.process.log.contains("the database was damaged and is now"))
    #expect(data.read("longwave.db.1.bad") == bytes)
    try await stop(server)
  }
}
