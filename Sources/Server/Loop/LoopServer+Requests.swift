import Glibc
import Reactor
import Timeshift
import Wire

// From the first byte of a request to the decision who answers it.
extension LoopServer {
  /// Bytes from a client: part of a request, or input nobody asked for.
  func take(_ slot: UInt32, _ bytes: UnsafeRawBufferPointer) {
    switch connections[slot].state {
    case .reading(var head):
      connections[slot].state = .free
      head.append(contentsOf: bytes)
      readHead(slot, head)
    case .readingBody(let head, var body):
      connections[slot].state = .free
      body.append(contentsOf: bytes)
      readBody(slot, head, body)
    case .free, .answering, .replying, .joining, .listening, .watching, .lingering: break
    }
  }

  private func readHead(_ slot: UInt32, _ bytes: [UInt8]) {
    do {
      guard let (head, length) = try HTTPRequestParser.parse(bytes.span) else {
        connections[slot].state = .reading(bytes)
        return
      }
      connections[slot].deadline = .max
      readBody(slot, head, Array(bytes[length...]))
    } catch {
      reply(
        slot, to: nil, status: error.status, mediaType: ErrorBody.mediaType,
        body: ErrorBody.json(code: "bad-request", message: error.message))
    }
  }

  private func readBody(_ slot: UInt32, _ head: HTTPRequestHead, _ body: [UInt8]) {
    let length = head.contentLength ?? 0
    if length > ServerConfiguration.bodyBytesMax {
      return replyError(
        slot, to: head, status: 413, code: "too-large",
        message: "the body is limited to \(ServerConfiguration.bodyBytesMax) bytes")
    }
    if body.count < length {
      connections[slot].deadline =
        loop.turnTime + Int64(shared.configuration.headTimeout * 1e9)
      connections[slot].state = .readingBody(head, body)
      return
    }
    connections[slot].deadline = .max
    route(slot, head, Array(body.prefix(length)))
  }

  private func route(_ slot: UInt32, _ head: HTTPRequestHead, _ body: [UInt8]) {
    connections[slot].isHTTP11 = head.version == .http11
    switch Routes.route(head, in: table) {
    case .stream(let mount): stream(slot, head, mount)
    case .playlist(let mount, let kind): playlist(slot, head, mount, kind)
    case .methodNotAllowed(let allow):
      replyError(
        slot, to: head, status: 405, code: "method-not-allowed",
        message: "\(head.method) is not possible here; use \(allow)",
        fields: [.init(name: "Allow", value: allow)])
    case .api: ask(slot, head, body)
    }
  }

  private func playlist(
    _ slot: UInt32, _ head: HTTPRequestHead, _ mount: Mount, _ kind: MountTable.PlaylistKind
  ) {
    let query = head.query.raw.isEmpty ? "" : "?" + head.query.raw
    let url = baseURL(slot, head) + "/" + mount.station + query
    let name = mount.description.name.isEmpty ? mount.station : mount.description.name
    let text =
      switch kind {
      case .m3u: Playlist.m3u(url: url, title: name)
      case .pls: Playlist.pls(url: url, title: name)
      }
    reply(
      slot, to: head, status: 200, mediaType: kind.mediaType, body: Array(text.utf8),
      fields: [
        .init(
          name: "Content-Disposition",
          value: "inline; filename=\"\(mount.station).\(kind.rawValue)\"")
      ])
  }

  /// Scheme, host and port that the client can reach us by.
  private func baseURL(_ slot: UInt32, _ head: HTTPRequestHead) -> String {
    if let url = shared.configuration.publicURL { return url }
    if let host = head.host, !host.isEmpty { return "http://" + host }
    return "http://" + (Socket.localAddress(of: connections[slot].fd)?.description ?? "localhost")
  }

  // MARK: The API

  private func ask(_ slot: UInt32, _ head: HTTPRequestHead, _ body: [UInt8]) {
    let request = APIRequest(head: head, body: body, origin: connections[slot].origin)
    connections[slot].state = .answering(head)
    let token = connections.token(slot)
    let api = shared.api
    // Detached: a task of this actor's would work the answer out on the loop, while listeners wait.
    Task.detached {
      let response = await api.respond(to: request)
      await self.answer(token, response)
    }
  }

  private func answer(_ token: UInt32, _ response: APIResponse) {
    guard let slot = connections.slot(of: token),
      case .answering(let head) = connections[slot].state
    else { return }
    switch response {
    case .whole(let status, let mediaType, let body, let fields):
      reply(slot, to: head, status: status, mediaType: mediaType, body: body, fields: fields)
    case .events(let filter, let after):
      watch(slot, head, filter, after: after)
    }
    keepTicking()
  }
}
