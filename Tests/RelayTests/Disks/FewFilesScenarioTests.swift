import Glibc
import Longwave
import TestSupport
import Testing

/// A process that may have few files open.
@Suite struct FewFilesScenarioTests {
  private func serve(_ limit: Int, _ command: String = "serve") async throws -> ChildProcess.Result
  {
    let folder = TemporaryDirectory()
    return try await ChildProcess.run(
      [
        "sh", "-c", "ulimit -n \(limit); exec \"$0\" \"$@\"", Binary.longwave, command,
        "--data", folder.path, "--listen", "127.0.0.1:0",
      ], within: 60)
  }

  @Test(arguments: [10, 16, 20, 24, 32, 40, 48, 64, 80])
  func `too few open files are told with both numbers and what to do`(limit: Int) async throws {
    for command in ["serve", "demo"] {
      let ended = try await serve(limit, command)
      let said = try #require(ended.complaint, "\(ended.status) \(ended.log)")
      #expect(ended.status == 1 && said.contains("may have \(limit) files open, and needs "))
      #expect(said.contains("ulimit -Hn"))
    }
  }

  @Test func `stations without open files left say why, and blame no upstream`() async throws {
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: 10)))
    let folder = TemporaryDirectory()
    let stations = (1...40).map { "  - {id: s\($0), upstream: '\(upstream.url("/live"))'}\n" }
    let text = "server: {threads: 1}\nstations:\n" + stations.joined()
    folder.write("longwave.yml", Array(text.utf8))
    let server = try await LongwaveProcess(
      ["serve", "--config", folder.path + "/longwave.yml"], data: folder.path, openFiles: 96)
    try await eventually("it is said of an upstream's socket") {
      server.process.log.split(separator: "\n").contains { line in
        line.contains(" the 96 files that this process may have open are too few")
          && line.contains("ulimit -Hn") && line.contains(upstream.url("/live"))
      }
    }
    #expect(!server.process.log.contains("cannot connect"))
    // What runs the relay's tasks looks at its threads while they have much to do, and ends a process that it cannot look at.
    let crowd = try (0..<30).map { _ in
      try StreamClient(to: server.address, sending: "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    }
    await withTaskGroup(of: Void.self) { [address = server.address] group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<20 { _ = try? await HTTPExchange("GET", "/status-json.xsl", at: address) }
        }
      }
    }
    withExtendedLifetime(crowd) {}
    #expect(server.process.status() == nil)
    server.process.signal(SIGTERM)
    _ = try await server.process.end()
  }

  @Test func `as many open files as the relay says it needs are enough to listen`() async throws {
    let said = try await serve(16).log
    let least = try #require(said.firstMatch(of: /needs ([0-9]+) at least/).flatMap { Int($0.1) })
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: 10)))
    let folder = TemporaryDirectory()
    let process = try await LongwaveProcess(
      ["relay", upstream.url("/live"), "--id", "jazz"], data: folder.path, openFiles: least)
    try await eventually("something to play") {
      try await HTTPExchange("HEAD", "/jazz", at: process.address).status == 200
    }
    let listener = try StreamClient(to: process.address, get: "/jazz")
    try await listener.until("audio") { try $0.numbers().count > 20 }
    let doctor = try await LongwaveProcess.command(["doctor", "--json"], data: folder.path)
    let texts = (doctor.json["findings"]?.items ?? []).compactMap { $0["text"]?.string }
    // As many as the relay says, which has a station that the doctor's configuration has not.
    let most =
      try await LongwaveProcess.command(["stats", "--json"], data: folder.path).json["listeners"]?[
        "max"]?.integer ?? 0
    let line = "\(least) for the relay that runs: \(most) listeners"
    #expect(texts.contains { $0.hasPrefix(line) }, "\(texts)")
    process.process.signal(SIGTERM)
    _ = try await process.process.end()
  }
}
