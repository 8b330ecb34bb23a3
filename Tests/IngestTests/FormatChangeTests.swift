import Reactor
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Ingest

/// Upstreams that change their format all the time, and such as only seem to.
@Suite struct FormatChangeTests {
  /// The first format, 18 changes at once, and one for each 5 s of the minute that is waited for.
  private static let marksMax = 1 + 18 + 12

  /// Plays until `condition` is so; what the station said and logged.
  private func play(
    _ programme: FakeProgramme, _ stream: FakeStream = FakeStream(burst: 0),
    until condition: (IngestHarness) async -> Bool
  ) async throws -> IngestHarness {
    let upstream = try FakeUpstream(programme)
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(stream))
    let station = try IngestHarness()
    await station.start(IngestHarness.quick([upstream.url("/live")]))
    #expect(await station.wait(until: condition))
    await station.ingest.shutdown()
    station.loop.stop()
    return station
  }

  private func marks(_ station: IngestHarness) -> Int {
    let reader = LogReader(station.log)
    var count = 1
    var place = reader.oldest.position
    while case let next = reader.nextFormatPosition(after: place), next != .max {
      (place, count) = (next, count + 1)
    }
    return count
  }

  private func isTurnedAway(_ station: IngestHarness) -> Bool {
    station.said {
      if case .badContent(let reason, _) = $0 { reason.contains("format") } else { false }
    }
  }

  /// 44.1 kHz for eight frames, then 48 kHz for eight, and so on.
  private static func flipping(speed: Double) -> FakeProgramme {
    FakeProgramme(speed: speed) { number in
      if number / 8 % 2 == 0 { return NumberedFrames.frame(UInt64(number)) }
      return [0xFF, 0xFB, 0x94, 0x04] + [UInt8](repeating: 0, count: 380)
    }
  }

  @Test func `an upstream that flips its sample rate all the time is turned away`() async throws {
    let station = try await play(Self.flipping(speed: 10)) { isTurnedAway($0) }
    #expect(marks(station) <= Self.marksMax)
    #expect(station.states.contains(.failed))
    // It is not asked again at once.
    #expect(station.events.filter { if case .badContent = $0 { true } else { false } }.count == 1)
  }

  @Test func `an Ogg stream with another link at every page is turned away`() async throws {
    let (stereo, mono) = (try FakeOgg(.vorbis), try FakeOgg(.vorbis, channels: 1))
    var programme = stereo.programme(speed: 10, before: 4)
    let pages = [stereo.programme().packet, mono.programme().packet]
    let openings = [stereo, mono].compactMap { $0.stream(burst: 0).opening }
    programme.packet = { page in openings[page % 2](page) + pages[page % 2](page) }
    let station = try await play(programme) { isTurnedAway($0) }
    #expect(marks(station) <= Self.marksMax)
  }

  @Test func `links that one decoder can play are no changes, however many there are`() async throws
  {
    let links = (0..<80).map { FakeOgg.Link(page: 2 * $0, artist: "A", title: "Song \($0)") }
    let ogg = try FakeOgg(.opus, links: links)
    let station = try await play(ogg.programme(speed: 10), ogg.stream(burst: 0)) {
      $0.titles.count >= 60
    }
    #expect(marks(station) == 1 && !isTurnedAway(station))
  }
}
