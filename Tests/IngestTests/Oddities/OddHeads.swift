import TestSupport
import Testing

@testable import Ingest

extension Oddity {
  static let heads: [Oddity] = [
    Oddity(
      "icy-200", "answers `ICY 200 OK` (SHOUTcast)", "plays; the head is read like any other",
      Odd.answer("ICY 200 OK", "icy-name:Jazz", "icy-br:128"),
      expect: .plays.and(.headers { $0.name == "Jazz" && $0.bitrate == 128 })),
    Oddity(
      "icy-200-bare", "answers `ICY 200` without the OK", "plays; the head is read",
      Odd.answer("ICY 200", "icy-name:Jazz"),
      expect: .plays.and(.headers { $0.name == "Jazz" })),
    Oddity(
      "icy-lower-case", "answers `icy 200 ok`", "plays; the head is read",
      Odd.answer("icy 200 ok", "icy-name:Jazz"),
      expect: .plays.and(.headers { $0.name == "Jazz" })),
    Oddity(
      "icy-version", "answers `ICY/1.0 200 OK` or `ICE/1.0 200 OK`", "plays; the head is read",
      Odd.answer("ICE/1.0 200 OK", "ice-name: Jazz"),
      expect: .plays.and(.headers { $0.name == "Jazz" })),
    Oddity(
      "http-no-reason", "answers `HTTP/1.0 200` without a word behind it", "plays",
      Odd.answer("HTTP/1.0 200", "Content-Type: audio/mpeg"), expect: .plays),
    Oddity(
      "http-no-version", "answers `HTTP 200 OK`", "plays; the head is read",
      Odd.answer("HTTP 200 OK", "icy-name: Jazz"),
      expect: .plays.and(.headers { $0.name == "Jazz" })),
    Oddity(
      "http-0.9", "sends audio and no head at all (HTTP/0.9)", "plays",
      .raw(Odd.body), expect: .plays.and(.headers { $0.fields.isEmpty })),
    Oddity(
      "http-0.9-mid-frame", "does so from the middle of a frame on",
      "plays from the first whole frame on",
      .raw(Array(Odd.body.dropFirst(100))), expect: .frames(1..<16)),
    Oddity(
      "http-0.9-playlist", "sends a playlist and no head", "reads it and plays its entry",
      expect: .plays.and(Expectation.asked("/live", "/a"))
    ) { url in
      [
        "/live": FakeReply(
          statusLine: nil, body: .bytes(Array("[playlist]\nFile1=\(url)/a\n".utf8))),
        "/a": .raw(Odd.body),
      ]
    },
    Oddity(
      "http-0.9-redirected", "redirects to a server that sends no head", "plays",
      expect: .plays.and(.headers { $0.fields.isEmpty })
    ) { url in ["/live": .redirect(to: url + "/a"), "/a": .raw(Odd.body)] },
    Oddity(
      "head-unknown", "begins with a line nobody knows (`HTP 200 fine`), a head and then audio",
      "does not read the head, and plays",
      Odd.answer("HTP 200 fine", "Content-Type: audio/mpeg"), expect: .plays),
    Oddity(
      "head-lf", "ends its head's lines with LF alone", "plays; the head is read",
      .raw(Odd.head(["HTTP/1.0 200 OK", "icy-name: Jazz"], lineEnd: "\n") + Odd.body),
      expect: .plays.and(.headers { $0.name == "Jazz" })),
    Oddity(
      "head-byte-by-byte", "sends the head one byte at a time", "plays; the head is read",
      Odd.pieces(Odd.head(["ICY 200 OK", "icy-name: Jazz"]) + Odd.body.prefix(100), of: 1)
        .followed(by: Odd.body.dropFirst(100)),
      expect: .plays.and(.headers { $0.name == "Jazz" })),
    Oddity(
      "head-interim", "sends `100 Continue` or `103 Early Hints` before its answer",
      "reads the answer; what the interim head said does not count",
      .raw(
        Odd.head(["HTTP/1.1 103 Early Hints", "icy-name: Early"])
          + Odd.head(["HTTP/1.1 200 OK", "Content-Type: audio/mpeg"]) + Odd.body),
      expect: .plays.and(.headers { $0.name == nil && $0.mediaType == "audio/mpeg" })),
    Oddity(
      "status-206", "answers 206 though no range was asked for", "plays, as for any 2xx",
      Odd.answer("HTTP/1.1 206 Partial Content", "Content-Range: bytes 0-1/2"), expect: .plays),
    Oddity(
      "status-204", "answers 204 and nothing", "refused: `missing-content`",
      Odd.answer("HTTP/1.1 204 No Content", body: []),
      expect: .event("missing-content").and(.state(.failed, "empty"))),
    Oddity(
      "icy-400", "answers `ICY 400 Server Full`", "refused: `http-error` 400",
      Odd.answer("ICY 400 Server Full", "icy-notice1:<BR>", body: []),
      expect: .event("http-error", "status: 400")),
    Oddity(
      "icy-401", "answers `ICY 401 Service Unavailable` while its source is away",
      "refused: `http-error` 503, not a question of passwords; retried soon",
      Odd.answer("ICY 401 Service Unavailable", body: []), Odd.answer("ICY 200 OK"),
      expect: .plays.and(.event("http-error", "status: 503"))),
    Oddity(
      "head-endless", "sends a head of a megabyte",
      "refused: `http-error`; no more than libcurl's 300 KiB of it is read",
      .raw(
        Array("HTTP/1.0 200 OK\r\n".utf8)
          + (0..<25_000).flatMap { Array("x-filler-\($0): abcdefghijklmnopqrstuvwxyz\r\n".utf8) }),
      expect: .event("http-error")),
    Oddity(
      "head-no-end", "begins its head and falls silent",
      "gives up after `data-timeout`: `timeout`, then tries again",
      .raw(Array("HTTP/1.0 200 OK\r\nContent-Type: audio/mpeg\r\n".utf8)), Odd.good(),
      settings: { ($0.connectTimeout, $0.dataTimeout) = (1, 1) },
      expect: .plays.and(.event("timeout", "no answer"))),
    Oddity(
      "other-service", "is another service: `SSH-2.0-OpenSSH` and the end",
      "refused: `bad-content`",
      FakeReply(statusLine: nil, body: .bytes(Array("SSH-2.0-OpenSSH_9.2p1 Debian\r\n".utf8))),
      expect: .event("bad-content", "a text").and(.state(.failed))),
  ]

