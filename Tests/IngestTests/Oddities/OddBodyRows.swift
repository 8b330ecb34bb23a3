import TestSupport
import Testing
import Timeshift
import Wire

@testable import Ingest

extension Oddity {
  private static let first = NumberedFrames.stream(0..<8)
  private static let second = NumberedFrames.stream(8..<24)

  /// `between` stands between the eighth frame and the ninth; nothing of it is logged.
  private static func between(
    _ id: String, _ upstream: String, _ relay: String, _ between: [UInt8]
  ) -> Oddity {
    Oddity(
      id, upstream, relay, Odd.good(body: first + between + second), expect: .frames(0..<24))
  }

  /// The format changes after the eighth frame.
  private static func change(
    _ id: String, _ upstream: String, to other: [UInt8], ends: Bool = false
  ) -> Oddity {
    Oddity(
      id, upstream,
      "logs both, frame by frame; listeners "
        + (ends ? "of the old format are ended there" : "go on"),
      Odd.good(body: first + other), expect: .audio(first + other))
  }

  static let bodies: [Oddity] = [
    Oddity(
      "id3v2", "puts an ID3v2 tag with a cover before the audio", "steps over it",
      Odd.good(body: Odd.id3v2(200_000) + Odd.body), expect: .plays),
    Oddity(
      "garbage-front", "begins with 10,000 bytes of garbage", "steps over them",
      Odd.good(body: Odd.filling(10_000, 5) + Odd.body), expect: .plays),
    Oddity(
      "text-front", "begins with a stray text", "steps over it",
      Odd.good(body: Array("icy-notice1: hello there\r\n\r\n".utf8) + Odd.body), expect: .plays),
    Oddity(
      "mid-frame", "begins in the middle of a frame", "begins with the first whole one",
      Odd.good(body: Array(Odd.body.dropFirst(217))), expect: .frames(1..<24)),
    Oddity(
      "info-frame", "begins like a VBR file, with a Xing frame",
      "leaves it out: it tells of a file that nobody gets",
      Odd.good(
        body: [0xFF, 0xFB, 0x90, 0x04] + [UInt8](repeating: 0, count: 32) + Array("Xing".utf8)
          + [UInt8](repeating: 0, count: 377) + Odd.body), expect: .plays),
    Oddity(
      "vbr", "changes its bitrate from frame to frame", "logs every frame",
      Odd.good(body: vbr), expect: .audio(vbr)),
    between(
      "id3-between", "puts tags between its files (ID3v1, APE, ID3v2)", "leaves them out",
      Odd.id3v1 + Odd.ape + Odd.id3v2(500)),
    between(
      "garbage-between", "sends garbage in the middle of the stream", "leaves it out",
      Odd.filling(3000, 7)),
    between(
      "zeros-between", "sends zeros in the middle of the stream", "leaves them out",
      [UInt8](repeating: 0, count: 5000)),
    between(
      "ff-between", "sends a row of 0xFF in the middle of the stream", "leaves it out",
      [UInt8](repeating: 0xFF, count: 999)),
    Oddity(
      "cut-frame", "cuts a frame short in mid-stream and goes on with the next one",
      "lets one damaged frame through (a whole one is never held back to see what follows), then "
        + "finds the next",
      Odd.good(body: first + cutFrame + second),
      expect: .audio(first + cutFrame + second.prefix(218) + NumberedFrames.stream(9..<24))),
    Oddity(
      "id3v1-end", "ends its file with ID3v1 and APE tags",
      "leaves them out: the next file follows without a gap",
      expect: .frames(0..<48)
    ) { _ in
      [
        "/live": .playlist("#EXTM3U\n/1.mp3\n/2.mp3\n"),
        "/1.mp3": .file(Odd.body + Odd.ape + Odd.id3v1, mediaType: "audio/mpeg"),
        "/2.mp3": .file(NumberedFrames.stream(24..<48), mediaType: "audio/mpeg"),
      ]
    },
    change("change-rate", "changes from 44.1 to 48 kHz in mid-stream", to: Odd.rate48),
    change("change-channels", "changes from stereo to mono", to: Odd.mono),
    change("change-codec", "changes from MP3 to AAC", to: Odd.adts(), ends: true),
    Oddity(
      "false-tag", "says of a tag that it is 250 MB long", "does not believe it and plays on",
      Odd.good(body: first + Array("ID3".utf8) + [4, 0, 0, 0x7F, 0x7F, 0x7F, 0x7F] + second),
      expect: .frames(0..<24)),
    Oddity(
      "false-sync", "has what looks like a frame's head in garbage",
      "believes three heads in a row, not one",
      Odd.good(
        body: Odd.filling(500, 1) + [0xFF, 0xFB, 0x90, 0x04] + Odd.filling(50, 2) + Odd.body),
      expect: .plays),
  ]

