import Glibc
import Longwave
import TestSupport
import Testing

/// Renditions as a configuration names them, and the listeners that are moved to them.
@Suite struct RenditionFileTests {
  private func serve(
    _ more: String, _ body: (LongwaveProcess, _ data: String) async throws -> Void
  ) async throws {
    let upstream = try await PitchStation.upstream(before: 240, burst: 40)
    defer { upstream.stop() }
    let data = TemporaryDirectory()
    let text = """
      admin: {token: \(Scenario.token)}
      stations:
        - id: jazz
          name: Jazz
          upstream: \(upstream.url("/live"))
      \(more.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n"))
      """
    data.write("longwave.yml", Array(text.utf8))
    let server = try await LongwaveProcess(
      ["serve", "--config", data.path + "/longwave.yml"], data: data.path + "/data")
    try await body(server, data.path + "/data")
    server.process.signal(SIGTERM)
    #expect(try await server.process.end() == 0)
  }

  @Test func `entries of a station are stations of their own`() async throws {
    let more = """
      genre: Cool
      renditions:
        - {id: 64, bitrate: 64, mode: joint, samplerate: 44100, mono: false, loudness: -16}
        - {id: low, name: Jazz on the road, bitrate: 32, samplerate: 22050, mono: true, on-demand: true}
      """
    try await serve(more) { server, data in
      try await server.api.until("jazz-64", is: "playing")
      try await server.api.until("jazz-low", is: "paused")
      let silent = try await LongwaveProcess.command(["meter", "jazz-low", "--once"], data: data)
      #expect(silent.status == 1 && silent.complaint?.contains("nobody listens") == true)
      let first = try await server.api.station("jazz-64")
      #expect(first["name"]?.string == "Jazz (64 kbit/s)" && first["genre"]?.string == "Cool")
      #expect(first["renditionOf"]?.string == "jazz", "\(first.text)")
      let jazz = try await server.api.station("jazz")
      let ids = jazz["renditions"]?.items.compactMap { $0["id"]?.string }
      #expect(ids == ["jazz-64", "jazz-low"], "\(jazz.text)")
      for path in ["/jazz/64", "/jazz/low", "/jazz/64?offset=3", "/jazz/low.m3u"] {
        let client = try StreamClient(to: server.address, get: path)
        try await client.until(path) { $0.bodyCount > 40 }
      }
      let road = try StreamClient(to: server.address, get: "/jazz/low")
      #expect(try await road.answer()["icy-name"] == "Jazz on the road")
      // What is written out is read again as it is.
      let list = try await LongwaveProcess.command(["station", "export"], data: data)
      #expect(list.output.contains("id: jazz-64") && list.output.contains("of: jazz"), "\(list)")
    }
  }

  @Test(arguments: [
    ("renditions: yes", "renditions.bitrate: \"yes\" is no bit rate"),
    ("renditions: {bitrate: 64}", "renditions: must be a list; begin each entry with - bitrate:"),
    ("renditions: [64, high]", "renditions[1].bitrate: \"high\" is no bit rate"),
    ("renditions: [[64]]", "renditions[0]: must be a bit rate such as 64, or hold keys"),
    ("renditions: [64, 64]", "stations[0].renditions: \"jazz-64\" is already the station of line"),
    ("renditions: [500]", "renditions[0].bitrate: is 500; MP3 has 8, 16, 24"),
    (
      "renditions:\n  - {bitrate: 256, samplerate: 22050}",
      "renditions[0].bitrate: is 256; MP3 has 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, "
        + "160 kbit/s at 22050 Hz"
    ),
    (
      "renditions:\n  - {bitrate: 64, samplerate: 22000}",
      "renditions[0].samplerate: \"22000\" is no sample rate of MP3; write"
    ),
    ("renditions:\n  - {id: 64}", "renditions[0].bitrate: is missing"),
    ("renditions:\n  - {id: clip, bitrate: 64}", "\"clip\" means something else below a station"),
    ("renditions:\n  - {id: A, bitrate: 64}", "\"A\" is no name of a rendition"),
    ("renditions:\n  - {id: 64, bitrate: 65}", "renditions[0].bitrate: is 65; MP3 has"),
    (
      "renditions:\n  - {id: 64, bitrate: 64, kbit: 3}",
      "renditions[0].kbit: unknown key"
    ),
    (
      "renditions:\n  - {id: 64, bitrate: 64}\n  - {id: 64, bitrate: 32}",
      "stations[0].renditions: \"jazz-64\" is already the station of line"
    ),
  ])
  func `a mistake in renditions is told with its line`(more: String, words: String) async throws {
    let data = TemporaryDirectory()
    let text =
      "stations:\n  - id: jazz\n    upstream: http://jazz.test/\n"
      + more.split(separator: "\n").map { "    \($0)\n" }.joined()
    data.write("longwave.yml", Array(text.utf8))
    let checked = try await LongwaveProcess.command([
      "config", "check", data.path + "/longwave.yml",
    ])
    #expect(checked.status == 78 && checked.log.contains(words), "\(checked.log) \(checked.output)")
    #expect(checked.log.split(separator: "\n").count == 1, "\(checked.log)")
  }

  @Test func `a line that is too slow gets fewer bits, and no hole`() async throws {
    let more = """
      step-down: true
      renditions:
        - {id: 32, bitrate: 32, on-demand: true}
        - {id: 64, bitrate: 64}
      """
    try await serve(more) { server, _ in
      try await eventually("some past") {
        try await server.api.station("jazz")["window"]?["seconds"]?.double ?? 0 > 12
      }
      let slow = try StreamClient(
        to: server.address,
        sending: "GET /jazz?burst=1&session=my-slow-line HTTP/1.1\r\nHost: relay.test\r\n\r\n",
        receiveBuffer: 4096)
      let start = ContinuousClock.now
      /// Takes less than the next rendition needs, too.
      func take() {
        let owed = Int((ContinuousClock.now - start) / .seconds(1) * 6000) - slow.received.count
        if owed > 0 { slow.drain(atMost: owed) }
      }
      let listener = try await eventually("it hears fewer bits", within: 180) {
        take()
        let listeners = try await server.api.json("/api/v1/listeners")["listeners"]?.items
        return listeners?.first { $0["station"]?.string == "jazz-32" }
      }
      // It plays on where it was, and falls back no further.
      let lag = listener["lag"]?.double ?? .infinity
      let moved = ContinuousClock.now
      let later = try await eventually("15 s more", within: 60) { () -> Double? in
        take()
        if ContinuousClock.now - moved < .seconds(15) { return nil }
        let listeners = try await server.api.json("/api/v1/listeners")["listeners"]?.items
        return listeners?.first?["lag"]?.double
      }
      #expect(later < lag + 2, "\(later) s behind, \(lag) s before")
      #expect(!slow.isEnded)
      let session = try await server.api.json("/api/v1/sessions/my-slow-line")
      #expect(session["station"]?.string == "jazz-32")
    }
  }
}
