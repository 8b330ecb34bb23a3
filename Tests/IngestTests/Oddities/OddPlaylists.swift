import TestSupport
import Testing

@testable import Ingest

extension Oddity {
  private static func redirect(_ status: Int) -> Oddity {
    Oddity(
      "redirect-\(status)", "answers \(status)", "follows", expect: .plays
    ) { url in ["/live": .redirect(status, to: url + "/a"), "/a": Odd.good()] }
  }

  static let redirects: [Oddity] =
    [301, 302, 303, 307, 308].map(redirect) + [
      Oddity(
        "redirect-relative", "redirects to `b/c`, and from there to `../d`", "follows",
        expect: .plays.and(Expectation.asked("/live", "/b/c", "/d"))
      ) { _ in
        ["/live": .redirect(to: "b/c"), "/b/c": .redirect(to: "../d"), "/d": Odd.good()]
      },
      Oddity(
        "redirect-scheme-relative", "redirects to `//host/path`", "follows", expect: .plays
      ) { url in
        ["/live": .redirect(to: String(url.dropFirst("http:".count)) + "/a"), "/a": Odd.good()]
      },
      Oddity(
        "redirect-blanks", "redirects to an address with blanks and accents in it",
        "follows it, escaped", expect: .plays
      ) { _ in ["/live": .redirect(to: "/a b/caf\u{E9}"), "/a%20b/caf%C3%A9": Odd.good()] },
      Oddity(
        "redirect-lower-case", "writes `location:` in lower case under `HTTP/1.0 302 Found`",
        "follows", expect: .plays
      ) { url in
        [
          "/live": .raw(Odd.head(["HTTP/1.0 302 Found", "location:\(url)/a", "content-length:0"])),
          "/a": Odd.good(),
        ]
      },
      Oddity(
        "redirect-page", "sends a page and `icy-*` fields along with the redirect",
        "reads neither", expect: .plays.and(.headers { $0.name == nil && $0.metaint == nil })
      ) { _ in
        [
          "/live": FakeReply(
            statusLine: "HTTP/1.1 302 Found",
            fields: [
              ("Location", "/a"), ("icy-name", "Wrong"), ("icy-metaint", "100"),
              ("Content-Length", "18"),
            ], body: .bytes(Array("<html>Moved</html>".utf8))), "/a": Odd.good(),
        ]
      },
      Oddity(
        "redirect-to-playlist", "redirects to a playlist",
        "reads it; its entries are relative to it",
        expect: .plays.and(Expectation.asked("/live", "/dir/list.m3u", "/dir/a"))
      ) { _ in
        [
          "/live": .redirect(to: "/dir/list.m3u"),
          "/dir/list.m3u": .playlist("#EXTM3U\n./a\n", mediaType: "text/plain"),
          "/dir/a": Odd.good(),
        ]
      },
      Oddity(
        "redirect-cookie", "redirects to itself until its cookie comes back",
        "sends the cookie back",
        expect: .plays.and { _, requests in
          #expect(requests.map { $0.fields["cookie"] } == [nil, "seen=1"])
        }
      ) { _ in
        [
          "/live": FakeReply(
            statusLine: "HTTP/1.1 302 Found",
            fields: [("Location", "/live"), ("Set-Cookie", "seen=1"), ("Content-Length", "0")],
            body: .bytes([])), "/live": Odd.good(),
        ]
      },
      Oddity(
        "redirect-loop", "redirects in a circle", "refused after 10: `http-error`",
        .redirect(to: "/live"), expect: .event("http-error", "redirects")),
      Oddity(
        "redirect-nowhere", "answers 302 without Location", "refused: `http-error` 302",
        Odd.answer("HTTP/1.1 302 Found", "Content-Length: 0", body: []),
        expect: .event("http-error", "status: 302")),
      Oddity(
        "redirect-file", "redirects to `file:///etc/passwd` or `ftp:`",
        "refused: `http-error`; only http and https are followed",
        .redirect(to: "file:///etc/passwd"), expect: .event("http-error", "neither http")),
      Oddity(
        "redirect-inward", "is out in the world and redirects to this machine or a private address",
        "refused: `http-error`, unless `allow-private: true` is written",
        run: { try await inward("/live") }),
      Oddity(
        "list-inward", "is out in the world and names such an address in a playlist",
        "refused: `http-error`, unless `allow-private: true` is written",
        run: { try await inward("/list") }),
      Oddity(
        "redirect-port", "redirects to a port of another service, 25 for example",
        "refused: `http-error`; browsers refuse these ports too",
        .redirect(to: "http://127.0.0.1:25/live"), expect: .event("http-error", "port 25")),
      Oddity(
        "redirect-headers", "redirects to another server while the station has `request-headers`",
        "sends them to the configured server only"
      ) {
        let upstream = try FakeUpstream(.numbered())
        let other = try FakeUpstream(.numbered())
        defer {
          upstream.stop()
          other.stop()
        }
        upstream.reply("/live", with: .redirect(to: other.url("/a")))
        other.reply("/a", with: Odd.good())
        try await play(
          urls: [upstream.url("/live")], settings: { $0.requestHeaders = ["X-Key: secret"] },
          expect: .plays.and { _, _ in
            #expect(upstream.requests[0].fields["x-key"] == "secret")
            #expect(other.requests[0].fields["x-key"] == nil)
          })
      },
    ]

