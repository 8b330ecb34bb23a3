import Longwave
import Reactor
import TestSupport
import Testing

/// A relay of a relay: what the first one knows of itself and of what is playing, the last one knows too.
@Suite struct RelayChainTests {
  struct Codec: Sendable, CustomTestStringConvertible {
    var name: String
    var mediaType: String
    /// ffprobe's demuxer.
    var format: String
    var programme: @Sendable () throws -> FakeProgramme

    var testDescription: String { name }
  }

  // Between the quotes of StreamTitle: the block goes on with a picture and a key for programs.
  private static let titles: [FakeProgramme.TitleChange] = [
    .init(packet: 0, "Nina Simone - Sinnerman';StreamUrl='http://example.org/a.jpg';adw_ad='false"),
    .init(
      packet: 400, "Björk - Jóga';StreamUrl='http://example.org/b.png';adw_ad='tr;ue"),
  ]

  static let codecs: [Codec] = [
    Codec(name: "MP3", mediaType: "audio/mpeg", format: "mp3") {
      .numbered(before: 8, titles: titles)
    },
    Codec(name: "AAC", mediaType: "audio/aac", format: "aac") {
      let file = try Fixtures.ffmpeg(["-c:a", "aac", "-b:a", "96k"], format: "adts", seconds: 20)
      let frames = try Fixtures.probe(file, format: "aac").map {
        Array(file[$0.position..<($0.position + $0.bytes)])
      }
      return FakeProgramme(samples: 1024, before: 8, titles: titles) { frames[$0 % frames.count] }
    },
  ]

  private static let identity = [
    ("icy-name", "Rundfunk für alle"), ("icy-genre", "Jazz & Soul"), ("icy-br", "128"),
    ("icy-description", "All day; all night"), ("icy-url", "http://example.org/"),
    ("icy-logo", "http://example.org/logo.png"), ("icy-country-code", "DE"),
    ("icy-language-codes", "de,en"), ("icy-pub", "1"), ("icy-notice1", "<BR>"),
    ("ice-password", "secret"),
  ]

  @Test(arguments: codecs)
  func `Longwave, Icecast and Longwave again keep titles, pictures and identity`(
    codec: Codec
  ) async throws {
    let upstream = try FakeUpstream(codec.programme())
    defer { upstream.stop() }
    var stream = FakeStream(burst: 8)
    stream.metaint = 4000
    upstream.reply(
      "/live", with: .stream(stream, mediaType: codec.mediaType, fields: Self.identity))
    let first = StationDefinition(id: "first", upstream: [upstream.url("/live")])
    try await Scenario.withRelay([first]) { relay in
      try await relay.until("first", has: 4)
      let port = try #require(relay.address.port)
      let icecast = try Icecast(relaying: "/first", ofPort: port)
      let own = "http://127.0.0.1:\(port)/first"
      _ = try await relay.relay.add(StationDefinition(id: "direct", upstream: [own]))
      _ = try await relay.relay.add(StationDefinition(id: "icecast", upstream: [icecast.url]))
      for id in ["direct", "icecast"] {
        try await eventually("the second title of \(id): \(icecast.log)", within: 60) {
          try await relay.station(id)["nowPlaying"]?["title"]?.string == "Jóga"
        }
        try await expectSame(relay, id)
        try await expectHead(relay, id, codec)
        try await expectBlock(relay, id)
        try await expectAudio(relay, id, codec)
      }
    }
  }

  private func expectSame(_ relay: TestRelay, _ id: String) async throws {
    let (first, last) = (try await relay.station("first"), try await relay.station(id))
    for key in ["name", "description", "genre", "homepage", "artwork"] {
      #expect(last[key] == first[key] && last[key]?.string != nil, "\(id): \(key)")
    }
    for key in ["title", "artist", "url", "artwork"] {
      #expect(last["nowPlaying"]?[key] == first["nowPlaying"]?[key], "\(id): \(key)")
    }
    #expect(last["nowPlaying"]?["artist"]?.string == "Björk")
    #expect(last["nowPlaying"]?["artwork"]?.string == "http://example.org/b.png")
    #expect(last["artwork"]?.string == "http://example.org/logo.png")
  }

  private func expectHead(_ relay: TestRelay, _ id: String, _ codec: Codec) async throws {
    let client = try StreamClient(to: relay.address, get: "/\(id)")
    let head = try await client.answer()
    #expect(head["content-type"] == codec.mediaType)
    for (name, value) in Self.identity.prefix(8) where name != "icy-br" {
      #expect(head[name] == value, "\(id): \(name)")
    }
    #expect(head["icy-pub"] == "0" && head["icy-notice1"] == nil && head["icy-password"] == nil)
    withExtendedLifetime(client) {}
  }

  private func expectBlock(_ relay: TestRelay, _ id: String) async throws {
    let client = try StreamClient(to: relay.address, get: "/\(id)", titles: true)
    let metaint = try #require(Int(try await client.answer()["icy-metaint"] ?? ""))
    let block =
      "StreamTitle='Björk - Jóga';StreamUrl='http://example.org/b.png';adw_ad='tr;ue';"
    try await client.until("the block of \(id)") {
      StreamClient.blocks(in: $0.body, metaint: metaint).contains(block)
    }
  }

  /// Whole packets, each where the one before it ended.
  private func expectAudio(_ relay: TestRelay, _ id: String, _ codec: Codec) async throws {
    let client = try StreamClient(to: relay.address, get: "/\(id)")
    try await client.until("audio of \(id)") { $0.bodyCount > 60_000 }
    let packets = try Fixtures.probe(client.body, format: codec.format)
    #expect(packets.count > 100 && packets.first?.position == 0)
    let followers = zip(packets, packets.dropFirst())
    #expect(followers.allSatisfy { $0.position + $0.bytes == $1.position }, "\(id)")
    if codec.name == "MP3" { #expect(areUnbroken(try client.numbers()), "\(id)") }
  }
}
