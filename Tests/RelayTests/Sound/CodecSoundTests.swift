import Audio
import Foundation
import Logging
import LongwaveAPI
import Reactor
import TestSupport
import Testing
import Wire

@testable import Longwave

/// What is known of the sound of stations that libmpg123 does not decode.
@Suite struct CodecSoundTests {
  struct Station: Sendable, CustomTestStringConvertible {
    var name: String
    var file: ToneFile
    /// As it is heard.
    var rate: Int
    var ogg: Fixtures.OggCodec?

    var testDescription: String { name }

    /// - Returns: it, and the seconds after which its sound comes again.
    func upstream() throws -> (upstream: FakeUpstream, seconds: Double) {
      let burst = FakeStream.sinceBeginning
      if let ogg {
        let fake = FakeOgg(ogg, file: try file.bytes(seconds: 90))
        let upstream = try FakeUpstream(fake.programme(before: 30))
        upstream.reply("/live", with: .stream(fake.stream(burst: burst), mediaType: "audio/ogg"))
        return (upstream, Double(fake.pageCount * fake.samples) / Double(fake.format.sampleRate))
      }
      var log = try file.packets(seconds: 90)
      if rate != log.format.sampleRate { log = log.withSBR() }
      let frames = log.packets.map(\.bytes)
      let programme = FakeProgramme(
        samples: 1024, sampleRate: log.format.sampleRate, before: 30
      ) { frames[$0 % frames.count] }
      let upstream = try FakeUpstream(programme)
      upstream.reply("/live", with: .stream(FakeStream(burst: burst), mediaType: "audio/aac"))
      return (upstream, Double(frames.count) * programme.interval)
    }
  }

  private static let aac = ["-c:a", "aac", "-b:a", "128k"]

  static let stations = [
    Station(name: "AAC", file: ToneFile(aac, "adts", 44_100, 2), rate: 44_100),
    Station(name: "HE-AAC", file: ToneFile(aac, "adts", 24_000, 2), rate: 48_000),
    Station(
      name: "Opus", file: ToneFile(["-c:a", "libopus", "-b:a", "96k"], "ogg", 48_000, 2),
      rate: 48_000, ogg: .opus),
    Station(
      name: "Vorbis", file: ToneFile(["-c:a", "libvorbis", "-q:a", "3"], "ogg", 44_100, 2),
      rate: 44_100, ogg: .vorbis),
  ]

