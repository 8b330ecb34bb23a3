import Ingest
import Logging
import Server
import Wire

// Sources that push a station's audio.
extension Relay {
  /// Lets a source take its station's place, or says why not.
  func admit(source request: APIRequest) async throws(APIError) -> APIResponse {
    let source = SourceRequest(request)
    guard let station = station(at: request.head.path) else {
      throw APIError.notFound(request.head.path)
    }
    guard station.definition.takesSources, !station.isStopped else {
      throw source.takesNone(station.id)
    }
    guard AdminAccess.areEqual(source.password ?? [], station.definition.sourcePassword ?? "")
    else { throw source.wrongPassword }
    try source.checkContentType()
    guard await ingest.reserve(station: station.id) else { throw source.inUse }
    logger.info("\(station.id): a source has connected from \(request.origin.host)")
    let head = request.head
    return .takeover(
      Takeover(greeting: source.greeting) { socket, ahead in
        let source = PushSource(
          socket: socket, from: request.origin.address, fields: head.fields.list, ahead: ahead,
          body: head.isChunked ? .chunked : .plain)
        Task { await self.take(source, station: station.id) }
      })
  }

  /// Lets a source of SHOUTcast's first protocol take the place of the station whose password it has; the answer is
  /// in that protocol.
  func admit(shoutcast login: ShoutcastLogin, from origin: APIRequest.Origin) async -> APIResponse {
    func refusal(_ status: Int, _ answer: [UInt8]) -> APIResponse {
      .whole(status: status, mediaType: "", body: answer)
    }
    let found = login.readings.compactMap { station(of: $0) }.first
    guard let station = found else {
      logger.info("a source from \(origin.host) has no station's source password")
      return refusal(401, ShoutcastLogin.refused())
    }
    if station.isStopped {
      logger.info("\(station.id): a source from \(origin.host) is refused: the station is stopped")
      return refusal(409, ShoutcastLogin.refused("the station is stopped"))
    }
    guard await ingest.reserve(station: station.id) else {
      return refusal(409, ShoutcastLogin.refused("stream already in use"))
    }
    logger.info("\(station.id): a source has connected from \(origin.host)")
    return .takeover(
      Takeover(greeting: ShoutcastLogin.accepted, path: "/\(station.id)") { socket, ahead in
        let source = PushSource(
          socket: socket, from: origin.address, ahead: ahead, body: .afterFields)
        Task { await self.take(source, station: station.id) }
      })
  }

  /// Gives a station its source, unless a ban has come in between.
  private func take(_ source: PushSource, station: String) async {
    if let peer = source.peer, isBanned(peer) { return }
    await ingest.take(source, station: station)
  }

  /// The station that a source's password opens: at a path, or, where none is named, whichever it is.
  func station(ofSource password: [UInt8], at mount: String?) -> String? {
    station(of: .init(password: password, mount: mount))?.id
  }

  /// Where neither a path nor a number is given, the password says which station is meant.
  private func station(of login: ShoutcastLogin.Reading) -> RelayStation? {
    var possible = order.compactMap { stations[$0] }
    if let mount = login.mount {
      let path = mount.utf8.first == UInt8(ascii: "/") ? mount : "/" + mount
      possible = station(at: path).map { [$0] } ?? []
    }
    if let sid = login.sid { possible = possible.filter { $0.sid == sid } }
    return possible.first {
      $0.definition.takesSources
        && AdminAccess.areEqual(login.password, $0.definition.sourcePassword ?? "")
    }
  }

  /// Encoders like their mounts to end in what they send, `/jazz.mp3`: that is the station as well.
  private func station(at path: String) -> RelayStation? {
    let all = order.compactMap { stations[$0] }
    let bare = path.utf8.lastIndex(of: UInt8(ascii: ".")).map { String(path[..<$0]) }
    return all.first { $0.definition.paths.contains(path) }
      ?? all.first { station in bare.map { station.definition.paths.contains($0) } ?? false }
  }
}
