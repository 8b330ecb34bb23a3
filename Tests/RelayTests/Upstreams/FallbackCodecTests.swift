import Longwave
import TestSupport
import Testing
import Wire

/// Fallbacks of stations that are not MP3, by the whole relay.
@Suite struct FallbackCodecTests {
  private func withStation(
    _ upstream: FakeUpstream, _ fallback: FallbackSetting?, _ body: (TestRelay) async throws -> Void
  ) async throws {
    defer { upstream.stop() }
    var station = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
    station.fallback = fallback
    station.fallbackAfter = 1
    try await Scenario.withRelay([station]) { relay in
      // The whole of the burst: what of it came after an outage would be heard in its own time first.
      try await relay.until("jazz", has: 55)
      try await body(relay)
    }
  }

  // MARK: Ogg

  private func upstream(of ogg: FakeOgg) throws -> FakeUpstream {
    let upstream = try FakeUpstream(ogg.programme(before: 100))
    upstream.reply("/live", with: .stream(ogg.stream(burst: 60), mediaType: "application/ogg"))
    return upstream
  }

  @Test(arguments: Fixtures.OggCodec.allCases)
  func `Ogg listeners go over to a file and back, in a chain of whole links`(
    codec: Fixtures.OggCodec
  ) async throws {
    let channels = codec == .speex ? 1 : 2
    let own = try await offPool { try FakeOgg(codec, channels: channels) }
    let loop = try await offPool {
      try FakeOgg(codec, channels: channels, seconds: 3, seed: 2)
    }
    let folder = TemporaryDirectory()
    folder.write(
      "loop.ogg",
      try Fixtures.ogg(
        codec, sampleRate: own.format.sampleRate, channels: channels, seconds: 3,
        comments: ["TITLE=Please wait"], seed: 2))
    let upstream = try upstream(of: own)
    try await withStation(upstream, .file(folder.path + "/loop.ogg")) { relay in
      let client = try StreamClient(to: relay.address, get: "/jazz?burst=1")
      var (station, fallback) = (own.ear, loop.ear)
      try await client.until("the burst") { station.hear($0.body).numbers.count > 5 }
      for _ in 1...2 {
        upstream.goAway()
        let before = fallback.hear(client.body).numbers.count
        // More than once around. FLAC's pages last a second, and the upstream's burst is all that an outage may take.
        try await client.until("the fallback") {
          fallback.hear($0.body).numbers.count > before + loop.pageCount + 2
        }
        let last = try #require(station.hear(client.body).numbers.last)
        try upstream.comeBack()
        try await client.until("the station again") {
          station.hear($0.body).numbers.last ?? 0 > last + 10
        }
      }
      let chain = OggChain(client.body)
      #expect(chain.problems.isEmpty, "\(chain.problems)")
      #expect(chain.links.allSatisfy { $0.headers != nil })
      #expect(own.hear(client.body).isUnbroken)
      // Each stay is a link or more of its own. An upstream that a busy machine holds up for longer than `fallback-after`
      // makes more of them, the last one too.
      let stays = chain.links.map { $0.headers?.comments.title?.text == "Please wait" }
      let changes = zip(stays, stays.dropFirst()).count { $0 != $1 }
      #expect(changes >= 4 && stays.first == false, "\(stays)")
      for (link, isLoop) in zip(chain.links, stays) {
        let numbers = (isLoop ? loop : own).hear(link.pages.flatMap { $0 }).numbers
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 + 1 == $1 })
        // The end of a file is a page that nobody counts.
        #expect(isLoop || numbers.count == link.pages.count)
      }
      // ffmpeg takes the headers of a Speex chain's second link for audio, whoever made it.
      if codec == .speex { return }
      let played = try Fixtures.decodeOgg(Array(client.body.prefix(chain.bytes)))
      #expect(played.log.isEmpty, "\(played.log)")
      withExtendedLifetime(folder) {}
    }
  }

  @Test(arguments: Fixtures.OggCodec.allCases)
  func `silence is refused in Ogg, where none can be made`(codec: Fixtures.OggCodec) async throws {
    let ogg = try await offPool { try FakeOgg(codec, channels: codec == .speex ? 1 : 2) }
    let upstream = try upstream(of: ogg)
    try await withStation(upstream, nil) { try await refusesSilence($0, of: upstream) }
  }

  /// The file is taken, since it is not the file that decides what is sent; the silence is not.
  private func refusesSilence(_ relay: TestRelay, of upstream: FakeUpstream) async throws {
    var configuration = await relay.relay.configuration
    configuration.stations[0].fallback = .silence
    #expect(try await relay.relay.apply(configuration).changed == ["jazz"])
    #expect(try await relay.station("jazz")["state"]?.string == "playing")
    let events = try relay.events("?station=jazz")
    upstream.goAway()
    let refused = try await events.first("refused") { $0.kind == "fallback-refused" }.json
    #expect(refused["reason"]?.string?.contains("silence cannot be made") == true)
  }

  // MARK: AAC

  private func frames(seconds: Double, seed: UInt64, sampleRate: Int = 44_100) throws -> [[UInt8]] {
    let file = try Fixtures.ffmpeg(
      ["-c:a", "aac", "-b:a", "96k"], format: "adts", sampleRate: sampleRate, seconds: seconds,
      seed: seed)
    return ADTSFrames.split(file).frames
  }

  /// A programme of frames that come again.
  private func upstream(of frames: [[UInt8]], sampleRate: Int = 44_100) throws -> FakeUpstream {
    let upstream = try FakeUpstream(
      FakeProgramme(samples: 1024, sampleRate: sampleRate, before: 100) {
        frames[$0 % frames.count]
      })
    upstream.reply("/live", with: .stream(FakeStream(burst: 60), mediaType: "audio/aac"))
    return upstream
  }

  /// Frames and their numbers; those that are none of them have none.
  private func numbers(_ body: [UInt8], of frames: [[UInt8]]) throws -> [Int?] {
    let known = Dictionary(
      zip(frames, frames.indices).map { ($0, $1) }, uniquingKeysWith: { first, _ in first })
    try #require(known.count == frames.count, "each of them differs")
    let (found, problem) = ADTSFrames.split(body)
    if let problem { Issue.record("\(problem)") }
    return found.map { known[$0] }
  }

  private func follow(_ numbers: [Int], of count: Int) -> Bool {
    zip(numbers, numbers.dropFirst()).allSatisfy { ($0 + 1) % count == $1 }
  }

  @Test(arguments: ["file", "silence"])
  func `AAC listeners go over to a fallback and back, and no frame is torn`(kind: String)
    async throws
  {
    let own = try frames(seconds: 60, seed: 1)
    let loop = try frames(seconds: 3, seed: 2)
    let folder = TemporaryDirectory()
    folder.write("loop.aac", loop.flatMap { $0 })
    let upstream = try upstream(of: own)
    let setting: FallbackSetting = kind == "file" ? .file(folder.path + "/loop.aac") : .silence
    try await withStation(upstream, setting) { relay in
      let client = try StreamClient(to: relay.address, get: "/jazz?burst=1")
      try await client.until("the burst") { $0.bodyCount > 10_000 }
      for _ in 1...2 {
        upstream.goAway()
        let before = try numbers(client.body, of: own).count { $0 == nil }
        // More than once around: the file has 130 frames.
        try await client.until("the fallback") {
          try numbers($0.body, of: own).count { $0 == nil } > before + 160
        }
        let heard = try numbers(client.body, of: own).count { $0 != nil }
        try upstream.comeBack()
        try await client.until("the station again") {
          try numbers($0.body, of: own).count { $0 != nil } > heard + 100
        }
      }
      let all = try numbers(client.body, of: own)
      #expect(follow(all.compactMap(\.self), of: own.count))
      let changes = zip(all, all.dropFirst()).count { ($0 == nil) != ($1 == nil) }
      #expect(changes >= 4 && changes.isMultiple(of: 2))
      let whole = ADTSFrames.split(client.body).frames
      let others = zip(whole, all).filter { $1 == nil }.map(\.0)
      if kind == "file" {
        let looped = try numbers(others.flatMap { $0 }, of: loop)
        #expect(!looped.contains(nil))
        // It goes on where it was, but for what a listener was not there for.
        let jumps = zip(looped, looped.dropFirst()).count { ($0! + 1) % loop.count != $1! }
        #expect(jumps < changes / 2)
      } else {
        // Made once in each outage.
        #expect(Set(others).count <= changes / 2)
      }
      let decoded = try Fixtures.ffmpegDecode(whole.flatMap { $0 }, format: "aac")
      #expect(abs(decoded.samples.count - whole.count * 2048) <= 2048)
      #expect(!decoded.log.contains("rror") && !decoded.log.contains("nvalid"), "\(decoded.log)")
      withExtendedLifetime(folder) {}
    }
  }

  @Test func `silence is refused in AAC whose rate a decoder may double`() async throws {
    let frames = try frames(seconds: 20, seed: 1, sampleRate: 22_050)
    let upstream = try upstream(of: frames, sampleRate: 22_050)
    try await withStation(upstream, nil) { try await refusesSilence($0, of: upstream) }
  }
}