  /// ::1 stands for a server of the world here, which leads to this machine from `path`.
  private static func inward(_ path: String) async throws {
    let upstream = try FakeUpstream(.numbered(), isIPv6: true)
    let inside = try FakeUpstream(.numbered())
    defer {
      upstream.stop()
      inside.stop()
    }
    upstream.reply("/live", with: .redirect(to: inside.url("/a")))
    upstream.reply("/list", with: .playlist(inside.url("/a") + "\n", mediaType: "audio/x-mpegurl"))
    inside.reply("/a", with: Odd.good())
    try await play(
      urls: [upstream.url(path)],
      expect: .event("http-error", "led to this machine from outside").and { _, _ in
        #expect(inside.requests.isEmpty)
      }, oddities: .worldly)
    try await play(
      urls: [upstream.url(path)], settings: { $0.allowsPrivate = true }, expect: .plays,
      oddities: .worldly)
  }

  /// A playlist at `/list` whose entry leads to a stream at `/a`.
  private static func list(
    _ id: String, _ upstream: String, _ relay: String = "plays its entry",
    type: String = "application/octet-stream", at path: String = "/list",
    asked paths: [String] = [], text: @escaping @Sendable (String) -> String
  ) -> Oddity {
    list(id, upstream, relay, type: type, at: path, asked: paths) { Array(text($0).utf8) }
  }

  private static func list(
    _ id: String, _ upstream: String, _ relay: String, type: String, at path: String,
    asked paths: [String], bytes: @escaping @Sendable (String) -> [UInt8]
  ) -> Oddity {
    Oddity(
      id, upstream, relay, paths: [path],
      expect: .plays.and { _, requests in
        // On a busy machine it may have been asked again since.
        #expect(requests.map(\.path).starts(with: paths))
      }
    ) { url in
      [
        path: .file(bytes(url), mediaType: type), "/a": Odd.good(),
        "/deep.m3u": .playlist("[playlist]\nFile1=/a"), "/none": .status(404),
      ]
    }
  }

