import Foundation
import Glibc
import Longwave
import TestSupport
import Testing

/// A relay that starts while the folder of a station cannot be used, and goes over to it when it can.
@Suite(.serialized) struct FolderScenarioTests {
  private static let burst = 12.0

  private func configure(_ data: TemporaryDirectory, _ upstream: FakeUpstream) -> String {
    let text = """
      timeshift: { window: 1h }
      admin: { token: \(Scenario.token) }
      stations:
        - id: jazz
          upstream: [\(upstream.url("/live"))]
        - {id: later, of: jazz, delay: 4s}
      """
    data.write("longwave.yml", Array(text.utf8))
    return data.path + "/longwave.yml"
  }

  private func api(
    _ server: LongwaveProcess, _ method: String, _ path: String, _ body: String = ""
  ) async throws -> JSON {
    let answer = try await HTTPExchange(
      method, path, at: server.address,
      fields: ["Authorization: Bearer \(Scenario.token)"], body: body)
    return JSON.parse(answer.body) ?? .null
  }

  private func recording(_ server: LongwaveProcess) async throws -> JSON {
    try await api(server, "GET", "/api/v1/recordings")["recordings"]?.items.first ?? .null
  }

  private func storage(_ server: LongwaveProcess) async throws -> String? {
    try await server.api.station("jazz")["window"]?["storage"]?.string
  }

  @Test func `going over to its folder ends nobody, and nothing that came is lost or heard twice`()
    async throws
  {
    let upstream = try FakeUpstream(.numbered(before: 2000))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: Self.burst)))
    let (folder, data) = (TemporaryDirectory(), TemporaryDirectory())
    let arguments = ["serve", "--config", configure(folder, upstream)]
    let first = try await LongwaveProcess(arguments, data: data.path)
    try await eventually("some seconds of jazz") { try await first.api.seconds("jazz") > 13 }
    _ = try await api(first, "POST", "/api/v1/recordings", #"{"station":"jazz"}"#)
    try await eventually("some of it is recorded and synced") {
      try await recording(first)["seconds"]?.double ?? 0 > 6
    }
    try await first.kill()
    // A file where its folder should be.
    let (jazz, away) = (data.path + "/stations/jazz", data.path + "/stations/away")
    #expect(rename(jazz, away) == 0)
    data.write("stations/jazz", [1])
    let server = try await LongwaveProcess(arguments, data: data.path)
    try await eventually("it plays from memory") { try await server.api.seconds("jazz") > 8 }
    #expect(try await storage(server) == "failed")
    let crowd = try Crowd(
      at: server.address,
      [
        Crowd.Wish("/jazz"), Crowd.Wish("/jazz", titles: true), Crowd.Wish("/jazz?offset=6"),
        Crowd.Wish("/jazz?offset=1h"), Crowd.Wish("/jazz?session=abcdefgh1234&offset=5"),
        Crowd.Wish("/later"),
      ])
    try await eventually("all hear it") { crowd.now.allSatisfy { $0.received.count > 60_000 } }
    unlink(jazz)
    #expect(rename(away, jazz) == 0)
    try await eventually("its folder is used", within: 90) {
      try await storage(server) == "healthy"
    }
    let counts = crowd.now.map(\.received.count)
    try await eventually("all hear more of it") {
      zip(crowd.now, counts).allSatisfy { $0.received.count > $1 + 80_000 }
    }
    #expect(crowd.endedCount == 0)
    // All that ever came is one past.
    let heard = try crowd.finish().map { ($0.wish.path, try $0.heard().numbers()) }
    let newest = heard.compactMap(\.1.first).max() ?? 0
    let past = try Crowd(at: server.address, [Crowd.Wish("/jazz?offset=1h&burst=60")])
    try await eventually("the past up to what they heard") {
      guard let member = past.now.first, member.received.count > 10_000 else { return false }
      return try member.heard().numbers().last ?? 0 >= newest
    }
    let whole = try past.finish()[0].heard().numbers()
    #expect(areUnbroken(whole))
    for (path, numbers) in heard {
      #expect(areUnbroken(numbers), "\(path)")
      if let first = numbers.first { #expect(whole.contains(first), "\(path)") }
    }
    try await recorded(server, whole, data)
  }

  /// What was recorded before and after is one piece.
  private func recorded(
    _ server: LongwaveProcess, _ whole: [UInt64], _ data: TemporaryDirectory
  ) async throws {
    let before = try await recording(server)["seconds"]?.double ?? 0
    try await eventually("the recording goes on") {
      try await recording(server)["seconds"]?.double ?? 0 > before + 2
    }
    _ = try await api(server, "DELETE", "/api/v1/recordings/1")
    let done = try await recording(server)
    #expect(done["missedSeconds"]?.double == 0)
    let folder = data.path + "/recordings"
    var numbers: [UInt64] = []
    for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    where name.hasSuffix(".mp3") {
      let file = Array(try Data(contentsOf: URL(filePath: folder + "/" + name)))
      let tag = file[6..<10].reduce(0) { $0 << 7 | Int($1) }
      let audio = file.starts(with: "ID3".utf8) ? Array(file[(10 + tag)...]) : file
      numbers += try NumberedFrames.numbers(in: audio)
    }
    #expect(areUnbroken(numbers) && numbers.count > 10 * 38)
  }

  @Test func `a folder that becomes another log's is gone over to, and nothing of it is lost`()
    async throws
  {
    let upstream = try FakeUpstream(.numbered(before: 2000))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: Self.burst)))
    let (folder, data, other) = (TemporaryDirectory(), TemporaryDirectory(), TemporaryDirectory())
    let arguments = ["serve", "--config", configure(folder, upstream)]
    let first = try await LongwaveProcess(arguments, data: other.path)
    try await eventually("some seconds of jazz") { try await first.api.seconds("jazz") > 13 }
    first.process.signal(SIGTERM)
    _ = try await first.process.end()
    let server = try await LongwaveProcess(arguments, data: data.path)
    try await eventually("it plays") { try await server.api.seconds("jazz") > 13 }
    // As a disk that is mounted late.
    #expect(rename(data.path + "/stations/jazz", data.path + "/stations/away") == 0)
    #expect(rename(other.path + "/stations/jazz", data.path + "/stations/jazz") == 0)
    try await eventually("the folder's past is the station's", within: 150) {
      try await server.api.seconds("jazz") > 30
    }
    try await eventually("it is on the disk", within: 60) {
      try await storage(server) == "healthy"
    }
    let past = try Crowd(at: server.address, [Crowd.Wish("/jazz?offset=1h&burst=60")])
    try await past.quietBurst()
    let numbers = try past.finish()[0].heard().numbers()
    #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 } && numbers.count > 13 * 38)
    let names = try FileManager.default.contentsOfDirectory(atPath: data.path + "/stations/jazz")
    #expect(!names.contains { $0.hasSuffix(".bad") }, "\(names)")
    try await server.kill()
    let again = try await LongwaveProcess(arguments, data: data.path)
    try await eventually("it is all there") { try await again.api.seconds("jazz") > 30 }
  }
}
