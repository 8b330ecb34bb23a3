import Glibc
import Longwave
import TestSupport
import Testing

/// The players that people have, on the demo's music: no network is needed.
@Suite struct PlayerScenarioTests {
  /// A running demo with some seconds of past, one for all tests.
  private static func withDemo(_ body: (LongwaveProcess, String) async throws -> Void) async throws
  {
    let data = TemporaryDirectory()
    let demo = try await LongwaveProcess(["demo"], data: data.path)
    try await demo.api.untilPublic("demo", is: "playing")
    try await eventually("six seconds of music and a title") {
      let answer = try await HTTPExchange("GET", "/api/v1/stations/demo", at: demo.address)
      let station = JSON.parse(answer.body)
      return station?["window"]?["seconds"]?.double ?? 0 > 6
        && station?["nowPlaying"]?["title"]?.string != nil
    }
    try await body(demo, "http://\(demo.address)/demo")
    demo.process.signal(SIGTERM)
    #expect(try await demo.process.end() == 0)
  }

  /// False, with a word about it, where a player is not installed.
  private static func has(_ player: String) -> Bool {
    if Binary.find(player) != nil { return true }
    print("\(player) is not installed: not tried")
    return false
  }

  private static func places(_ url: String) -> [String] { [url, url + "?offset=5"] }

  @Test(.enabled(if: has("mpg123"))) func `mpg123 plays live and shifted and shows the title`()
    async throws
  {
    try await Self.withDemo { _, url in
      for place in Self.places(url) {
        // -t decodes to nowhere; 230 frames are 6 s.
        let result = try await ChildProcess.run(["mpg123", "-t", "-v", "-n", "230", place])
        #expect(result.status == 0, "\(place): \(result.log)")
        #expect(result.log.contains("StreamTitle="), "\(place): \(result.log)")
        #expect(!result.log.lowercased().contains("error"), "\(place): \(result.log)")
      }
    }
  }

  @Test(.enabled(if: has("ffmpeg") && has("ffprobe")))
  func `ffmpeg decodes live and shifted without a complaint, and ffprobe shows the title`()
    async throws
  {
    try await Self.withDemo { _, url in
      for place in Self.places(url) {
        let result = try await ChildProcess.run([
          "ffmpeg", "-nostdin", "-v", "warning", "-xerror", "-t", "6", "-i", place, "-f", "null",
          "-",
        ])
        #expect(result.status == 0 && result.log.isEmpty, "\(place): \(result.log)")
        let probe = try await ChildProcess.run([
          "ffprobe", "-v", "error", "-show_format", "-show_streams", "-of", "json", place,
        ])
        #expect(probe.status == 0 && probe.log.isEmpty, "\(place): \(probe.log)")
        #expect(probe.json["streams"]?.items.first?["codec_name"]?.string == "mp3")
        let tags = probe.json["format"]?["tags"]
        #expect(tags?["StreamTitle"]?.string?.isEmpty == false, "\(place): \(probe.output)")
        #expect(tags?["icy-name"]?.string == "Longwave Studio")
      }
    }
  }

  @Test(.enabled(if: has("mpv"))) func `mpv plays live and shifted and shows the title`()
    async throws
  {
    try await Self.withDemo { _, url in
      for place in Self.places(url) {
        let result = try await ChildProcess.run(Mpv.command(place, seconds: 4))
        #expect(result.status == 0, "\(place): \(result.output) \(result.log)")
        #expect(result.output.contains("icy-title: "), "\(place): \(result.output)")
        #expect(!Mpv.said(result.output).contains("[ffmpeg/"), "\(place): \(result.output)")
      }
    }
  }

  @Test(.enabled(if: has("curl"))) func `curl gets whole packets and titles between them`()
    async throws
  {
    try await Self.withDemo { demo, url in
      for place in Self.places(url) {
        let result = try await ChildProcess.run([
          "curl", "-sS", "-m", "4", "-H", "Icy-MetaData: 1", "-D", "/dev/stderr", place,
        ])
        // 28: the time given by -m is over.
        #expect(result.status == 28, "\(place): \(result.log)")
        let metaint = try #require(
          result.log.lowercased().firstMatch(of: /icy-metaint: *([0-9]+)/).flatMap { Int($0.1) })
        let (audio, titles) = StreamClient.deinterleave(result.outputBytes, metaint: metaint)
        #expect(audio.count > 4 * 16_000)
        #expect(titles.first?.title.isEmpty == false)
        let packets = try Fixtures.probe(audio, format: "mp3")
        // Real audio in one piece: each packet begins where the one before it ended.
        #expect(packets.count > 150)
        let followers = zip(packets, packets.dropFirst())
        #expect(followers.allSatisfy { $0.position + $0.bytes == $1.position })
      }
    }
  }
}
