import Longwave
import Reactor
import Server
import Wire

/// Answers every request except those for audio and playlists.
struct APIRouter: APIHandling {
  private let relay: any RelayControl
  private let admission: Admission
  private let shared: PublicFigures

  init(relay: any RelayControl, rights: AdminRights, limits: GuessLimits) {
    self.relay = relay
    admission = Admission(relay: relay, rights: rights, limits: limits)
    shared = PublicFigures(of: relay)
  }

  func bodyBytesMax(of head: HTTPRequestHead) -> Int {
    Operation.table.bodyBytesMax(method: head.method, path: head.path)
  }

  func endsWithClient(_ head: HTTPRequestHead) -> Bool {
    (try? Self.forItsClient.find(method: head.method, path: head.path)) != nil
  }

  func route(of head: HTTPRequestHead) -> RequestRoute {
    Operation.table.number(method: head.method, path: head.path).map(RequestRoute.init) ?? .unknown
  }

  func route(named name: String) -> RequestRoute {
    Operation.table.number(named: name).map(RequestRoute.init) ?? .unknown
  }

  /// Operations that are of use to their client only.
  private static let forItsClient = OperationTable(
    rows: Operation.all.filter(\.terms.endsWithClient))

  func respond(to request: APIRequest) async -> APIResponse {
    do {
      if Routes.isSource(request.head) { return try await admission.admit(source: request) }
      let row = try Operation.table.find(method: request.head.method, path: request.head.path)
      let terms = row.operation.terms
      let right = try await admission.right(of: request, on: terms)
      try row.operation.check(request.head.query)
      let call = Call(request: request, right: right, admission: admission, shared: shared)
      return finish(try await row.handler(call), of: terms, for: right)
    } catch {
      let error = await explained(APIError(of: error), request.head.path)
      if let page = await missingPage(error, request.head) { return page }
      return .error(error)
    }
  }

  /// Returns the page that a browser shows where it was led to nothing; nil for programs, which get JSON.
  private func missingPage(_ error: APIError, _ head: HTTPRequestHead) async -> APIResponse? {
    guard error.code == APIError.notFoundCode, ["GET", "HEAD"].contains(head.method),
      !head.path.hasPrefix("/api/"), Self.isForPeople(head)
    else { return nil }
    let house = await relay.webSettings()
    guard house.isEnabled else { return nil }
    return .page(nil, status: 404) {
      MissingPage(asked: head.path, isStation: false, house: house).page
    }
  }

  /// Whether a browser asks for a page, not a script of one or a program.
  private static func isForPeople(_ head: HTTPRequestHead) -> Bool {
    head.fields["Accept"]?.contains("text/html") == true
  }

  /// Returns an error that names a station's renditions where one was asked for that it does not have.
  private func explained(_ error: APIError, _ path: String) async -> APIError {
    let marks = [UInt8(ascii: "/"), UInt8(ascii: "-")]
    guard error.code == APIError.notFoundCode, path.utf8.count <= Self.renditionPathBytesMax,
      let end = path.utf8.lastIndex(where: marks.contains), end > path.utf8.startIndex
    else { return error }
    let station = String(path[..<end].dropFirst())
    let paths = await relay.renditionPaths(of: station)
    if paths.isEmpty { return error }
    var error = error
    error.message += " \(station) has the renditions \(paths.joined(separator: ", "))."
    return error
  }

  /// Most bytes of a path that may have been meant for a rendition: an id's 64, and those behind it.
  private static let renditionPathBytesMax = 128

  func respond(to login: ShoutcastLogin, from origin: Peer) async -> APIResponse {
    await admission.admit(shoutcast: login, from: origin)
  }

  private func finish(_ response: APIResponse, of terms: Terms, for right: Right) -> APIResponse {
    // A guarded request may have changed something, so public figures are made anew.
    if terms.isGuarded { shared.forget() }
    // Nobody may keep a page for an administrator, or the result of an action.
    let isForAll = !terms.isGuarded && !terms.audience.needsPassword && right == .stranger
    return isForAll ? response.revalidated : response
  }
}
