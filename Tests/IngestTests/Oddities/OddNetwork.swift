import TestSupport
import Testing
import Timeshift

@testable import Ingest

extension Oddity {
  private static func refused(
    _ status: Int, _ relay: String, kind: String, state: StationState = .connecting
  ) -> Oddity {
    Oddity(
      "status-\(status)", "answers \(status)", relay, .status(status),
      expect: .event(kind).and(.state(state, "\(status)")))
  }

  static let refusals: [Oddity] = [
    refused(400, "`http-error` 400; retried", kind: "http-error"),
    refused(
      401, "`http-error` 401; the station is `failed`, retried every 30 s", kind: "http-error",
      state: .failed),
    refused(403, "as for 401", kind: "http-error", state: .failed),
    refused(404, "`not-found`; `failed`, retried every 30 s", kind: "not-found", state: .failed),
    refused(410, "as for 404", kind: "not-found", state: .failed),
    refused(429, "`http-error` 429; retried", kind: "http-error"),
    refused(500, "`http-error` 500; retried", kind: "http-error"),
    refused(502, "`http-error` 502; retried", kind: "http-error"),
    Oddity(
      "status-503-then-ok", "answers 503 at first", "`http-error`, and plays when it is well again",
      .status(503), .status(503), Odd.good(),
      expect: .plays.and(.event("http-error", "status: 503"))),
    Oddity(
      "retry-after", "answers 503 and `Retry-After: 2`",
      "comes back no sooner than that (30 s at most)",
      Odd.answer("HTTP/1.1 503 Busy", "Retry-After: 2", "Content-Length: 0", body: []), Odd.good(),
      expect: .plays.and { _, requests in
        let waited = requests[1].at.seconds(since: requests[0].at)
        #expect(waited >= 1.9)
      }),
    Oddity(
      "retry-after-date", "answers 429 and a Retry-After that is a date", "its own waits hold",
      Odd.answer(
        "HTTP/1.1 429 Slow", "Retry-After: Fri, 31 Dec 1999 23:59:59 GMT", "Content-Length: 0",
        body: []), Odd.good(), expect: .plays),
    Oddity(
      "status-404-other", "answers 404 while another upstream is well", "plays the other one",
      paths: ["/none", "/live"], expect: .plays.and(.event("not-found"))
    ) { _ in ["/none": .status(404), "/live": Odd.good()] },
    Oddity(
      "user", "wants the user and password that stand in its URL",
      "sends them, and shows them nowhere"
    ) {
      let upstream = try FakeUpstream(.numbered())
      defer { upstream.stop() }
      // me:se cret
      upstream.reply("/live", with: Odd.good().requiring(authorization: "bWU6c2UgY3JldA=="))
      try await play(
        urls: [upstream.url("/live", user: "me:se%20cret")],
        expect: .plays.and { station, _ in #expect(!station.summary.contains("cret")) })
    },
    Oddity(
      "user-redirected", "redirects to another host", "the password does not go there"
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
        urls: [upstream.url("/live", user: "me:secret")],
        expect: .plays.and { _, _ in
          #expect(upstream.requests[0].fields["authorization"] != nil)
          #expect(other.requests[0].fields["authorization"] == nil)
        })
    },
  ]

  private static let withoutTitles = Expectation.plays
    .and(.state(.playing, "refuses requests for titles"))
    .and { _, requests in
      #expect(requests.map { $0.fields["icy-metadata"] } == ["1", nil])
    }

  static let network: [Oddity] = [
    Oddity(
      "hang-up", "accepts, reads the request and closes", "`http-error` without a status; retried",
      .hangUp, .hangUp, Odd.good(),
      expect: .plays.and(.event("http-error", "closed without an answer"))),
    Oddity(
      "titles-refused-400", "answers 400 to a request with `Icy-MetaData: 1`",
      "asks again without, plays, and says so", .status(400), Odd.good(),
      expect: withoutTitles),
    Oddity(
      "titles-refused-hang-up", "hangs up at a request with `Icy-MetaData: 1`",
      "asks again without, plays, and says so", .hangUp, Odd.good(),
      expect: withoutTitles),
    Oddity(
      "titles-not-refused", "has answered such a request before, and hangs up at another",
      "asks for titles again", Odd.closing(), .hangUp, Odd.closing(),
      expect: .plays.and(.event("http-error", "closed without an answer"))
        .and { _, requests in
          #expect(requests.allSatisfy { $0.fields["icy-metadata"] == "1" })
        }),
    Oddity(
      "titles-off", "need not be asked for titles: `icy: false`", "does not ask", Odd.good(),
      settings: { $0.asksForTitles = false },
      expect: .plays.and { _, requests in
        #expect(requests.allSatisfy { $0.fields["icy-metadata"] == nil })
      }),
    Oddity(
      "no-answer", "accepts and never answers", "gives up after the time-outs: `timeout`; retried",
      .silence, Odd.good(), settings: { ($0.connectTimeout, $0.dataTimeout) = (1, 1) },
      expect: .plays.and(.event("timeout", "no answer"))),
    Oddity(
      "refused", "has its port closed", "`http-error`, \"cannot connect: Connection refused\"",
      paths: ["http://127.0.0.1:1/live"],
      expect: .event("http-error", "refused")
    ) { _ in [:] },
    Oddity(
      "refused-then-there", "comes up later", "plays as soon as it is there"
    ) {
      let upstream = try FakeUpstream(.numbered())
      defer { upstream.stop() }
      upstream.reply("/live", with: Odd.good())
      upstream.goAway()
      let station = try IngestHarness()
      await station.start(IngestHarness.quick([upstream.url("/live")]))
      let isRefused = Expectation.event("http-error", "refused")
      #expect(await station.wait { isRefused.hasCome(in: $0) })
      try upstream.comeBack()
      #expect(await station.wait { Expectation.plays.hasCome(in: $0) })
      _ = await station.finish()
      try Expectation.plays.check(station, [])
    },
    Oddity(
      "no-name", "has a host name nobody knows", "`http-error` or `timeout`; retried",
      paths: ["http://no-such-host.invalid/live"], settings: { $0.connectTimeout = 5 },
      expect: .event(in: ["http-error", "timeout"])
    ) { _ in [:] },
    Oddity(
      "ipv6", "is named by an IPv6 address", "connects to it"
    ) {
      let upstream = try FakeUpstream(.numbered(), isIPv6: true)
      defer { upstream.stop() }
      upstream.reply("/live", with: Odd.good())
      try await play(urls: [upstream.url("/live")], expect: .plays)
    },
    Oddity(
      "icy-scheme", "is written as `icy://`", "reads it as `http://`"
    ) {
      let upstream = try FakeUpstream(.numbered())
      defer { upstream.stop() }
      upstream.reply("/live", with: Odd.answer("ICY 200 OK"))
      let url = "icy" + upstream.url("/live").dropFirst("http".count)
      try await play(urls: [url], expect: .plays)
    },
    Oddity(
      "icy-scheme-list", "is written so in a playlist, and redirects to such a URL",
      "reads it as `http://`", expect: .plays.and(Expectation.asked("/live", "/a", "/b"))
    ) { url in
      let icy = "icy" + url.dropFirst("http".count)
      return [
        "/live": FakeReply(statusLine: nil, body: .bytes(Array("\(icy)/a\n".utf8))),
        "/a": .redirect(to: icy + "/b"), "/b": Odd.good(),
      ]
    },
    Oddity(
      "url-blanks", "is written with blanks and umlauts in its path", "escapes them",
      paths: ["/a b/ü"], expect: .plays
    ) { _ in ["/a%20b/%C3%BC": Odd.good()] },
    Oddity(
      "tls-untrusted", "has a certificate nobody vouches for",
      "refused: `http-error` that names the certificate",
      run: { try await playTLS(expect: .event("http-error", "certificate")) { _, _ in } }),
    Oddity(
      "tls-own-ca", "has one of an authority of its own", "plays with `ca-file`",
      run: { try await playTLS(expect: .plays) { $0.caFile = $1 } }),
    Oddity(
      "tls-unverified", "has any certificate", "plays with `verify-tls: false`",
      run: { try await playTLS(expect: .plays) { settings, _ in settings.verifyTLS = false } }),
    Oddity(
      "tls-redirect", "redirects from http to https", "follows; the certificate counts there too",
      run: {
        let upstream = try FakeUpstream(.numbered())
        defer { upstream.stop() }
        let secure = try TLSUpstream(packets: 40)
        upstream.reply("/live", with: .redirect(to: secure.url))
        let certificate = secure.certificate
        try await play(
          urls: [upstream.url("/live")], settings: { $0.caFile = certificate }, expect: .plays)
        withExtendedLifetime(secure) {}
      }),
    Oddity(
      "tls-plain", "speaks plain HTTP where https is asked", "refused: `http-error` or `timeout`",
      run: {
        let upstream = try FakeUpstream(.numbered())
        defer { upstream.stop() }
        upstream.reply("/live", with: Odd.good())
        let url = "https" + upstream.url("/live").dropFirst("http".count)
        try await play(
          urls: [url], settings: { $0.connectTimeout = 2 },
          expect: .event(in: ["http-error", "timeout"]))
      }),
  ]

  private static func playTLS(
    expect: Expectation, settings: (inout UpstreamSettings, String) -> Void
  ) async throws {
    let upstream = try TLSUpstream(packets: 40)
    let certificate = upstream.certificate
    try await play(urls: [upstream.url], settings: { settings(&$0, certificate) }, expect: expect)
    withExtendedLifetime(upstream) {}
  }
}
