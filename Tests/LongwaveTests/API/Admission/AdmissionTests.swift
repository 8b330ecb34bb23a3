import Foundation
import Logging
import Reactor
import Server
import Testing
import Wire

@testable import Longwave
@testable import LongwaveAPI

@Suite struct VerdictTests {
  @Test(arguments: [
    (Verdict.Look.right, true, true, Verdict.admitted(.administrator)),
    (.right, true, false, .admitted(.administrator)),
    (.right, false, true, .admitted(.administrator)),
    (.right, false, false, .admitted(.administrator)),
    (.wrong, true, true, .refused), (.wrong, true, false, .refused),
    (.wrong, false, true, .refused), (.wrong, false, false, .admitted(.stranger)),
    (.unread, true, true, .tooManyGuesses), (.unread, true, false, .tooManyGuesses),
    (.unread, false, true, .tooManyGuesses), (.unread, false, false, .admitted(.stranger)),
  ])
  func `a wrong token is told where one is needed or meant`(
    look: Verdict.Look, isNeeded: Bool, isBearer: Bool, verdict: Verdict
  ) {
    #expect(Verdict.ofToken(look, isNeeded: isNeeded, isBearer: isBearer) == verdict)
  }

  @Test(arguments: [
    (true, false, nil, Verdict.admitted(.administrator)),
    (true, false, "jazz", .admitted(.administrator)),
    (true, true, nil, .tooManyGuesses), (true, true, "jazz", .admitted(.source(of: "jazz"))),
    (false, false, nil, .refused), (false, false, "jazz", .admitted(.source(of: "jazz"))),
    (false, true, nil, .tooManyGuesses), (false, true, "jazz", .admitted(.source(of: "jazz"))),
  ])
  func `a source is let in by its password, however many tokens its address has tried`(
    isToken: Bool, isTokenUnread: Bool, own: String?, verdict: Verdict
  ) {
    let found = Verdict.ofAnnouncer(isToken: isToken, isTokenUnread: isTokenUnread, own: own)
    #expect(found == verdict)
  }
}

@Suite struct AdmissionTests {
  private static let announcers = Terms.Audience.announcers(passInQuery: true)
  private static let stranger = Peer.tcp(.ipv4(0x0102_0304, port: 5))

  private func admission() -> Admission {
    Admission(
      relay: FakeRelay(), rights: .forTests(token: "right-token"),
      limits: GuessLimits(logger: Logger(label: "test")))
  }

  private func basic(_ password: String) -> String {
    "Basic " + Data("source:\(password)".utf8).base64EncodedString()
  }

  private func right(
    _ audience: Terms.Audience, sending secret: String?, query: String = "",
    from origin: Peer = stranger, by admission: Admission
  ) async throws -> Right {
    var head = HTTPRequestHead(
      method: "GET", target: "/x", path: "/x",
      fields: HTTPFields(secret.map { [(name: "Authorization", value: $0)] } ?? []), host: "x")
    head.query = HTTPQuery(raw: query)
    return try await admission.right(
      of: APIRequest(head: head, origin: origin),
      on: Terms(audience: audience, hasEffect: false, takesForm: true))
  }

  @Test(arguments: [
    Terms.Audience.everybody, .everybodyInPart, .tokenHolders, .administrators, announcers,
  ])
  func `every client of the Unix socket is an administrator`(audience: Terms.Audience) async throws
  {
    let right = try await right(audience, sending: nil, from: .unixSocket, by: admission())
    #expect(right == .administrator)
  }

  @Test func `a token counts where administrators are told more`() async throws {
    for (audience, right) in [
      (Terms.Audience.everybody, Right.stranger), (.tokenHolders, .stranger),
      (.everybodyInPart, .administrator), (.administrators, .administrator),
      (Self.announcers, .administrator),
    ] {
      let found = try await self.right(audience, sending: "Bearer right-token", by: admission())
      #expect(found == right, "\(audience)")
    }
  }

  @Test func `a source is one where titles are announced, and a stranger elsewhere`() async throws {
    let secret = basic("push-it!")
    #expect(
      try await right(Self.announcers, sending: secret, by: admission()) == .source(of: "jazz"))
    #expect(try await right(.everybodyInPart, sending: secret, by: admission()) == .stranger)
    await #expect(throws: APIError.self) {
      try await right(.administrators, sending: secret, by: admission())
    }
    await #expect(throws: APIError.self) {
      try await right(Self.announcers, sending: secret, query: "mount=/rock", by: admission())
    }
  }

  @Test func `a source owns its own mount, if it names it`() async throws {
    let secret = basic("push-it!")
    let own = try await right(.owners, sending: secret, query: "mount=/jazz", by: admission())
    #expect(own == .source(of: "jazz"))
    for query in ["mount=/jazz", "mount=/rock", ""] {
      let token = try await right(
        .owners, sending: "Bearer right-token", query: query, by: admission())
      #expect(token == .administrator)
    }
    for query in ["", "mount=/rock"] {
      let error = await #expect(throws: APIError.self) {
        try await right(.owners, sending: secret, query: query, by: admission())
      }
      #expect(error?.status == 401)
    }
  }

  @Test func `the password is in the query for SHOUTcast's scripts alone`() async throws {
    let query = "pass=right-token"
    #expect(
      try await right(Self.announcers, sending: nil, query: query, by: admission())
        == .administrator)
    await #expect(throws: APIError.self) {
      try await right(
        .announcers(passInQuery: false), sending: nil, query: query, by: admission())
    }
  }

  @Test func `an address that guesses is not listened to, and is told what everybody is`()
    async throws
  {
    let admission = admission()
    for number in 0..<GuessLimit.wrongMax {
      await #expect(throws: APIError.self) {
        try await right(.administrators, sending: "Bearer wrong\(number)", by: admission)
      }
    }
    for audience in [Terms.Audience.administrators, .everybodyInPart] {
      let error = await #expect(throws: APIError.self) {
        try await right(audience, sending: "Bearer right-token", by: admission)
      }
      #expect(error?.status == 429)
    }
    let known = try await right(.everybodyInPart, sending: basic("right-token"), by: admission)
    #expect(known == .stranger)
    // Sources are counted apart.
    let source = try await right(Self.announcers, sending: basic("push-it!"), by: admission)
    #expect(source == .source(of: "jazz"))
  }
}
