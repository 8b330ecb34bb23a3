import Reactor
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Ingest

/// Ogg upstreams: what becomes of links, titles and lost connections in the log.
@Suite struct OggScenarioTests {
  private func play(
    _ ogg: FakeOgg, _ stream: FakeStream, speed: Double = 10, before: Double = 4,
    mediaType: String = "application/ogg", log: PacketLog? = nil,
    until condition: (IngestHarness) async -> Bool
  ) async throws -> IngestHarness {
    let upstream = try FakeUpstream(ogg.programme(speed: speed, before: before))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(stream, mediaType: mediaType))
    let station = try IngestHarness(log: log)
    await station.start(IngestHarness.quick([upstream.url("/live")]))
    #expect(await station.wait(until: condition))
    await station.ingest.shutdown()
    station.loop.stop()
    return station
  }

  /// What a listener would get who has been there from the start.
  private func heard(_ ogg: FakeOgg, _ station: IngestHarness) -> FakeOgg.Heard {
    let reader = LogReader(station.log)
    reader.refresh()
    return ogg.hear(reader.headers(at: reader.oldest.position) + station.audio)
  }

  @Test(arguments: Fixtures.OggCodec.allCases)
  func `a chain becomes one logical stream, its comments titles at their pages`(
    codec: Fixtures.OggCodec
  ) async throws {
    let ogg = try FakeOgg(
      codec, channels: codec == .speex ? 1 : 2,
      links: [
        .init(page: 0, artist: "Nina Simone", title: "Sinnerman"),
        .init(page: 40, artist: "Björk", title: "Jóga"),
        .init(page: 60, artist: "", title: "Silence"),
      ])
    // FLAC is ten times as much to look at. Nothing may be evicted, however late this task is told.
    let speed = codec == .flac ? 3.0 : 10
    var window = LogConfiguration()
    window.windowBytes = 128 << 20
    let log = PacketLog(memoryOnly: window, at: .now())
    let station = try await play(ogg, ogg.stream(burst: 4), speed: speed, log: log) {
      $0.log.titles(limit: 3).count == 3
    }
    let heard = heard(ogg, station)
    #expect(heard.isUnbroken && heard.numbers.count > 40, "\(heard.numbers)")
    #expect(heard.links.count == 1)
    #expect(station.log.oldest.position == 0)
    #expect(Set(heard.serials).count == 1 && heard.serials.first == heard.links[0].serial)
    #expect(zip(heard.sequences, heard.sequences.dropFirst()).allSatisfy { $0 + 1 == $1 })
    #expect(
      station.titles.map(\.title) == ["Nina Simone - Sinnerman", "Björk - Jóga", "Silence"])
    let first = try #require(heard.numbers.first)
    let places = pagePlaces(station.audio)
    try #require(places.count > 60 - first && station.titles.count == 3)
    #expect(station.titles[1].position == UInt64(places[40 - first]))
    #expect(station.titles[2].position == UInt64(places[60 - first]))
    #expect(station.log.titles(limit: 3)[1].title.parts?.artist == "Björk")
    // Media time is what the granules say.
    let media = station.log.edge.media.seconds * Double(ogg.format.sampleRate)
    #expect(heard.granules.last == UInt64(media.rounded()))
    #expect(station.log.snapshot().format == ogg.format)
  }

  private func pagePlaces(_ stream: [UInt8]) -> [Int] {
    var places: [Int] = []
    var place = 0
    while case .page(let page) = OggPage.read(in: stream.span, at: place) {
      places.append(place)
      place = page.range.upperBound
    }
    return places
  }

  @Test(arguments: [Fixtures.OggCodec.opus, .vorbis])
  func `an upstream that closes again and again costs no page`(codec: Fixtures.OggCodec)
    async throws
  {
    let ogg = try FakeOgg(codec)
    // As much as a busy machine stands still, and less than the 30 s after which the audio comes again.
    var stream = ogg.stream(burst: 24)
    stream.closeAfterSeconds = 0.7
    let station = try await play(ogg, stream, speed: 1, before: 26, mediaType: "audio/ogg") {
      $0.stitched.count >= 4
    }
    let heard = heard(ogg, station)
    #expect(heard.isUnbroken && heard.links.count == 1)
    #expect(zip(heard.sequences, heard.sequences.dropFirst()).allSatisfy { $0 + 1 == $1 })
    #expect(station.gaps.isEmpty && station.stitched.allSatisfy { $0.lost == 0 })
  }

  @Test func `a link that a decoder cannot go on with begins a new stream in the log`() async throws
  {
    let (stereo, mono) = (try FakeOgg(.vorbis), try FakeOgg(.vorbis, channels: 1))
    var switched = stereo.programme(speed: 10, before: 4)
    let (before, after) = (switched.packet, mono.programme().packet)
    let opening = try #require(mono.stream(burst: 0).opening)
    switched.packet = { page in
      if page < 40 { return before(page) }
      return (page == 40 ? opening(page) : []) + after(page)
    }
    let upstream = try FakeUpstream(switched)
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(stereo.stream(burst: 4), mediaType: "application/ogg"))
    let station = try IngestHarness()
    await station.start(IngestHarness.quick([upstream.url("/live")]))
    #expect(await station.wait { $0.log.snapshot().format?.channels == 1 })
    await station.ingest.shutdown()
    station.loop.stop()
    let reader = LogReader(station.log)
    let change = reader.nextFormatPosition(after: reader.oldest.position)
    let (old, new) = (reader.headers(at: change - 1), reader.headers(at: change))
    let (first, second) = (OggHeaders.read(pages: old.span), OggHeaders.read(pages: new.span))
    #expect(first?.headers.format.channels == 2 && second?.headers.format.channels == 1)
    #expect(first?.serial != second?.serial)
    let audio = station.audio
    let heard = mono.hear(new + audio[Int(change)...])
    #expect(heard.numbers.first.map { $0 % 140 } == 40 % 140 && heard.isUnbroken)
    #expect(Set(heard.serials) == [try #require(second).serial])
  }

  @Test func `an Ogg stream goes on in the log where it was after a restart`() async throws {
    let ogg = try FakeOgg(.opus)
    let directory = TemporaryDirectory()
    let programme = ogg.programme(speed: 2, before: 20)
    var sequences: [UInt32] = []
    for start in 0..<2 {
      let upstream = try FakeUpstream(programme)
      upstream.reply("/live", with: .stream(ogg.stream(burst: 15), mediaType: "audio/ogg"))
      let storage = Storage(flushInterval: 0.05)
      storage.start()
      let log = try PacketLog.open(
        directory: directory.path, configuration: LogConfiguration(retention: .init(seconds: 600)),
        storage: storage, at: .now(), report: { _ in })
      let station = try IngestHarness(log: log)
      await station.start(IngestHarness.quick([upstream.url("/live")]))
      let edge = log.edgePosition
      #expect(await station.wait { $0.log.edgePosition > edge + 20_000 })
      await station.ingest.shutdown()
      station.loop.stop()
      upstream.stop()
      let heard = heard(ogg, station)
      #expect(heard.isUnbroken && heard.links.count == 1)
      #expect(start == 0 || heard.sequences.starts(with: sequences))
      sequences = heard.sequences
      #expect(zip(sequences, sequences.dropFirst()).allSatisfy { $0 + 1 == $1 })
      #expect(station.gaps.isEmpty)
      log.close()
      storage.stop()
    }
  }

  @Test func `a stream of pages without their headers is no audio`() async throws {
    let ogg = try FakeOgg(.vorbis)
    let upstream = try FakeUpstream(ogg.programme(before: 40))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: 30), mediaType: "application/ogg"))
    let station = try IngestHarness()
    await station.start(IngestHarness.quick([upstream.url("/live")]))
    #expect(
      await station.wait {
        $0.said { if case .badContent = $0 { true } else { false } }
      })
    await station.ingest.shutdown()
    station.loop.stop()
    #expect(station.log.isEmpty)
  }
}
