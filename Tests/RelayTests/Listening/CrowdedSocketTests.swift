import Glibc
import Longwave
import Reactor
import TestSupport
import Testing

/// What strangers can hold of a relay with few descriptors: while they do, who listens misses nothing, and everybody else
/// gets an answer.
@Suite(.serialized)
struct CrowdedSocketTests {
  private static let files = 400

  /// A relay with few open files, a listener of it, and `body` beside that.
  private func withRelay(
    _ body: (LongwaveProcess, String) async throws -> Void
  ) async throws {
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: 10)))
    let folder = TemporaryDirectory()
    let process = try await LongwaveProcess(
      ["relay", upstream.url("/live"), "--id", "jazz"], data: folder.path, openFiles: Self.files)
    try await eventually("something to play") {
      try await HTTPExchange("HEAD", "/jazz", at: process.address).status == 200
    }
    let listener = try StreamClient(to: process.address, get: "/jazz")
    try await listener.until("the burst") { try $0.numbers().count > 100 }
    try await body(process, folder.path)
    let before = try listener.numbers().count
    try await listener.until("it goes on") { try $0.numbers().count > before + 38 }
    #expect(areUnbroken(try listener.numbers()))
    #expect(process.process.status() == nil)
    // Everything is given back.
    try await eventually("as before") {
      listener.drain()
      let stats = try? await LongwaveProcess.command(["stats", "--json"], data: folder.path)
      return stats?.json["connections"]?["now"]?.integer == 2
    }
    process.process.signal(SIGTERM)
    _ = try await process.process.end()
  }

  @Test(arguments: [
    "", "GET /", "GET /events HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /events?kinds=state HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n",
    "POST /api/v1/stations HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\nx",
    "GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n",
  ])
  func `five hundred connections of one kind leave others an answer`(request: String) async throws {
    try await withRelay { process, data in
      var crowd: [StreamClient] = []
      for _ in 0..<500 { crowd.append(try StreamClient(to: process.address, sending: request)) }
      // They stay for a while, as those do who mean it.
      let before = ProcessFigures.cpuTime(of: process.process.id).total
      for _ in 0..<10 {
        let health = try await HTTPExchange("GET", "/healthz", at: process.address)
        #expect([200, 429, 503].contains(health.status))
        let stats = try await LongwaveProcess.command(["stats", "--json"], data: data)
        #expect(stats.status == 0)
        let limit = stats.json["connections"]?["max"]?.integer ?? 0
        #expect((100..<Self.files).contains(Int(limit)))
        #expect(stats.json["connections"]?["now"]?.integer ?? .max <= limit + 20)
        #expect(stats.json["process"]?["openFiles"]?.integer ?? .max < Self.files)
        try await Task.sleep(for: .milliseconds(300))
      }
      // Of two loops that ask in vain for a descriptor again and again it would be six seconds.
      #expect(ProcessFigures.cpuTime(of: process.process.id).total - before < 2)
      withExtendedLifetime(crowd) {}
    }
  }

  /// So few that the limits do not hold what they promise: there are no descriptors left at all.
  @Test func `a relay without a descriptor left lets the administration in, and does not spin`()
    async throws
  {
    let folder = TemporaryDirectory()
    let process = try await LongwaveProcess(
      ["relay", "http://127.0.0.1:9/", "--id", "jazz"], data: folder.path, openFiles: 100)
    let crowd = try (0..<200).map { _ in
      try StreamClient(to: process.address, sending: "GET /jazz HTTP/1.1\r\nHost: a\r\n\r\n")
    }
    let before = ProcessFigures.cpuTime(of: process.process.id).total
    for _ in 0..<6 {
      let stats = try await LongwaveProcess.command(["stats", "--json"], data: folder.path)
      #expect(stats.status == 0)
      try await Task.sleep(for: .milliseconds(500))
    }
    #expect(ProcessFigures.cpuTime(of: process.process.id).total - before < 2)
    withExtendedLifetime(crowd) {}
  }

  @Test func `a crowd of watchers leaves room for a newcomer who listens`() async throws {
    try await withRelay { process, _ in
      let request = "GET /events HTTP/1.1\r\nHost: a\r\n\r\n"
      let crowd = try (0..<500).map { _ in
        try StreamClient(to: process.address, sending: request)
      }
      try await eventually("an answer for each") {
        for client in crowd { client.drain() }
        return crowd.allSatisfy { $0.received.count > 12 || $0.isEnded }
      }
      let newcomer = try StreamClient(to: process.address, get: "/jazz")
      #expect(try await newcomer.answer().status == 200)
      try await newcomer.until("its burst") { try $0.numbers().count > 100 }
      let metrics = try await HTTPExchange("GET", "/metrics", at: process.address).text
      let watchers = try #require(metrics.firstMatch(of: /\nlongwave_watchers ([0-9]+)\n/))
      #expect((1...100).contains(Int(watchers.1)!))
      withExtendedLifetime(crowd) {}
    }
  }
}
