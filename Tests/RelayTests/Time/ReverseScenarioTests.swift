import Audio
import Foundation
import Longwave
import Reactor
import TestSupport
import Testing
import Timeshift

/// Clips that are played backwards, by the whole relay.
@Suite struct ReverseScenarioTests {
  /// One channel of MP3.
  private func left(_ bytes: [UInt8]) throws -> [Int16] {
    Signals.channel(0, of: try Mpg123Decoder().decode(bytes))
  }

  /// Holds what is played backwards to what it is made of, in windows of 50 ms.
  private func compare(_ forwards: [UInt8], backwards: [UInt8]) throws {
    let whole = Array(try left(forwards).reversed())
    let heard = try left(backwards)
    // What the encoder and a decoder put in front is 1105 samples.
    let delay = 1105
    let width = ToneSteps.rate / 20
    // At its end stands a frame that lacks what was in front of it.
    let last = min(whole.count, heard.count - delay) - width - 2 * 1152
    for start in stride(from: 2 * 1152, to: last, by: width) {
      let alike = Signals.correlation(
        whole[start..<start + width], heard[(start + delay)..<(start + delay + width)])
      #expect(alike > 0.99, "\(alike) at sample \(start)")
    }
  }

  @Test func `a clip backwards is the clip backwards, to the sample and without a seam`()
    async throws
  {
    try await withToneStation { relay in
      // The same packets for both: moments, not times before now. A busy machine's edge is behind the clock.
      let end = try await relay.relay.timeline(of: "jazz").live.air.seconds - 3
      let span = String(format: "from=%.3f&to=%.3f", end - 17, end)
      let (forwards, backwards) = try await bothWays("/jazz/clip?\(span)") {
        try await StreamClient.fetch($0, from: relay.address)
      }
      let head = try backwards.head()
      #expect(head.status == 200 && head["content-type"] == "audio/mpeg")
      #expect(head["content-length"] == nil && head["accept-ranges"] == "none")
      #expect(head["content-disposition"]?.contains("-reversed.mp3") == true)
      // The bit rate stays, so frames are as long.
      let frames = [forwards, backwards].map { $0.bodyCount / ToneSteps.frameBytes }
      #expect(backwards.bodyCount % ToneSteps.frameBytes == 0)
      #expect(frames[0] > 600 && (0...2).contains(frames[1] - frames[0]), "\(frames)")
      try compare(forwards.body, backwards: backwards.body)
      // The tone falls, a step a second.
      let width = ToneSteps.rate / 20
      let samples = try left(backwards.body).map { Float($0) }
      let tones = stride(from: ToneSteps.rate, to: samples.count - width, by: ToneSteps.rate).map {
        ToneSteps.frequency(of: samples[$0..<$0 + width], rate: ToneSteps.rate)
      }
      #expect(tones.count > 14)
      #expect((tones.first ?? 0) - (tones.last ?? 0) > 13 * 50)
    }
  }

  @Test func `a malformed request for a reversed clip is refused by name`() async throws {
    try await withToneStation { relay in
      for query in ["reverse=2", "reverse=x", "reverse=", "reverse=0&reverse=1"] {
        let answer = try await relay.get("/jazz/clip?from=-5s&\(query)")
        #expect(answer.status == 400)
        #expect(answer.text.contains("\"field\":\"reverse\""), "\(answer.text)")
      }
      let head = try await HTTPExchange(
        "HEAD", "/jazz/clip?from=-5s&reverse=1", at: relay.address, fields: [], body: "")
      #expect(head.status == 200 && head.body.isEmpty)
      #expect(try await relay.get("/nosuch/clip?from=-5s&reverse=1").status == 404)
    }
  }

  @Test func `clients that stop reading a reversed clip, or go, keep nobody else from one`()
    async throws
  {
    try await withToneStation { relay in
      let clients = try (0..<8).map { _ in
        try StreamClient(
          to: relay.address,
          sending: "GET /jazz/clip?from=-20s&reverse=1 HTTP/1.1\r\nHost: a\r\n\r\n",
          receiveBuffer: 4 * 1024)
      }
      for client in clients { try await client.until("its beginning") { $0.bodyCount > 0 } }
      let samples = try StreamClient(to: relay.address, get: "/jazz/pcm?offset=10")
      try await samples.until("samples") { $0.bodyCount > 100_000 }
      for client in clients { client.hangUp() }
      try await eventually("a place is free", within: 60) {
        try await relay.get("/jazz/clip?from=-2s&reverse=1").status == 200
      }
      let listeners = try #require(try await relay.station("jazz")["listeners"])
      #expect(listeners["now"]?.integer == 0 && listeners["total"]?.integer == 0)
    }
  }

  @Test func `a file backwards is the file backwards, and so is a part of it`() async throws {
    let data = TemporaryDirectory()
    try FileManager.default.createDirectory(
      atPath: data.path + "/shows", withIntermediateDirectories: true)
    let frames = try await offPool { (0..<2500).map { ToneSteps.programme[$0] } }
    data.write("shows/tones.mp3", frames.flatMap { $0 })
    let shows = StationDefinition(
      id: "shows", source: .files(data.path + "/shows", throttleBypass: 3600))
    try await Scenario.withRelay([shows]) { relay in
      for (query, range) in [("", 0..<frames.count), ("from=12&to=48&", 500..<2000)] {
        let answer = try await StreamClient.fetch(
          "/shows/tones.mp3?\(query)reverse=1", from: relay.address)
        #expect(try answer.head()["content-type"] == "audio/mpeg")
        let more = answer.bodyCount / ToneSteps.frameBytes - range.count
        #expect((0...2).contains(more), "\(more) frames more")
        try compare(frames[range].flatMap { $0 }, backwards: answer.body)
      }
      let listeners = try #require(try await relay.station("shows")["listeners"])
      #expect(listeners["total"]?.integer == 0)
    }
  }
}