  static let fields: [Oddity] = [
    Oddity(
      "fields-case", "writes `CONTENT-TYPE`, `Icy-Name` and `icy-BR`", "reads them all",
      Odd.answer("HTTP/1.0 200 OK", "CONTENT-TYPE:audio/mpeg", "Icy-Name:Jazz", "icy-BR:96"),
      expect: .headers { $0.name == "Jazz" && $0.bitrate == 96 && $0.mediaType == "audio/mpeg" }),
    Oddity(
      "fields-folded", "folds a long field over two lines", "joins them with one blank",
      Odd.good("icy-description: all day", "\t long"),
      expect: .plays.and(.headers { $0.description == "all day long" })),
    Oddity(
      "fields-twice", "sends `icy-name` twice", "the first one counts",
      Odd.good("icy-name: One", "icy-name: Two"),
      expect: .plays.and(.headers { $0.name == "One" })),
    Oddity(
      "fields-latin1", "writes `icy-name` in Latin-1", "reads what is not UTF-8 as windows-1252",
      Odd.answer(field: Array("icy-name: Caf".utf8) + [0xE9]),
      expect: .plays.and(.headers { $0.name == "Café" })),
    Oddity(
      "fields-charset", "writes `icy-name` in windows-1251",
      "reads it in the station's `metadata-encoding`",
      Odd.answer(field: Array("icy-name: ".utf8) + [0xD0, 0xE0, 0xE4, 0xE8, 0xEE]),
      settings: { $0.encoding = .named(try! CharsetName("windows-1251")) },
      expect: .plays.and(.headers { $0.name == "Радио" })),
    Oddity(
      "fields-bare-cr", "hides a carriage return in `icy-name`",
      "no listener's head gets it: it becomes a blank",
      Odd.answer(field: Array("icy-name: A\rSet-Cookie: b".utf8)),
      expect: .plays.and(.headers { $0.name == "A Set-Cookie: b" })),
    Oddity(
      "fields-nul", "has a NUL in a field", "refused by libcurl: `http-error`",
      Odd.answer(field: Array("icy-name: A".utf8) + [0] + Array("B".utf8)),
      expect: .event("http-error")),
    Oddity(
      "fields-long", "sends an `icy-name` of 10,000 bytes", "keeps its first 512",
      Odd.good("icy-name: " + String(repeating: "x", count: 10_000)),
      expect: .plays.and(.headers { $0.name?.count == 512 })),
    Oddity(
      "fields-many", "sends 300 fields", "reads the first 128, and passes on 24 at most",
      .raw(
        Odd.head(["HTTP/1.0 200 OK"] + (0..<300).map { "icy-x\($0): v" } + ["icy-name: late"])
          + Odd.body),
      expect: .plays.and(.headers { $0.fields.count == 128 && $0.passedOn.count == 24 })),
    Oddity(
      "fields-ice", "uses Icecast's source names (`ice-name`, `ice-audio-info`)",
      "reads them as `icy-*`",
      Odd.good("ice-name: Jazz", "ice-audio-info: ice-samplerate=44100;ice-bitrate=96"),
      expect: .plays.and(.headers { $0.name == "Jazz" && $0.bitrate == 96 })),
    Oddity(
      "fields-audiocast", "uses the older `x-audiocast-*`", "reads them as `icy-*`",
      Odd.good("x-audiocast-name: Jazz", "x-audiocast-bitrate: 64"),
      expect: .plays.and(.headers { $0.name == "Jazz" && $0.bitrate == 64 })),
    Oddity(
      "icy-br-list", "sends `icy-br: 128,128` or `128 kbps`", "reads 128",
      Odd.good("icy-br: 128,128"), expect: .plays.and(.headers { $0.bitrate == 128 })),
    Oddity(
      "icy-pub", "sends `icy-pub: 1`",
      "never passes it on: whether a directory lists the relay is the relay's to say",
      Odd.good("icy-pub: 1", "icy-logo: http://x/l.png"),
      expect: .plays.and(.headers { $0.passedOn.map(\.name) == ["icy-logo"] })),
    Oddity(
      "icy-notice", "sends `icy-notice1` with HTML, cookies and a password field",
      "passes none of them on",
      Odd.good(
        "icy-notice1: <BR>Winamp<BR>", "Set-Cookie: a=b", "ice-password: x", "icy-sr: 44100"),
      expect: .plays.and(.headers { $0.passedOn.map(\.name) == ["icy-sr"] })),
    Oddity(
      "metaint-0", "announces `icy-metaint: 0`", "reads the body as audio without blocks",
      Odd.good("icy-metaint: 0"), expect: .plays.and(.headers { $0.metaint == nil })),
    Oddity(
      "metaint-huge", "announces `icy-metaint: 999999999`", "does not believe it: no blocks",
      Odd.good("icy-metaint: 999999999"),
      expect: .plays.and(.headers { $0.metaintIgnored == 999_999_999 })),
    Oddity(
      "metaint-text", "announces `icy-metaint: none`", "no blocks",
      Odd.good("icy-metaint: none"), expect: .plays.and(.headers { $0.metaint == nil })),
    Oddity(
      "metaint-1", "announces `icy-metaint: 1`: a length byte after every byte of audio",
      "takes them all out",
      .raw(
        Odd.head(["ICY 200 OK", "icy-metaint: 1"]) + Odd.body.flatMap { [$0, 0] }),
      expect: .plays),
    Oddity(
      "metaint-ignored", "interleaves nothing though it was asked to", "plays without titles",
      Odd.good(), expect: .plays.and { station, _ in #expect(station.titles.isEmpty) }),
  ]
}
