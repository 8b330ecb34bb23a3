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
      Takeover(greeting: source.greeting) { [ingest] socket, ahead in
        let source = PushSource(
          socket: socket, fields: head.fields.list, ahead: ahead, isChunked: head.isChunked)
        Task { await ingest.take(source, station: station.id) }
      })
  }

  /// The station that a source's password opens: at a path, or, where none is named, whichever it is.
  func station(ofSource password: [UInt8], at mount: String?) -> String? {
    let all = order.compactMap { stations[$0] }
    let named = mount.map { mount in
      station(at: mount.hasPrefix("/") ? mount : "/" + mount).map { [$0] } ?? []
    }
    return (named ?? all).first {
      $0.definition.takesSources
        && AdminAccess.areEqual(password, $0.definition.sourcePassword ?? "")
    }?.id
  }

  /// Encoders like their mounts to end in what they send, `/jazz.mp3`: that is the station as well.
  private func station(at path: String) -> RelayStation? {
    let all = order.compactMap { stations[$0] }
    let bare = path.lastIndex(of: ".").map { String(path[..<$0]) }
    return all.first { $0.definition.paths.contains(path) }
      ?? all.first { station in bare.map { station.definition.paths.contains($0) } ?? false }
  }
}
