import Longwave
import Reactor
import Server
import Wire

/// Finds the right of a request, and counts wrong secrets.
struct Admission: Sendable {
  let relay: any RelayControl
  let rights: AdminRights
  let limits: GuessLimits

  /// Returns the right of a request, or throws the reason for the refusal.
  func right(of request: APIRequest, on terms: Terms) async throws -> Right {
    if terms.isGuarded { try ForeignPage.refuse(request) }
    let right = try await right(of: request, in: terms.audience)
    if terms.requiresJSON { try request.requireJSON() }
    if terms.takesList { try request.requireList() }
    return right
  }

  private func right(of request: APIRequest, in audience: Terms.Audience) async throws -> Right {
    if request.origin == .unixSocket { return .administrator }
    switch audience {
    case .everybody, .tokenHolders: return .stranger
    case .everybodyInPart: return try tokenRight(of: request, isNeeded: false)
    case .administrators: return try tokenRight(of: request, isNeeded: true)
    case .owners where request.headWithForm.query["mount"] == nil:
      return try tokenRight(of: request, isNeeded: true)
    case .owners: return try await announcerRight(of: request, passInQuery: false)
    case .announcers(let passInQuery):
      return try await announcerRight(of: request, passInQuery: passInQuery)
    }
  }

  /// Checks and counts a token, also where a part is public.
  private func tokenRight(of request: APIRequest, isNeeded: Bool) throws(APIError) -> Right {
    let (access, head) = (rights.access, request.head)
    guard !access.token.isEmpty, let secret = AdminAccess.secret(in: head.fields) else {
      if isNeeded { throw access.refusal(at: head.path) }
      return .stranger
    }
    let isForeign = ForeignPage.isForeign(head, base: request.base)
    let limit = isForeign ? limits.foreign : limits.admin
    let look = look(at: secret, of: request.origin, access, limit)
    let isBearer = AdminAccess.hasBearer(head.fields)
    return try Verdict.ofToken(look, isNeeded: isNeeded, isBearer: isBearer)
      .right(or: access.refusal(at: head.path, isOptional: !isNeeded))
  }

  private func look(
    at secret: [UInt8], of origin: Peer, _ access: AdminAccess, _ limit: GuessLimit
  ) -> Verdict.Look {
    if limit.isSpent(origin) { return .unread }
    if access.isToken(secret) {
      limit.right(origin)
      return .right
    }
    limit.wrong(origin, Guess(secret))
    return .wrong
  }

  /// Returns the admin token for a code of a dashboard's link; nil for any other. That counts as a guess at the token.
  func redeem(dashboardCode code: String, of origin: Peer) throws(APIError) -> String? {
    if limits.admin.isSpent(origin) { throw GuessLimit.refusal }
    let token = rights.access.token
    if !token.isEmpty, rights.codes.redeem(code, for: token) { return token }
    limits.admin.wrong(origin, Guess(Array(code.utf8)))
    return nil
  }

  /// Returns the refusal of a request that needs an administrator at `path`.
  func refusal(at path: String) -> APIError { rights.access.refusal(at: path) }

  /// Whether a client may begin a session by this token: there is none yet. Inventing a token counts as guessing one, so
  /// that nobody fills the table, or learns which tokens there are.
  func mayBegin(_ token: SessionToken, for origin: Peer) async throws -> Bool {
    guard await relay.familiarity(of: token, to: origin) == .unknown else { return false }
    if limits.sessions.isSpent(origin) { throw GuessLimit.refusal }
    limits.sessions.wrong(origin, Guess(token))
    return true
  }

  /// Admits a client that knows a session's token. An address that has shown the token before is always admitted,
  /// whatever others behind it guess.
  func open(_ token: SessionToken, to origin: Peer) async throws {
    let familiarity = await relay.familiarity(of: token, to: origin)
    if familiarity == .own { return }
    if limits.sessions.isSpent(origin) { throw GuessLimit.refusal }
    if familiarity == .unknown {
      limits.sessions.wrong(origin, Guess(token))
      throw RelayError.unknownSession
    }
    await relay.show(session: token, at: origin)
  }
}
