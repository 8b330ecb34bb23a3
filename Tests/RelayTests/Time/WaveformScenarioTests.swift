import Foundation
import Longwave
import TestSupport
import Testing
import Timeshift

/// A station that is loud, silent and loud, as `waveform` shows it.
@Suite struct WaveformScenarioTests {
  private static let loud: UInt8 = LoudFrames.loudness(gain: 180)

  /// Loud but for ten seconds of silence from second 20 on.
  private func programme() -> FakeProgramme {
    FakeProgramme(before: 45) { number in
      let second = number * 1152 / 44_100
      return LoudFrames.frame(gain: (20..<30).contains(second) ? 0 : 180, number: number)
    }
  }

  private func waveform(
    _ relay: TestRelay, _ query: String = "", of id: String = "jazz"
  ) async throws -> (media: Int, step: Int, data: [UInt8], kind: String?) {
    let answer = try await relay.get("/api/v1/stations/\(id)/waveform" + query)
    #expect(answer.status == 200, "\(answer.text)")
    let json = try #require(JSON.parse(answer.body))
    let data = try #require(json["data"]?.string.flatMap { Data(base64Encoded: $0) })
    return (
      Int(try #require(json["media"]?.integer)),
      Int(try #require(json["secondsPerPoint"]?.integer)),
      Array(data), json["kind"]?.string
    )
  }

  @Test func `loud, silent and loud seconds are told at their places, also after a restart`()
    async throws
  {
    let upstream = try FakeUpstream(programme())
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: FakeStream.sinceBeginning)))
    let data = TemporaryDirectory()
    let stations = [
      StationDefinition(id: "jazz", upstream: [upstream.url("/live")]),
      StationDefinition(id: "later", name: "Later", source: .copy(of: "jazz", delay: 15)),
    ]
    var before: [UInt8] = []
    try await Scenario.withRelay(stations, data: data) { relay in
      try await relay.until("jazz", has: 42)
      // The burst reaches back to the programme's beginning, so media seconds are the programme's.
      let whole = try await waveform(relay)
      #expect(whole.media == 0 && whole.step == 1 && whole.kind == "estimate")
      let expected = (0..<40).map { (20..<30).contains($0) ? 0 : Self.loud }
      let near = zip(whole.data, expected).enumerated().filter { $1.0 != $1.1 }.map(\.offset)
      // Packets lie across the borders of seconds.
      #expect(whole.data.count >= 42 && Set(near).isSubset(of: [20, 30]), "\(near)")
      before = Array(whole.data[..<35])

      let part = try await waveform(relay, "?from=10&to=30&points=5")
      #expect(part.media == 10 && part.step == 5)
      #expect(part.data == [0, 5, 10, 15].map { whole.data[(10 + $0)..<(15 + $0)].max() })
      let one = try await waveform(relay, "?points=1")
      #expect(one.data == [Self.loud] && one.media == 0)
      let later = try await waveform(relay, of: "later")
      let now = try await waveform(relay)
      #expect(later.data.count + 10 < now.data.count && later.kind == "estimate")
      for query in [
        "points=0", "points=4097", "points=x", "points=-1", "points=1.5", "from=x", "from=-1",
        "to=inf", "to=nan", "from=1e300", "from=20&to=10",
      ] {
        let refused = try await relay.get("/api/v1/stations/jazz/waveform?\(query)")
        #expect(refused.status == 400, "\(query): \(refused.status)")
      }
      #expect(try await relay.get("/api/v1/stations/jazz/waveform?points=4096").status == 200)
      #expect(try await relay.get("/api/v1/stations/rock/waveform").status == 404)
    }
    try await Scenario.withRelay(stations, data: data) { relay in
      try await relay.until("jazz", has: 42)
      let whole = try await waveform(relay)
      #expect(Array(whole.data.prefix(before.count)) == before)
    }
  }

  @Test func `an answer that has not changed is not sent again`() async throws {
    let upstream = try FakeUpstream(programme())
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: FakeStream.sinceBeginning)))
    try await Scenario.withRelay([
      StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
    ]) { relay in
      try await relay.until("jazz", has: 40)
      // A part that is past stays as it is.
      let path = "/api/v1/stations/jazz/waveform?from=5&to=25&points=20"
      let first = try await relay.get(path)
      let tag = try #require(first.head["etag"])
      let second = try await relay.get(path, fields: ["If-None-Match: \(tag)"])
      #expect(second.status == 304 && second.body.isEmpty)
    }
  }

  @Test func `a station of files has none`() async throws {
    let folder = TemporaryDirectory()
    folder.write("a.mp3", try Fixtures.mp3(["-b", "128"], seconds: 1))
    let station = StationDefinition(
      id: "files", name: "Files", source: .files(folder.path, throttleBypass: nil))
    try await Scenario.withRelay([station]) { relay in
      let answer = try await relay.get("/api/v1/stations/files/waveform")
      #expect(answer.status == 404 && answer.text.contains("no-timeline"))
    }
  }
}