  private func withRelay(
    _ station: Station, makeDecoder: @escaping PacketDecoder.Make = PacketDecoder.make,
    _ body: (_ relay: TestRelay, _ seconds: Double) async throws -> Void
  ) async throws {
    let (upstream, seconds) = try await offPool { try station.upstream() }
    defer { upstream.stop() }
    let data = TemporaryDirectory()
    var configuration = Configuration()
    configuration.stations = [StationDefinition(id: "tone", upstream: [upstream.url("/live")])]
    var options = RelayOptions(
      data: data.path, listen: [.ipv4(0x7F00_0001, port: 0)], interface: .http)
    options.logger = LineLogHandler.logger(level: .critical)
    options.makeDecoder = makeDecoder
    let running = try await Relay(configuration: configuration, options: options)
    try await running.start()
    do {
      let relay = TestRelay(relay: running, address: try #require(await running.addresses.first))
      try await relay.until("tone", has: 21)
      try await body(relay, seconds)
    } catch {
      await running.stop()
      throw error
    }
    await running.stop()
  }

  /// dBFS of a sine's RMS.
  private static let levels = ToneFile.tones.map { Signals.decibels($0.amplitude) - 3.01 }

  @Test(.enabled(if: AvDecoder.libraryVersion != nil), arguments: stations)
  func `a station has levels, samples and pictures of its sound`(station: Station) async throws {
    try await withRelay(station) { relay, seconds in
      try await expectLevels(relay, seconds)
      try await expectSamples(relay, station)
      try await expectPicture(relay)
    }
  }

  /// - Parameter seconds: after which the sound begins anew, with a jump.
  private func expectLevels(_ relay: TestRelay, _ seconds: Double) async throws {
    let client = try relay.events("?station=tone&kinds=levels")
    func told() -> [(media: Double, channels: [Double])] {
      client.events.compactMap { event in
        let (json, media) = (event.json, event.json["media"]?.double ?? 0)
        guard event.kind == "levels",
          0.3...seconds - 0.3 ~= media.truncatingRemainder(dividingBy: seconds)
        else { return nil }
        return (media, (json["channels"]?.items ?? []).map { $0["rms"]?.double ?? 0 })
      }
    }
    // A twentieth of a second each, though Ogg comes a fifth at a time. A busy machine leaves some out.
    func steps() -> [Double] {
      let media = told().dropFirst().map(\.media)
      return zip(media, media.dropFirst()).map { ($1 - $0) * 20 }
    }
    try await eventually("levels of a twentieth of a second") {
      let steps = steps()
      return steps.count > 40
        && (20...steps.count).contains { end in steps[end - 20..<end].count { $0 < 1.5 } > 10 }
    }
    for (media, channels) in told() {
      #expect(channels.count == 2)
      for (level, expected) in zip(channels, Self.levels) {
        #expect(abs(level - expected) < 0.7, "\(media): \(channels)")
      }
    }
    let all = steps()
    #expect(all.allSatisfy { abs($0 - $0.rounded()) < 0.04 }, "\(all)")
    #expect(try await relay.station("tone")["sound"]?["state"]?.string == "measured")
  }

  private func expectSamples(_ relay: TestRelay, _ station: Station) async throws {
    let rate = station.rate
    // From second 10 on, which is not where the sound begins anew.
    let offset = try await relay.edge(of: "tone") - 10
    let client = try StreamClient(to: relay.address, get: "/tone/pcm?offset=\(offset)&burst=3")
    try await client.until("two seconds") { $0.bodyCount >= 2 * rate * 4 }
    #expect(
      try client.head()["content-type"]
        == "audio/L16;rate=\(rate);channels=2;endianness=little-endian")
    let samples = client.body.withUnsafeBytes { bytes in
      (0..<2 * rate * 2).map {
        Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 2, as: Int16.self))
      }
    }
    for (channel, tone) in ToneFile.tones.enumerated() {
      let own = Signals.channel(channel, of: samples)
      let level = Signals.amplitude(tone.hertz, in: own, rate: rate)
      #expect(abs(Signals.decibels(level / tone.amplitude)) < 0.7, "channel \(channel)")
    }
  }

  private func expectPicture(_ relay: TestRelay) async throws {
    let answer = try await relay.get("/api/v1/stations/tone/sound?media=10")
    #expect(answer.status == 200, "\(answer.text)")
    #expect(Array(answer.body.prefix(8)) == Array("LWSC".utf8) + [1, 25, 24, 2])
    let columns = stride(from: 16, to: answer.body.count, by: 28).map {
      Array(answer.body[$0..<$0 + 28])
    }
    #expect(columns.count == 250)
    for column in columns {
      let found = [column[0], column[2]].map { Double($0) * 0.375 - 96 }
      for (level, expected) in zip(found, Self.levels) { #expect(abs(level - expected) < 0.7) }
    }
  }

  @Test func `a station without a decoder plays, and says why its sound is unknown`() async throws {
    let refuses: PacketDecoder.Make = { codec, _ throws(AudioError) in
      throw AudioError(
        call: "dlopen", code: 0, reason: "\(codec.name) needs a library", advice: "Install it.")
    }
    try await withRelay(Self.stations[0], makeDecoder: refuses) { relay, _ in
      let client = try relay.events("?station=tone&kinds=levels")
      try await eventually("the words") {
        try await relay.station("tone")["sound"]?["state"]?.string == "unavailable"
      }
      let sound = try await relay.station("tone")["sound"]
      #expect(sound?["reason"]?.string == "aac needs a library")
      for path in ["/tone/pcm", "/api/v1/stations/tone/sound?media=0"] {
        let answer = try await relay.get(path)
        #expect(answer.status == 404 && answer.text.contains("aac needs a library"), "\(path)")
      }
      let listener = try StreamClient(to: relay.address, get: "/tone?burst=2")
      try await listener.until("audio") { $0.bodyCount > 20_000 }
      #expect(!client.events.contains { $0.kind == "levels" })
    }
  }
}
