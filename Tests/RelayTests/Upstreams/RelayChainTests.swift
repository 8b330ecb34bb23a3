import Longwave
import Reactor
import TestSupport
import Testing
import Wire

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
    try await withChain(upstream, named: "Rundfunk für alle") { relay, id in
      try await expectSame(relay, id)
      try await expectHead(relay, id, codec)
      try await expectBlock(relay, id)
      try await expectAudio(relay, id, codec)
    }
  }

  /// Stations that relay `upstream` through a first one, "direct" itself and "icecast" an Icecast that does, when they
  /// have the second title.
  private func withChain(
    _ upstream: FakeUpstream, named name: String = "first",
    _ body: (TestRelay, String) async throws -> Void
  ) async throws {
    let first = StationDefinition(id: "first", upstream: [upstream.url("/live")])
    try await Scenario.withRelay([first]) { relay in
      try await relay.until("first", has: 4)
      // Icecast passes on what it is told when it connects.
      try await relay.listener(of: "first", called: name)
      let port = try #require(relay.address.port)
      let icecast = try Icecast(relaying: "/first", ofPort: port)
      let own = "http://127.0.0.1:\(port)/first"
      _ = try await relay.relay.add(StationDefinition(id: "direct", upstream: [own]))
      _ = try await relay.relay.add(StationDefinition(id: "icecast", upstream: [icecast.url]))
      for id in ["direct", "icecast"] {
        try await eventually("the second title of \(id): \(icecast.log)", within: 60) {
          let playing = try await relay.station(id)["nowPlaying"]
          return playing?["title"]?.string == "Jóga" && playing?["artist"]?.string == "Björk"
        }
        try await body(relay, id)
      }
    }
  }

  @Test(arguments: [Fixtures.OggCodec.vorbis, .opus])
  func `Longwave, Icecast and Longwave again keep titles and pages of Ogg`(
    codec: Fixtures.OggCodec
  ) async throws {
    let ogg = try await offPool {
      try FakeOgg(
        codec,
        links: [
          .init(page: 0, artist: "Nina Simone", title: "Sinnerman"),
          .init(page: 100, artist: "Björk", title: "Jóga"),
        ])
    }
    let upstream = try FakeUpstream(ogg.programme(before: 8))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(ogg.stream(burst: 8), mediaType: "application/ogg"))
    try await withChain(upstream) { relay, id in
      let format = try await relay.station(id)["format"]
      #expect(format?["codec"]?.string == codec.rawValue)
      let client = try StreamClient(to: relay.address, get: "/\(id)?burst=8")
      try await client.until("audio of \(id)") { $0.bodyCount > 60_000 }
      let heard = ogg.hear(client.body)
      #expect(heard.garbage == 0 && heard.links.count == 1, "\(id)")
      // Icecast makes Vorbis pages anew.
      if id == "direct" || codec == .opus { #expect(heard.isUnbroken && heard.numbers.count > 9) }
      let played = try Fixtures.decodeOgg(client.body)
      #expect(played.log.isEmpty && played.samples > 48_000, "\(id): \(played.log)")
    }
  }

  @Test func `a station's configured fields come before its upstream's`() async throws {
    let upstream = try FakeUpstream(.numbered(before: 8))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: 8), fields: Self.identity))
    var station = StationDefinition(id: "jazz", name: "Ours", upstream: [upstream.url("/live")])
    station.artwork = "http://example.net/ours.png"
    station.isPublic = true
    try await Scenario.withRelay([station]) { relay in
      try await relay.until("jazz", has: 4)
      let ours = [
        ("icy-name", "Ours"), ("icy-genre", "Jazz & Soul"), ("icy-pub", "1"),
        ("icy-logo", "http://example.net/ours.png"), ("icy-country-code", "DE"),
      ]
      // What the upstream says reaches listeners a little later than its audio.
      try await eventually("all of it, once") {
        let client = try StreamClient(to: relay.address, get: "/jazz")
        let fields = try await client.answer().fields.list
        return ours.allSatisfy { name, value in
          fields.filter { $0.name.lowercased() == name }.map(\.value) == [value]
        }
      }
    }
  }

  @Test func `a head made of an upstream's long fields can be read by Icecast`() async throws {
    let upstream = try FakeUpstream(.numbered(before: 8))
    defer { upstream.stop() }
    let long = String(repeating: "ö", count: 2000)
    let names = ["name", "genre", "url", "description"] + (0..<60).map { "x-\($0)" }
    let fields = names.map { ("icy-" + $0, $0.hasPrefix("x-") ? "value of \($0)" : long) }
    upstream.reply("/live", with: .stream(FakeStream(burst: 8), fields: fields))
    let station = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
    try await Scenario.withRelay([station]) { relay in
      try await relay.until("jazz", has: 4)
      try await relay.listener(of: "jazz", called: String(repeating: "ö", count: 256))
      let client = try StreamClient(to: relay.address, get: "/jazz", titles: true)
      let head = try await client.answer()
      #expect(head["icy-x-0"] == "value of x-0" && head["icy-x-59"] == nil)
      // Its buffer for a relay's head has 4,096 bytes.
      #expect(client.received.count - client.bodyCount < 4096)
    }
  }

  @Test func `a station added with a charset and a pattern keeps them over a restart`() async throws
  {
    // Windows-1251: "Группа крови by Кино" between the quotes.
    let text: [UInt8] =
      [0xC3, 0xF0, 0xF3, 0xEF, 0xEF, 0xE0, 0x20, 0xEA, 0xF0, 0xEE, 0xE2, 0xE8]
      + Array(" by ".utf8) + [0xCA, 0xE8, 0xED, 0xEE]
    let upstream = try FakeUpstream(
      .numbered(before: 8, titles: [.init(packet: 0, bytes: text)]))
    defer { upstream.stop() }
    var stream = FakeStream(burst: 8)
    stream.metaint = 4000
    upstream.reply("/live", with: .stream(stream))
    let body =
      #"{"id":"kino","upstream":["\#(upstream.url("/live"))"],"metadataEncoding":"detect","#
      + #""metadataCandidates":["shift_jis","windows-1251"],"titlePattern":"{title} by {artist}"}"#
    let data = TemporaryDirectory()
    for start in 0..<2 {
      try await Scenario.withRelay([], data: data) { relay in
        if start == 0 {
          let added = try await HTTPExchange(
            "POST", "/api/v1/stations", at: relay.address,
            fields: ["Authorization: Bearer \(Scenario.token)"], body: body)
          #expect(added.status == 201, "\(added.text)")
        }
        try await eventually("the title") {
          let playing = try await relay.station("kino")["nowPlaying"]
          return playing?["artist"]?.string == "Кино"
            && playing?["title"]?.string == "Группа крови"
        }
        let client = try StreamClient(to: relay.address, get: "/kino", titles: true)
        let metaint = try #require(Int(try await client.answer()["icy-metaint"] ?? ""))
        try await client.until("the title as it was sent, in UTF-8") {
          StreamClient.blocks(in: $0.body, metaint: metaint)
            .contains("StreamTitle='Группа крови by Кино';")
        }
      }
    }
  }

  private func expectSame(_ relay: TestRelay, _ id: String) async throws {
    try await relay.listener(of: id, called: "Rundfunk für alle")
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
