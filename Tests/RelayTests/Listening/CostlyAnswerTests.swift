import LongwaveAdmin
import Foundation
import Longwave
import Reactor
import TestSupport
import Testing

/// Answers that cost something to make: whoever asks for many of them at once keeps nobody else waiting.
@Suite(.serialized)
struct CostlyAnswerTests {
  private static let crowd = 60
  private static let files = 6_000

  /// A relay with a folder of thousands of files, and a station whose titles are as long as they can be and change all
  /// the time.
  private func withRelay(
    _ body: (LongwaveProcess, String) async throws -> Void
  ) async throws {
    let titles = (0..<600).map { number in
      FakeProgramme.TitleChange(
        packet: number * 6, "\(number) " + String(repeating: "\"\"\\", count: 1_200))
    }
    let upstream = try FakeUpstream(.numbered(before: 100, titles: titles))
    defer { upstream.stop() }
    var stream = FakeStream(burst: 95)
    stream.metaint = 2_000
    upstream.reply("/live", with: .stream(stream))
    let data = TemporaryDirectory()
    let folder = data.path + "/shows"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for number in 0..<Self.files {
      data.write("shows/a programme of some length, number \(number).mp3", [])
    }
    let config = """
      stations:
        - id: shows
          files: \(folder)
        - id: jazz
          upstream: \(upstream.url("/live"))
      """
    data.write("longwave.yml", Array(config.utf8))
    let process = try await LongwaveProcess(
      ["serve", "--config", data.path + "/longwave.yml"], data: data.path + "/data")
    try await eventually("a long history") {
      let history = try await process.api.json("/api/v1/stations/jazz/history?limit=1000")
      return history["history"]?.items.count ?? 0 > 100
    }
    try await body(process, data.path + "/data")
    process.process.signal(SIGTERM)
    _ = try await process.process.end()
  }

  /// What anybody may GET, by the description that the relay gives of itself.
  private func routes(_ relay: LongwaveProcess) async throws -> [String] {
    let page = try await relay.api.json("/api/v1/openapi.json")
    let paths = page["paths"]?.members.filter { path in
      path.value["get"] != nil && path.value["get"]?["security"] == nil
    }
    let all = (paths ?? []).map(\.key).flatMap { path in
      path.contains("{station}")
        ? ["jazz", "shows"].map { path.replacing("{station}", with: $0) } : [path]
    }
    // Streams and files have no end, or are paced.
    let endless =
      ["/events", "/api/v1/events", "/jazz", "/shows"]
      + ["/jazz/pcm", "/jazz/pcm.wav", "/shows/pcm", "/shows/pcm.wav"]
    return all.map { $0.replacing("{session}", with: "nobody") }.filter {
      !endless.contains($0) && !$0.contains("{")
    }
  }

  @Test func `sixty of each page at once keep neither health nor the socket waiting`() async throws
  {
    try await withRelay { relay, data in
      let routes = try await routes(relay)
      #expect(routes.contains("/shows.xspf") && routes.contains("/api/v1/stations/jazz/history"))
      for route in routes {
        let target = route.hasSuffix("/history") ? route + "?limit=1000" : route
        let start = secondsNow()
        let clients = try (0..<Self.crowd).map { _ in
          try StreamClient(
            to: relay.address,
            sending: "GET \(target) HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n"
              + "Connection: close\r\n\r\n")
        }
        var longest = 0.0
        var left = clients
        while true {
          let before = secondsNow()
          #expect(try await HTTPExchange("GET", "/healthz", at: relay.address).status == 200)
          _ = try await AdminClient(.data(data)).request("GET", "/api/v1/stats")
          longest = max(longest, secondsNow() - before)
          for client in left { client.drain() }
          left.removeAll(where: \.isEnded)
          if left.isEmpty { break }
          if secondsNow() - start > 120 { throw TimeIsUp(description: "\(target) has no end") }
        }
        // Who waits behind all of them waits about as long as they do; a busy machine stands still for 25 s.
        let all = secondsNow() - start
        #expect(longest < max(60, all / 2), "\(target): \(longest) s of \(all) s")
        for client in clients { #expect(try client.head().status < 500, "\(target)") }
      }
    }
  }

  @Test func `a history that is longer than an answer says that more was played`() async throws {
    try await withRelay { relay, data in
      // Titles come in real time, and a busy machine stands still for long.
      try await eventually("more of a history than an answer holds", within: 240) {
        let path = "/api/v1/stations/jazz/history?limit=1000"
        return try await relay.api.json(path)["truncated"] == .bool(true)
      }
      let history = ["station", "history", "jazz", "--limit"]
      let cut = try await LongwaveProcess.command(history + ["1000"], data: data)
      #expect(cut.output.contains("More was played"))
      let whole = try await LongwaveProcess.command(history + ["5"], data: data)
      #expect(whole.output.contains("playing") && !whole.output.contains("More was played"))
    }
  }
}