  static let playlists: [Oddity] = [
    list("pls", "is a .pls", type: "audio/x-scpls") {
      "[playlist]\r\nNumberOfEntries=1\r\nFile1=\($0)/a\r\nTitle1=A\r\nLength1=-1\r\nVersion=2\r\n"
    },
    list("pls-bom", "is a .pls with a byte order mark, CR LF and blank lines in front") {
      "\u{FEFF}\r\n\r\n[playlist]\r\nFile1=\($0)/a\r\n"
    },
    list("pls-case", "writes `[Playlist]`, `FILE1 = …` in quotes") {
      "[Playlist]\nnumberofentries=7\nFILE1 = \"\($0)/a\"\n"
    },
    list(
      "pls-latin1", "is a .pls with titles in Latin-1", "plays its entry",
      type: "audio/x-scpls", at: "/list", asked: []
    ) { Array("[playlist]\nTitle1=Caf".utf8) + [0xE9] + Array("\nFile1=\($0)/a\n".utf8) },
    list(
      "pls-order", "counts its entries backwards", "tries them by their numbers",
      asked: ["/list", "/none", "/a"]
    ) { "[playlist]\nFile2=\($0)/a\nFile1=\($0)/none\n" },
    list("m3u", "is a bare .m3u of one line", type: "audio/x-mpegurl") { "\($0)/a" },
    list("m3u-extended", "is an extended .m3u with comments and attributes") {
      "#EXTM3U\n# by hand\n#EXTINF:-1 tvg-logo=\"a,b\",Jazz, all day\n\($0)/a\n"
    },
    list("m3u-comment-first", "is a .m3u that begins with a comment, without a type") {
      "# streams\n\($0)/a\n"
    },
    list(
      "m3u-utf16", "is an extended .m3u in UTF-16, with a byte order mark", "plays its entry",
      type: "audio/x-mpegurl", at: "/list", asked: []
    ) { "\u{FEFF}#EXTM3U\r\n\($0)/a\r\n".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } },
    list("m3u-nul", "ends with a NUL", type: "audio/x-mpegurl") { "\($0)/a\r\n\0" },
    Oddity(
      "m3u-kodi", "writes header lines behind an address, as Kodi's: `URL\\|User-Agent=VLC%2F3.0`",
      "sends them to the address's server",
      expect: .plays.and { _, requests in
        let asked = requests.first { $0.path == "/a" }
        #expect(asked?.fields["user-agent"] == "VLC/3.0" && asked?.fields["referer"] == "http://h/")
        #expect(requests.first?.fields["user-agent"] != "VLC/3.0")
      }
    ) { url in
      [
        "/live": .playlist("#EXTM3U\n\(url)/a|User-Agent=VLC%2F3.0&Referer=http://h/\n"),
        "/a": Odd.good(),
      ]
    },
    list("m3u-cr", "ends its lines with CR alone") { "#EXTM3U\r#EXTINF:-1,A\r\($0)/a\r" },
    list("m3u-relative", "has relative entries", type: "audio/mpegurl") { _ in "./x/../a\n" },
    list("m3u8", "is a .m3u8 of streams, not HLS", at: "/list.m3u8") {
      "#EXTM3U\n#EXTINF:-1,Jazz – all day\n\($0)/a\n"
    },
    list("xspf", "is XSPF", type: "application/xspf+xml") {
      "<?xml version=\"1.0\"?>\n<playlist version=\"1\" xmlns=\"http://xspf.org/ns/0/\"><trackList>"
        + "<track><title>A &amp; B</title><location>\($0)/a</location></track></trackList></playlist>"
    },
    list("asx", "is ASX in capital letters, with a bare &", type: "video/x-ms-asf") {
      "<ASX VERSION=\"3.0\"><TITLE>A & B</TITLE><ENTRY><REF HREF=\"\($0)/a\"/></ENTRY></ASX>"
    },
    list("reference", "is Windows Media's `[Reference]` list", type: "video/x-ms-asf") {
      "[Reference]\r\nRef1=\($0)/none\r\nRef2=\($0)/a\r\n"
    },
    list("list-octets", "sends its playlist as `application/octet-stream`") {
      "[playlist]\nFile1=\($0)/a\n"
    },
    list("list-html", "sends its playlist as `text/html`, PHP's default", type: "text/html") {
      "[playlist]\nFile1=\($0)/a\n"
    },
    list("list-audio", "sends its playlist as `audio/mpeg`", type: "audio/mpeg") {
      "#EXTM3U\n\($0)/a\n"
    },
    list(
      "list-plain", "sends a list of addresses as `text/plain`, with nothing that says so",
      type: "text/plain"
    ) { "\n\n# mirror\n\($0)/none\n\($0)/a\n" },
    list(
      "list-dead-first", "names a dead entry first", "goes on with the next one at once",
      asked: ["/list", "/none", "/a"]
    ) { "[playlist]\nFile1=\($0)/none\nFile2=\($0)/a\n" },
    list(
      "list-refused-first", "names a closed port first", "goes on with the next one",
      asked: ["/list", "/a"]
    ) { "#EXTM3U\nhttp://127.0.0.1:1/x\n\($0)/a\n" },
    list(
      "list-schemes", "names `mms:`, `rtsp:` and `file:` first", "passes over them",
      asked: ["/list", "/a"]
    ) { "#EXTM3U\nmms://x/y\nrtsp://x/y\nfile:///etc/passwd\n\($0)/a\n" },
    list(
      "list-nested", "names another playlist", "reads that too, up to three deep",
      asked: ["/list", "/deep.m3u", "/a"]
    ) { "#EXTM3U\n\($0)/deep.m3u\n" },
    list(
      "list-long", "has 5,000 entries", "tries the first 256 of them",
      asked: ["/list", "/a"]
    ) { url in "#EXTM3U\n" + String(repeating: url + "/a\n", count: 5000) },
    Oddity(
      "list-chunked", "sends its playlist chunked, a few bytes at a time", "plays its entry",
      expect: .plays
    ) { url in
      let text = Array("[playlist]\nFile1=\(url)/a\n".utf8)
      let chunks = text.map { [UInt8(ascii: "1"), 13, 10, $0, 13, 10] } + [Array("0\r\n\r\n".utf8)]
      let head = Odd.head(["HTTP/1.1 200 OK", "Transfer-Encoding: chunked"])
      return [
        "/live": FakeReply(
          statusLine: nil, body: .pieces([head] + chunks, pause: 0.001, thenCloses: false)),
        "/a": Odd.good(),
      ]
    },
    Oddity(
      "keep-alive-dead", "promises to keep the connection and never answers on it again",
      "asks for a playlist's entry, or for where a redirect leads, on a connection of its own",
      expect: .plays
    ) { url in
      [
        "/live": Odd.answer("HTTP/1.1 302 Found", "Location: /list", "Content-Length: 0", body: []),
        "/list": Odd.answer(
          "HTTP/1.1 200 OK", "Content-Length: 24", body: Array("[playlist]\nFile1=/a     ".utf8)),
        "/a": Odd.good(),
      ]
    },
    Oddity(
      "list-changes", "names a dead entry today and another one tomorrow",
      "fetches the playlist anew when every entry has failed",
      expect: .plays.and(Expectation.asked("/live", "/none", "/live", "/a"))
    ) { url in
      [
        "/live": .playlist("[playlist]\nFile1=/none\n"),
        "/live": .playlist("[playlist]\nFile1=/a\n"),
        "/none": .status(500), "/a": Odd.good(),
      ]
    },
  ]

  private static func bad(
    _ id: String, _ upstream: String, _ relay: String, type: String = "audio/x-mpegurl",
    expect: Expectation, _ text: String
  ) -> Oddity {
    Oddity(id, upstream, relay, .playlist(text, mediaType: type), expect: expect)
  }

  static let badPlaylists: [Oddity] = [
    bad(
      "list-empty", "is a playlist without entries", "refused: `missing-content`",
      expect: .event("missing-content"), "#EXTM3U\n"),
    bad(
      "list-nothing", "is a playlist of no byte", "refused: `missing-content`",
      expect: .event("missing-content"), ""),
    bad(
      "list-only-mms", "is a playlist of `mms:` addresses only", "refused: `missing-content`",
      expect: .event("missing-content"), "[playlist]\nFile1=mms://x/y\n"),
    bad(
      "list-page", "answers 200 and an error page in place of a playlist",
      "refused: `bad-content`, \"the answer is a web page\"",
      expect: .event("bad-content", "web page").and(.state(.failed)),
      "<!DOCTYPE html><html><body>Station not found, see http://x/</body></html>"),
    bad(
      "list-page-plain", "sends the error as `text/plain`", "refused: `bad-content`",
      type: "text/plain", expect: .event("bad-content", "a text and no playlist"),
      "Sorry, this station is not available in your country.\n"),
    bad(
      "list-json", "sends a JSON answer", "refused: `bad-content`", type: "application/json",
      expect: .event("bad-content"), "{\"url\": \"http://x/y\", \"error\": null}"),
    bad(
      "list-hls", "is HLS",
      "refused: `bad-content`, \"HLS is not played yet; name the station's plain MP3, AAC or Ogg stream\"",
      expect: .event("bad-content", "HLS"), "#EXTM3U\n#EXT-X-TARGETDURATION:6\nx.ts\n"),
    bad(
      "list-itself", "is a playlist that names itself", "refused after three: `bad-content`",
      expect: .event("bad-content", "nested too deep").and(.state(.failed)),
      "[playlist]\nFile1=/live\n"),
    bad(
      "list-too-long", "is a playlist of 300 KiB in one line", "refused: `bad-content`",
      expect: .event("bad-content", "256 KiB"),
      "#EXTM3U\n" + String(repeating: "x", count: 300 * 1024)),
    Oddity(
      "list-silent", "begins a playlist and falls silent",
      "gives up after `data-timeout`: `timeout`",
      Odd.answer(
        "HTTP/1.0 200 OK", "Content-Type: audio/x-scpls", body: Array("[playlist]\n".utf8)),
      settings: { $0.dataTimeout = 1 }, expect: .event("timeout", "no data")),
  ]
}
