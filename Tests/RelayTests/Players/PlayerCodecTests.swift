import Longwave
import TestSupport
import Testing

/// Rows of `Sources/Manual/players.md` that need no more than the players every developer has: each codec, live and
/// shifted, with its title.
@Suite struct PlayerCodecTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var codec: String
    /// Behind the station's path.
    var query: String

    var testDescription: String { codec + (query.isEmpty ? ", live" : ", \(query)") }
  }

  static let rows = ["mp3", "aac", "opus", "vorbis", "flac"].flatMap { codec in
    ["", "?offset=5"].map { Row(codec: codec, query: $0) }
  }

  private static let (artist, title) = ("Björk", "Jóga")

  /// One programme with one title, and how the upstream sends it.
  private static func upstream(of codec: String) throws -> FakeUpstream {
    if let ogg = Fixtures.OggCodec(rawValue: codec) {
      let fake = try FakeOgg(ogg, links: [.init(page: 0, artist: artist, title: title)])
      let upstream = try FakeUpstream(fake.programme(before: 10))
      upstream.reply("/live", with: .stream(fake.stream(burst: 10), mediaType: "application/ogg"))
      return upstream
    }
    let isMP3 = codec == "mp3"
    // Frames that borrow nothing from each other, since the file comes again after its end.
    let options =
      isMP3
      ? ["-c:a", "libmp3lame", "-b:a", "128k", "-reservoir", "0", "-write_xing", "0"]
      : ["-c:a", "aac", "-b:a", "96k"]
    let format = isMP3 ? "mp3" : "adts"
    let file = try Fixtures.ffmpeg(options + ["-id3v2_version", "0"], format: format, seconds: 20)
    let frames = try Fixtures.probe(file, format: isMP3 ? "mp3" : "aac").map {
      Array(file[$0.position..<($0.position + $0.bytes)])
    }
    let upstream = try FakeUpstream(
      FakeProgramme(
        samples: isMP3 ? 1152 : 1024, before: 10,
        titles: [.init(packet: 0, "\(artist) - \(title)")]
      ) { frames[$0 % frames.count] })
    var stream = FakeStream(burst: 10)
    stream.metaint = 4000
    upstream.reply(
      "/live", with: .stream(stream, mediaType: isMP3 ? "audio/mpeg" : "audio/aac"))
    return upstream
  }

  /// What a player is to open, with more than the offset asked for in front of the live edge.
  private static func withStation(_ row: Row, _ body: (String) async throws -> Void) async throws {
    let upstream = try await offPool { try Self.upstream(of: row.codec) }
    defer { upstream.stop() }
    var station = StationDefinition(id: row.codec, upstream: [upstream.url("/live")])
    // The quieter the codec, the later a block would come.
    station.metaint = 2000
    try await Scenario.withRelay([station]) { relay in
      try await relay.until(row.codec, has: 9)
      try await eventually("the title") {
        try await relay.station(row.codec)["nowPlaying"]?["title"]?.string == title
      }
      try await body("http://\(relay.address)/\(row.codec)\(row.query)")
    }
  }

  @Test(.enabled(if: Binary.find("mpv") != nil), arguments: rows)
  func `mpv plays every codec without a complaint and shows the title`(row: Row) async throws {
    try await Self.withStation(row) { url in
      let result = try await ChildProcess.run(Mpv.command(url, seconds: 4), within: 60)
      #expect(result.status == 0, "\(result.output) \(result.log)")
      #expect(
        result.output.contains("icy-title: \(Self.artist) - \(Self.title)"), "\(result.output)")
      #expect(!Mpv.said(result.output).contains("[ffmpeg"), "\(result.output)")
    }
  }

  @Test(.enabled(if: Binary.find("ffmpeg") != nil), arguments: rows)
  func `ffmpeg decodes every codec without a complaint, and ffprobe knows it`(row: Row) async throws
  {
    try await Self.withStation(row) { url in
      // -t in front: so much is read.
      let result = try await ChildProcess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-xerror", "-t", "6", "-i", url, "-f", "null", "-"],
        within: 60)
      #expect(result.status == 0 && result.log.isEmpty, "\(result.log)")
      let probe = try await ChildProcess.run(
        ["ffprobe", "-v", "error", "-show_format", "-show_streams", "-of", "json", url], within: 60)
      #expect(probe.status == 0 && probe.log.isEmpty, "\(probe.log)")
      let stream = probe.json["streams"]?.items.first
      #expect(stream?["codec_name"]?.string == row.codec)
      #expect(probe.json["format"]?["tags"]?["icy-name"]?.string == row.codec)
      guard Fixtures.OggCodec(rawValue: row.codec) != nil else { return }
      // The comments that the stream begins with, in the case ffprobe has them for the codec.
      let tags = stream?["tags"]
      #expect((tags?["title"] ?? tags?["TITLE"])?.string == Self.title, "\(probe.output)")
    }
  }
}
