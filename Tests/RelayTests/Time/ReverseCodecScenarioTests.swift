import Audio
import Foundation
import Longwave
import Reactor
import TestSupport
import Testing
import Wire

/// What libavcodec decodes, played backwards by the whole relay.
@Suite(.enabled(if: AvDecoder.libraryVersion != nil, "libavcodec is not installed"))
struct ReverseCodecScenarioTests {
  struct Kind: Sendable, CustomTestStringConvertible {
    var name: String
    /// Nil for AAC.
    var ogg: Fixtures.OggCodec?
    /// Hz, of the core of HE-AAC.
    var rate: Int
    var channels = 2
    var isHE = false

    var testDescription: String { name }
    var heardRate: Int { isHE ? 2 * rate : rate }
    var mediaType: String { ogg == nil ? "audio/aac" : "audio/ogg" }

    func file() throws -> [UInt8] {
      if let ogg {
        return try Fixtures.ogg(ogg, sampleRate: rate, channels: channels, seconds: 60)
      }
      let file = try Fixtures.ffmpeg(
        ["-c:a", "aac", "-aac_pns", "0", "-b:a", "128k"], format: "adts", sampleRate: rate,
        channels: channels,
        seconds: 60)
      guard isHE, let cut = LogPackets(frames: file) else { return file }
      return cut.withSBR().packets.flatMap(\.bytes)
    }

    func upstream() throws -> FakeUpstream {
      let file = try file()
      let made: FakeUpstream
      var stream = FakeStream(burst: 60)
      if let ogg {
        let fake = FakeOgg(ogg, file: file)
        made = try FakeUpstream(fake.programme(before: 30))
        stream = fake.stream(burst: 60)
      } else {
        let frames = (LogPackets(frames: file)?.packets ?? []).map(\.bytes)
        made = try FakeUpstream(
          FakeProgramme(samples: 1024, sampleRate: rate, before: 30) { frames[$0 % frames.count] })
      }
      made.reply("/live", with: .stream(stream, mediaType: mediaType))
      return made
    }

    /// One channel of what an answer's packets are.
    func decoded(_ body: [UInt8]) throws -> [Int16] {
      let cut = try #require(ogg == nil ? LogPackets(frames: body) : LogPackets(ogg: body))
      let decoder = try AvDecoder(cut.format.codec, headers: cut.headers)
      var samples: [Int16] = []
      for packet in cut.packets {
        let before = samples.count
        try packet.bytes.withUnsafeBytes { try decoder.decode($0) { samples += $0 } }
        // The first block of Vorbis has less than its packet.
        let missing =
          packet.samples * (heardRate / cut.format.sampleRate) * channels
          - (samples.count - before)
        if missing > 0 { samples.insert(contentsOf: repeatElement(0, count: missing), at: before) }
      }
      return channels == 1 ? samples : Signals.channel(0, of: samples)
    }
  }

  static let kinds = [
    Kind(name: "AAC", rate: 44_100),
    Kind(name: "HE-AAC", rate: 24_000, isHE: true),
    Kind(name: "Opus", ogg: .opus, rate: 48_000),
    Kind(name: "Vorbis", ogg: .vorbis, rate: 44_100),
    Kind(name: "FLAC", ogg: .flac, rate: 44_100),
  ]

  private func fetch(_ relay: TestRelay, _ target: String) async throws -> StreamClient {
    let client = try await StreamClient.fetch(target, from: relay.address)
    let head = try client.head()
    #expect(head.status == 200, "\(target): \(String(decoding: client.body, as: UTF8.self))")
    return client
  }

  /// Holds MP3 that is played backwards to what it is made of, in windows of 50 ms.
  private func compare(_ forwards: [UInt8], backwards: [UInt8], _ kind: Kind) throws {
    let whole = Array(try kind.decoded(forwards).reversed())
    let decoder = try Mpg123Decoder()
    let all = try decoder.decode(backwards)
    #expect(decoder.format?.sampleRate == kind.heardRate)
    let heard = decoder.format?.channels == 1 ? all : Signals.channel(0, of: all)
    // What the encoder and a decoder put in front is 1105 samples.
    let delay = 1105
    let width = kind.heardRate / 20
    let ends = (heard.count - delay - whole.count) / 1152
    #expect((-1...2).contains(ends), "\(heard.count) and \(whole.count)")
    // The beginning of a clip lacks what was in front of it, as a decoder of the clip does.
    let last = min(whole.count, heard.count - delay) - width - kind.heardRate / 5
    #expect(last > 5 * kind.heardRate)
    for start in stride(from: 2 * 1152, to: last, by: width) {
      let alike = Signals.correlation(
        whole[start..<start + width], heard[(start + delay)..<(start + delay + width)])
      #expect(alike > 0.9, "\(alike) at sample \(start)")
    }
  }

  @Test(arguments: kinds)
  func `a clip backwards is the clip backwards, whatever its codec is`(kind: Kind) async throws {
    let upstream = try await offPool { try kind.upstream() }
    defer { upstream.stop() }
    try await Scenario.withRelay([
      StationDefinition(id: "music", upstream: [upstream.url("/live")])
    ]) { relay in
      try await relay.until("music", has: 20)
      // The same packets for both, and the same part of the programme in each run: likeness depends on the audio.
      let window = try await relay.station("music")["window"]
      let oldest = try TimestampText.parse(try #require(window?["oldest"]?.string))
      let begin = Double(oldest) / 1e9 + 6
      let span = String(format: "from=%.3f&to=%.3f", begin, begin + 12)
      let (forwards, backwards) = try await bothWays("/music/clip?\(span)") {
        try await fetch(relay, $0)
      }
      #expect(try backwards.head()["content-type"] == "audio/mpeg")
      try compare(forwards.body, backwards: backwards.body, kind)
    }
  }

  @Test(arguments: kinds)
  func `a part of a file backwards is the part backwards, whatever its codec is`(
    kind: Kind
  ) async throws {
    let data = TemporaryDirectory()
    try FileManager.default.createDirectory(
      atPath: data.path + "/shows", withIntermediateDirectories: true)
    let name = kind.ogg == nil ? "music.aac" : "music.ogg"
    data.write("shows/\(name)", try await offPool { try kind.file() })
    let shows = StationDefinition(
      id: "shows", source: .files(data.path + "/shows", throttleBypass: 3600))
    try await Scenario.withRelay([shows]) { relay in
      let forwards = try await fetch(relay, "/shows/\(name)?from=12&to=31")
      let backwards = try await fetch(relay, "/shows/\(name)?from=12&to=31&reverse=1")
      try compare(forwards.body, backwards: backwards.body, kind)
      let whole = try await fetch(relay, "/shows/\(name)?reverse=1")
      let heard = try Mpg123Decoder().decode(whole.body).count / kind.channels
      #expect(abs(Double(heard) / Double(kind.heardRate) - 60) < 0.15)
      let late = try await relay.get("/shows/\(name)?from=100&reverse=1")
      #expect(late.status == 400 && late.text.contains("the file lasts"), "\(late.text)")
    }
  }
}
