import Audio
import Glibc
import Longwave
import TestSupport
import Testing
import Wire

/// What the relay knows of a station's sound: a tone, silence and a louder tone, as `sound` shows them.
@Suite struct SoundScenarioTests {
  private static let rate = LameFrames.rate
  /// Bytes of a column in stereo: RMS and peak of two channels, and the bands.
  private static let columnBytes = 2 * 2 + 24

  /// Middles of the spectrum's bands in hertz: a tone there stands in one band alone.
  private static let bands = try! SpectrumMeter(sampleRate: rate).frequencies

  /// MP3 frames of a tone at -20 dBFS, silence in seconds 12 to 15, a tone at -10 dBFS from second 22 on.
  private static let frames: [[UInt8]] = {
    let (low, high) = (bands[8], bands[16])
    return LameFrames.make(seconds: 40) { index in
      let second = index / rate
      let (hertz, amplitude) =
        (12..<16).contains(second) ? (low, 0.0) : second < 22 ? (low, 0.1) : (high, 0.316_228)
      let angle = 2 * Double.pi * hertz * Double(index) / Double(rate)
      let value = Int16((amplitude * sin(angle) * 32767).rounded())
      return (value, value)
    }
  }()

  private static func level(_ byte: UInt8) -> Double {
    byte == 0 ? -120 : Double(byte) * 0.375 - 96
  }

  private func withTone(_ body: (TestRelay) async throws -> Void) async throws {
    let frames = try await offPool { Self.frames }
    let upstream = try FakeUpstream(
      FakeProgramme(sampleRate: Self.rate, before: 38) { frames[min($0, frames.count - 1)] })
    defer { upstream.stop() }
    // Media seconds are the programme's.
    upstream.reply("/live", with: .stream(FakeStream(burst: FakeStream.sinceBeginning)))
    let stations = [
      StationDefinition(id: "jazz", upstream: [upstream.url("/live")]),
      StationDefinition(id: "shows", source: .files("/nowhere", throttleBypass: nil)),
    ]
    try await Scenario.withRelay(stations) { relay in
      try await relay.until("jazz", has: 32)
      try await body(relay)
    }
  }

  private func chunk(_ relay: TestRelay, at media: Int) async throws -> [[UInt8]] {
    let answer = try await relay.get("/api/v1/stations/jazz/sound?media=\(media)")
    #expect(answer.status == 200, "\(answer.text)")
    let body = answer.body
    #expect(Array(body.prefix(8)) == Array("LWSC".utf8) + [1, 25, 24, 2])
    let bits = (0..<8).reduce(UInt64(0)) { $0 | UInt64(body[8 + $1]) << (8 * UInt64($1)) }
    #expect(Double(bitPattern: bits) == Double(media))
    #expect(body.count == 16 + 250 * Self.columnBytes)
    return stride(from: 16, to: body.count, by: Self.columnBytes).map {
      Array(body[$0..<$0 + Self.columnBytes])
    }
  }

  @Test func `levels and bands of a tone stand at their seconds`() async throws {
    try await withTone { relay in
      func expect(
        _ columns: ArraySlice<[UInt8]>, rms: Double, peak: Double, band: Int,
        _ comment: Comment
      ) {
        for column in columns {
          for channel in 0..<2 {
            #expect(abs(Self.level(column[channel * 2]) - rms) < 1, comment)
            #expect(abs(Self.level(column[channel * 2 + 1]) - peak) < 1.2, comment)
          }
          #expect(column[4...].max() == column[4 + band], comment)
        }
      }
      // A second at the border of sounds is left out: an encoder's delay moves them by 25 ms.
      let second = try await chunk(relay, at: 10)
      expect(second[0..<48], rms: -23, peak: -20, band: 8, "before the silence")
      #expect(second[55..<145].allSatisfy { $0.allSatisfy { Self.level($0) < -80 } })
      expect(second[155...], rms: -23, peak: -20, band: 8, "after the silence")
      let third = try await chunk(relay, at: 20)
      expect(third[0..<48], rms: -23, peak: -20, band: 8, "before the other tone")
      expect(third[55...], rms: -13, peak: -10, band: 16, "the other tone")
      // What comes later and what the window never had is 0.
      #expect(try await chunk(relay, at: 1000).allSatisfy { $0.allSatisfy { $0 == 0 } })
    }
  }

  @Test func `a malformed request for a station's sound is refused with the reason`() async throws {
    try await withTone { relay in
      for (path, status, word) in [
        ("jazz/sound?media=15", 400, "multiple of 10"),
        ("jazz/sound?media=-10", 400, "media"), ("shows/sound?media=0", 404, "serves files"),
        ("none/sound?media=0", 404, "none"),
      ] {
        let answer = try await relay.get("/api/v1/stations/\(path)")
        #expect(answer.status == status && answer.text.contains(word), "\(path): \(answer.text)")
      }
    }
  }
}
