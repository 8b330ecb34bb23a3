import Longwave
import TestSupport
import Testing
import Wire

/// Real players on their way to a fallback and back, with frames that need the bit reservoir of those before.
@Suite struct FallbackPlayerTests {
  /// The frames of a file LAME made, without its tags and header frame.
  private func frames(seconds: Double, seed: UInt64) throws -> [[UInt8]] {
    let file = try Fixtures.mp3(["-b", "128"], seconds: seconds, seed: seed)
    var scanner = PacketScanner()
    var frames: [[UInt8]] = []
    var from = 0
    while from < file.count, let finding = scanner.next(in: file.span, from: from, atEnd: true) {
      switch finding {
      case .packet(let packet):
        frames.append(Array(file[packet.range]))
        from = packet.range.upperBound
      case .skipped(let range, _): from = range.upperBound
      }
    }
    return frames
  }

  /// Plays 40 s: on a busy machine one begins long after the others.
  private static func commands(_ url: String) -> [[String]] {
    [
      [
        "ffmpeg", "-nostdin", "-v", "warning", "-xerror", "-i", url, "-t", "40", "-f", "null", "-",
      ],
      // 1532 frames.
      ["mpg123", "-t", "-v", "-n", "1532", url],
      Mpv.command(url, seconds: 40),
    ].filter { Binary.find($0[0]) != nil }
  }

  @Test(arguments: ["silence", "file"])
  func `players go over and come back without a complaint`(_ fallback: String) async throws {
    let frames = try await offPool { try self.frames(seconds: 60, seed: 1) }
    let folder = TemporaryDirectory()
    folder.write("loop.mp3", try Fixtures.mp3(["-b", "128"], seconds: 3, seed: 2))
    let upstream = try FakeUpstream(FakeProgramme(before: 8) { frames[$0 % frames.count] })
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: 40)))
    var station = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
    station.fallback = fallback == "file" ? .file(folder.path + "/loop.mp3") : .silence
    station.fallbackAfter = 1
    try await Scenario.withRelay([station]) { relay in
      try await relay.until("jazz", has: 5)
      let players = try Self.commands("http://\(relay.address)/jazz").map {
        (name: $0[0], process: try ChildProcess($0))
      }
      try #require(!players.isEmpty)
      func states() async throws -> [String?] {
        try await RelayAPI(address: relay.address).json("/api/v1/listeners")["listeners"]?.items
          .map { $0["state"]?.string } ?? []
      }
      try await eventually("all play", within: 60) { try await states().count == players.count }
      upstream.goAway()
      try await eventually("all hear the fallback", within: 60) {
        try await states() == players.map { _ in "fallback" }
      }
      // Longer than the file.
      try await Task.sleep(for: .seconds(5))
      try upstream.comeBack()
      for (name, process) in players {
        let status = try await process.end(within: 120)
        let text = (name == "mpv" ? Mpv.said(process.output) : process.output[...]) + process.log
        #expect(status == 0, "\(name): \(text)")
        if name == "ffmpeg" { #expect(text.isEmpty, "\(text)") }
        for word in ["[ffmpeg/", "missing", "reservoir", "resync", "error:", "Illegal"] {
          #expect(!text.contains(word), "\(name): \(text)")
        }
      }
      withExtendedLifetime(folder) {}
    }
  }
}
