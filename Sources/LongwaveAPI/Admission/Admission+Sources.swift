import Longwave
import Reactor
import Server
import Wire

// Admits sources that push, and sources that announce titles.
extension Admission {
  /// Lets a source push, or throws the reason for the refusal.
  func admit(source request: APIRequest) async throws -> APIResponse {
    try ForeignPage.refuse(request)
    let secret = AdminAccess.secret(in: request.head.fields)
    if secret != nil, limits.sources.isSpent(request.origin) { throw GuessLimit.refusal }
    do {
      let response = try await relay.admit(source: request)
      limits.sources.right(request.origin)
      return response
    } catch {
      if let secret, error.status == 401 {
        limits.sources.wrong(request.origin, Guess(secret, for: request.head.path))
      }
      throw error
    }
  }

  /// Lets a source of SHOUTcast's first protocol push, and answers in that protocol.
  func admit(shoutcast login: ShoutcastLogin, from origin: Peer) async -> APIResponse {
    if limits.sources.isSpent(origin) {
      return .whole(
        status: 429, mediaType: "", body: ShoutcastLogin.refused(GuessLimit.refusalText))
    }
    let response = await relay.admit(shoutcast: login, from: origin)
    switch response {
    case .whole(401, _, _, _):
      limits.sources.wrong(origin, Guess(login.readings.map(\.password)))
    case .takeover: limits.sources.right(origin)
    case .whole, .made, .pieces, .file, .events: break
    }
    return response
  }

  /// Returns the right of a request that announces a title.
  ///
  /// A wrong password counts against the limit of sources, even where the admin token is meant. So an encoder with a
  /// wrong password locks only sources out.
  func announcerRight(of request: APIRequest, passInQuery: Bool) async throws -> Right {
    let (access, origin, query) = (rights.access, request.origin, request.headWithForm.query)
    let pass = passInQuery ? query["pass"].map { Array($0.utf8) } : nil
    guard let password = pass ?? AdminAccess.secret(in: request.head.fields) else {
      throw access.refusalToAnnounce(isWrong: false)
    }
    if limits.sources.isSpent(origin) { throw GuessLimit.refusal }
    let isToken = access.isToken(password)
    let isUnread = limits.announced.isSpent(origin)
    let own =
      isToken && !isUnread
      ? nil : await relay.station(ofSource: password, at: query["mount"])
    let verdict = Verdict.ofAnnouncer(isToken: isToken, isTokenUnread: isUnread, own: own)
    count(verdict, of: origin, password, isToken: isToken, at: query["mount"])
    return try verdict.right(or: access.refusalToAnnounce(isWrong: true))
  }

  private func count(
    _ verdict: Verdict, of origin: Peer, _ password: [UInt8], isToken: Bool, at mount: String?
  ) {
    if case .admitted = verdict { return limits.sources.right(origin) }
    // A token that is not checked any more may be the right one, so it does not count.
    if isToken { return }
    limits.sources.wrong(origin, Guess(password, for: mount ?? ""))
    if verdict == .refused { limits.announced.wrong(origin, Guess(password)) }
  }
}
