import Foundation
import Longwave
import TestSupport
import Testing
import Wire

/// Samples of a station by request and in the library.
@Suite struct TapScenarioTests {
  private static let rate = ToneSteps.rate

  private func frequency(_ samples: ArraySlice<Float>, rate: Int) -> Double {
    ToneSteps.frequency(of: samples, rate: rate)
  }

  /// The first tenth of a second that is all of one tone, and its Hz.
  private func steady(_ samples: [Float], _ rate: Int) throws -> (start: Int, tone: Double) {
    for start in [0, rate / 5, rate * 2 / 5] {
      let tone = frequency(samples[start..<(start + rate / 10)], rate: rate)
      let second = (tone - 400) / 50
      if second > 0, abs(second - second.rounded()) < 0.1 { return (start, tone) }
    }
    throw TimeIsUp(description: "no tone of a second")
  }

  private func floats(_ bytes: [UInt8], _ encoding: SampleFormat.Encoding) -> [Float] {
    bytes.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count / encoding.bytes * encoding.bytes, by: encoding.bytes).map {
        switch encoding {
        case .s16le:
          Float(Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: Int16.self)))
            / 32768
        case .s16be:
          Float(Int16(bigEndian: bytes.loadUnaligned(fromByteOffset: $0, as: Int16.self))) / 32768
        case .f32le:
          Float(
            bitPattern: UInt32(
              littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt32.self)))
        }
      }
    }
  }

  @Test(arguments: [
    (
      "format=s16le", SampleFormat.Encoding.s16le, 48_000, 2,
      "audio/L16;rate=48000;channels=2;endianness=little-endian"
    ),
    ("format=s16be&rate=44100", .s16be, 44_100, 2, "audio/L16;rate=44100;channels=2"),
    // The tone rises by 50 Hz a second: a lower rate would lose it on a busy machine.
    ("format=f32le&rate=22050&channels=1", .f32le, 22_050, 1, "application/octet-stream"),
    (
      "rate=96000&channels=1", .s16le, 96_000, 1,
      "audio/L16;rate=96000;channels=1;endianness=little-endian"
    ),
  ])
  func `samples have the rate, channels and format that are asked for`(
    query: String, encoding: SampleFormat.Encoding, rate: Int, channels: Int, type: String
  ) async throws {
    try await withToneStation { relay in
      let client = try StreamClient(
        to: relay.address, get: "/jazz/pcm?offset=20&burst=4&\(query)")
      let bytes = 7 * rate / 2 * channels * encoding.bytes
      try await client.until("three seconds") { $0.bodyCount >= bytes }
      let head = try client.head()
      #expect(head["content-type"] == type)
      let offset = try #require(head["longwave-offset"].flatMap { Double($0) })
      #expect(abs(offset - 20) < 0.1)
      let all = floats(Array(client.body.prefix(bytes)), encoding)
      let left = stride(from: 0, to: all.count, by: channels).map { all[$0] }
      let peak = left[(rate / 2)...].map(abs).max() ?? 0
      #expect(abs(20 * log10(peak / 0.25)) < 0.5, "\(peak)")
      let (start, tone) = try steady(left, rate)
      // Each second is there, for a second.
      for next in 1..<3 {
        let beginning = start + next * rate
        let then = frequency(left[(beginning)..<(beginning + rate / 10)], rate: rate)
        #expect(abs(then - tone - 50 * Double(next)) < 12, "\(then) Hz, \(tone) Hz before")
      }
    }
  }

  @Test func `offset says where the samples are from, to the packet`() async throws {
    try await withToneStation { relay in
      let before = try await relay.edge(of: "jazz")
      let client = try StreamClient(
        to: relay.address, get: "/jazz/pcm?offset=10&burst=3&channels=1")
      try await client.until("the head") { $0.bodyCount > 0 }
      let after = try await relay.nextEdge(of: "jazz")
      try await client.until("three seconds") { $0.bodyCount >= 3 * Self.rate * 2 }
      let samples = floats(client.body, .s16le)
      // Where the tone changes, to 5 ms.
      let width = Self.rate / 200
      let tones = stride(from: 0, to: 2 * Self.rate, by: width).map {
        frequency(samples[$0..<($0 + Self.rate / 50)], rate: Self.rate)
      }
      let change = try #require(
        zip(tones.indices, tones.indices.dropFirst(8)).first { tones[$1] - tones[$0] > 30 }?.1)
      let second = Int(((tones[0] - 400) / 50).rounded()) + 1
      let window = try #require(try await relay.station("jazz")["window"])
      #expect(window["seconds"]?.double ?? 0 > 20)
      // The first sample's media time by its tone, and by what the head told.
      let media = Double(second) - Double(change * width) / Double(Self.rate)
      let offset = try #require(try client.head()["longwave-offset"].flatMap { Double($0) })
      let range = (before - offset - 0.1)...(after - offset + 0.1)
      #expect(range.contains(media), "\(media)")
    }
  }

  @Test func `a WAV head makes a file that players take`() async throws {
    try await withToneStation { relay in
      let client = try StreamClient(
        to: relay.address, get: "/jazz/pcm.wav?offset=20&burst=2&rate=44100")
      try await client.until("two seconds") { $0.bodyCount >= 44 + 2 * 44_100 * 4 }
      #expect(try client.head()["content-type"] == "audio/wav")
      let body = client.body
      #expect(body.starts(with: Array("RIFF".utf8)) && body[8..<16].elementsEqual("WAVEfmt ".utf8))
      #expect(body[36..<40].elementsEqual("data".utf8))
      for path in ["pcm.wav?rate=44100", "pcm?format=s16be&rate=44100"] {
        let probe = try await ChildProcess.run(
          [
            "ffprobe", "-v", "error", "-show_streams", "-of", "json",
            "http://\(relay.address)/jazz/\(path)",
          ], within: 60)
        let stream = probe.json["streams"]?.items.first
        #expect(probe.status == 0, "\(probe.log)")
        let codec = path.contains("wav") ? "pcm_s16le" : "pcm_s16be"
        #expect(stream?["codec_name"]?.string == codec)
        #expect(stream?["sample_rate"]?.string == "44100" && stream?["channels"]?.integer == 2)
      }
    }
  }

  @Test func `samples come at the pace they are heard, live and later`() async throws {
    try await withToneStation { relay in
      let events = try relay.events("?kinds=tap-created,tap-disposed&station=jazz")
      var live: StreamClient? = try StreamClient(to: relay.address, get: "/jazz/pcm?channels=1")
      let past = try StreamClient(to: relay.address, get: "/jazz/pcm?offset=20&burst=0&channels=1")
      let created = try await events.first("created") { $0.kind == "tap-created" }
      #expect(created.json["tap"]?.integer != nil && created.json["rate"]?.integer == 48_000)
      for (client, name) in [(live!, "live"), (past, "past")] {
        try await client.until("five seconds of \(name)") {
          live?.drain()
          past.drain()
          return $0.bodyCount >= 5 * Self.rate * 2
        }
      }
      // A burst of a second, and blocks that are sent whole.
      let gap = abs(live!.bodyCount - past.bodyCount)
      #expect(gap < 3 * Self.rate * 2, "both go as they are heard")
      live = nil
      let disposed = try await events.first("disposed") { $0.kind == "tap-disposed" }
      #expect((disposed.json["seconds"]?.double ?? 0) >= 4)
      #expect(disposed.json["missedSeconds"]?.double == 0)
    }
  }

  @Test func `a request for samples that cannot be is refused by name`() async throws {
    try await withToneStation { relay in
      for (query, field) in [
        ("rate=7999", "rate"), ("rate=1e9", "rate"), ("channels=3", "channels"),
        ("format=mp3", "format"), ("format=s16le&format=f32le", "format"),
        ("session=abcdefgh", "session"), ("offset=x", "offset"),
      ] {
        let answer = try await relay.get("/jazz/pcm?\(query)")
        #expect(
          answer.status == 400 && answer.text.contains("\"field\":\"\(field)\""), "\(answer.text)")
      }
      #expect(try await relay.get("/nosuch/pcm").status == 404)
      let post = try await HTTPExchange(
        "POST", "/jazz/pcm", at: relay.address, fields: [], body: "")
      #expect(post.status == 405)
    }
  }

  @Test func `the library hands out blocks of samples`() async throws {
    try await withToneStation { relay in
      let station = relay.relay.station("jazz")
      var samples: [Float] = []
      var rate = 0
      for await block in try await station.pcm(from: .now - 15, channels: 1) {
        samples += block.samples
        rate = block.sampleRate
        if samples.count > 2 * Self.rate { break }
      }
      #expect(rate == 48_000)
      let (_, tone) = try steady(samples, rate)
      #expect(tone > 400)
      await #expect(throws: RelayError.self) { try await station.pcm(rate: 1) }
    }
  }
}