  /// Frame 8 without its last 218 bytes.
  private static let cutFrame = Array(NumberedFrames.frame(8).prefix(200))

  /// 128, 160 and 96 kbit/s in turn.
  private static let vbr = (0..<8).flatMap { _ in
    Odd.mpeg([0xFF, 0xFB, 0x90, 0x04], bytes: 417, count: 1)
      + Odd.mpeg([0xFF, 0xFB, 0xA0, 0x04], bytes: 522, count: 1)
      + Odd.mpeg([0xFF, 0xFB, 0x70, 0x04], bytes: 313, count: 1)
  }

  static let framing: [Oddity] = [
    Oddity(
      "chunked", "sends its stream chunked", "plays",
      .chunked(), expect: .plays),
    Oddity(
      "chunk-extensions", "adds extensions to its chunks and trailers to its end", "plays",
      Odd.closing(
        "Transfer-Encoding: chunked",
        body: Array("2000;name=value\r\n".utf8) + Odd.body.prefix(0x2000)
          + Array("\r\n0\r\nX-Sum: 1\r\n\r\n".utf8)), expect: .plays),
    Oddity(
      "chunk-broken", "sends a chunk size that is no number",
      "keeps what came before it and connects anew",
      Odd.closing(
        "Transfer-Encoding: chunked",
        body: Array("2000\r\n".utf8) + Odd.body.prefix(0x2000) + Array("\r\nzzzz\r\n".utf8)),
      expect: .plays.and(.event("http-error"))),
    Oddity(
      "trailer-endless", "sends lines without end behind its last chunk",
      "gives up after 512 KiB, and connects anew",
      Odd.good(
        "Transfer-Encoding: chunked",
        body: Array("2000\r\n".utf8) + Odd.body.prefix(0x2000)
          + Array(("\r\n0\r\n" + String(repeating: "a:\r\n", count: 200_000)).utf8)),
      expect: .plays.and(.event("http-error", "512 KiB"))),
    Oddity(
      "gzip", "packs its stream with gzip though nothing was asked for",
      "refused: `bad-content`; a stream is never unpacked, for a little can become very much"
    ) {
      let scratch = TemporaryDirectory()
      let path = scratch.write("body", Odd.body)
      try Tool.must(["gzip", "-k", path], in: scratch)
      let packed = try readFile(path + ".gz")
      let upstream = try FakeUpstream(.numbered())
      defer { upstream.stop() }
      upstream.reply("/live", with: Odd.good("Content-Encoding: gzip", body: packed))
      try await play(
        urls: [upstream.url("/live")],
        expect: .event("bad-content", "packed (gzip)").and { station, _ in
          #expect(station.log.edgePosition == 0)
        })
    },
    Oddity(
      "gzip-transfer", "packs it as a transfer, `Transfer-Encoding: gzip, chunked`",
      "refused: `http-error`",
      Odd.good("Transfer-Encoding: gzip, chunked"), expect: .event("http-error", "packed (gzip)")),
    Oddity(
      "encoding-unknown", "says `Content-Encoding: utf-8` or `none`",
      "takes the body as it is",
      Odd.good("Content-Encoding: utf-8"), expect: .plays),
    Oddity(
      "length-file", "names a Content-Length and keeps to it",
      "takes it for a file: `file-complete`, and begins it again",
      Odd.closing("Content-Length: \(Odd.body.count)"),
      expect: .frames(0..<24).and(.event("file-complete"))),
    Oddity(
      "length-short", "names a length and closes before it is reached",
      "keeps what came and connects anew: `http-error`",
      Odd.closing("Content-Length: 999999"), expect: .frames(0..<24).and(.event("http-error"))),
    Oddity(
      "length-fake", "names a length of 221183499 for an endless stream (for Flash)", "plays",
      Odd.good("Content-Length: 221183499"), expect: .plays),
    Oddity(
      "length-text", "names a length that is no number", "refused by libcurl: `http-error`",
      Odd.good("Content-Length: endless"), expect: .event("http-error")),
    Oddity(
      "length-negative", "names a length of -5", "refused by libcurl: `http-error`",
      Odd.closing("Content-Length: -5"), expect: .event("http-error")),
    Oddity(
      "close", "closes the connection in mid-frame",
      "drops the half frame, connects anew and goes on where the same audio goes on",
      expect: .frames(0..<24).and(.event("reconnected"))
    ) { _ in
      [
        "/live": Odd.closing(body: Array(Odd.body.prefix(5000))),
        "/live": Odd.good(body: Odd.body),
      ]
    },
    Oddity(
      "intro", "sends 2.6 s of its own to each connection, as Icecast does with `<intro>`",
      "leaves them out from the second connection on, and tells what was lost meanwhile"
    ) {
      let upstream = try FakeUpstream(.numbered())
      defer { upstream.stop() }
      var stream = FakeStream(burst: 0)
      stream.preroll = NumberedFrames.stream(1_000_000..<1_000_100)
      var first = stream
      first.closeAfterSeconds = 2
      upstream.reply("/live", with: .stream(first), .stream(stream))
      let isBack = Expectation { !$0.reconnections.isEmpty }
      try await play(
        urls: [upstream.url("/live")],
        expect: isBack.and { station, _ in
          let numbers = try NumberedFrames.numbers(in: station.audio)
          #expect(numbers.count { $0 >= 1_000_000 } == 100)
          #expect(station.reconnections.allSatisfy { $0.insertedSeconds == 0 })
        })
    },
    Oddity(
      "repeat", "sends 8 s again after every reconnect", "logs them once",
      expect: .frames(0..<400)
    ) { _ in
      [
        "/live": Odd.closing(body: NumberedFrames.stream(0..<350)),
        "/live": Odd.good(body: NumberedFrames.stream(40..<440)),
      ]
    },
    Oddity(
      "silent", "sends its head and falls silent",
      "gives up after `data-timeout` (15 s): `timeout`, then connects anew",
      Odd.good(body: []), Odd.good(), settings: { $0.dataTimeout = 1 },
      expect: .plays.and(.event("timeout", "no data for 1.0 s"))),
    Oddity(
      "stalls", "plays and falls silent with the connection open",
      "keeps what came and connects anew after `data-timeout`",
      Odd.good(body: NumberedFrames.stream(0..<12)), Odd.good(body: Odd.body),
      settings: { $0.dataTimeout = 1 }, expect: .frames(0..<24).and(.event("timeout", "no data"))),
    Oddity(
      "byte-by-byte", "sends one byte at a time", "plays; a frame is shown when it is whole",
      Odd.pieces(Odd.head(["HTTP/1.0 200 OK"]) + NumberedFrames.stream(0..<3), of: 1),
      expect: .frames(0..<3)),
    Oddity("burst", "sends 20 s at once and then in real time", "takes the burst as it comes") {
      let upstream = try FakeUpstream(.numbered(before: 30))
      defer { upstream.stop() }
      upstream.reply("/live", with: .stream(FakeStream(burst: 20)))
      try await play(
        urls: [upstream.url("/live")],
        expect: .logged(seconds: 20).and { station, _ in
          try expectUnbroken(station.audio, atLeast: 760)
        })
    },
    Oddity(
      "too-fast", "sends faster than real time without end",
      "takes 90 s ahead, then as fast as it is played", tooFast, settings: { $0.leadMax = 5 },
      expect: .logged(seconds: 5).and { station, requests in
        let passed = MonotonicTime.now().seconds(since: requests[0].at)
        #expect(station.log.edge.media.seconds < passed + 20)
      }),
    Oddity(
      "empty-body", "answers 200 and closes without a byte", "refused: `missing-content`",
      FakeReply(statusLine: "HTTP/1.0 200 OK", body: .bytes([])),
      expect: .event("missing-content").and(.state(.failed, "empty"))),
    Oddity(
      "few-bytes", "answers 200 and 7 bytes", "refused: `bad-content`",
      .file(Array("nothing".utf8), mediaType: "audio/mpeg"),
      expect: .event("bad-content", "no audio")),
  ]

  private static let tooFast: FakeReply = {
    var stream = FakeStream()
    stream.unpacedFrom = 0
    return .stream(stream)
  }()
}
