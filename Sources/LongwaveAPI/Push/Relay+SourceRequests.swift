import Ingest
import Longwave
import Server
import Wire

// Answers sources that want to push; the relay itself offers the rest of `RelayControl`.
extension Relay: RelayControl {
  /// Lets a source push to its station, or throws the reason for the refusal.
  func admit(source request: APIRequest) async throws(APIError) -> APIResponse {
    let source = SourceRequest(request)
    let station: String
    switch welcome(sourceAt: request.head.path, password: source.password) {
    case .noStation: throw APIError.notFound(request.head.path)
    case .takesNone(let id): throw source.takesNone(id)
    case .wrongPassword: throw source.wrongPassword
    case .welcome(let id): station = id
    }
    try source.checkContentType()
    guard await reserve(station, forSourceFrom: request.origin.host) else { throw source.inUse }
    return .takeover(
      Takeover(greeting: source.greeting) { socket, ahead in
        let pushed = PushSource(
          socket: socket, from: request.origin.address, fields: source.head.fields.list,
          ahead: ahead,
          body: source.body, farewell: source.farewell)
        Task { await self.connect(pushed, to: station) }
      })
  }

  /// Lets a source of SHOUTcast's first protocol push, and answers in that protocol.
  func admit(shoutcast login: ShoutcastLogin, from origin: Peer) async -> APIResponse {
    func refusal(_ status: Int, _ answer: [UInt8]) -> APIResponse {
      .whole(status: status, mediaType: "", body: answer)
    }
    let station: String
    switch welcome(login, from: origin.host) {
    case .noStation, .wrongPassword: return refusal(401, ShoutcastLogin.refused())
    case .takesNone: return refusal(409, ShoutcastLogin.refused("the station is stopped"))
    case .welcome(let id): station = id
    }
    guard await reserve(station, forSourceFrom: origin.host) else {
      return refusal(409, ShoutcastLogin.refused("stream already in use"))
    }
    return .takeover(
      Takeover(greeting: ShoutcastLogin.accepted, path: "/\(station)") { socket, ahead in
        let source = PushSource(
          socket: socket, from: origin.address, ahead: ahead, body: .afterFields)
        Task { await self.connect(source, to: station) }
      })
  }
}
