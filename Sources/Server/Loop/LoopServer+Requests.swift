import Glibc
import Reactor
import Timeshift
import Wire

// From the first byte of a request to the decision who answers it.
extension LoopServer {
  /// Bytes from a client: part of a request, the next one ahead of its time, or input nobody asked for.
  func take(_ slot: UInt32, _ input: UnsafeRawBufferPointer) {
    switch connections[slot].state {
    case .reading(var head):
      connections[slot].state = .free
      if head.isEmpty {
        connections[slot].deadline = min(connections[slot].deadline, headDeadline)
      }
      head.append(contentsOf: input)
      connections[slot].state = .reading(head)
      proceed(slot)
    case .readingBody(let body):
      connections[slot].state = .free
      readBody(slot, body, Array(input))
      proceed(slot)
    case .answering(let head, var ahead):
      connections[slot].state = .free
      // Bounded as a reply bounds it; more than that ends the connection behind the answer.
      if ahead.count <= Reply.aheadBytesMax { ahead.append(contentsOf: input) }
      connections[slot].state = .answering(head, ahead: ahead)
    case .replying(var reply):
      connections[slot].state = .free
      reply.take(input)
      connections[slot].state = .replying(reply)
    case .free, .shakingHands, .joining, .listening, .watching, .lingering: break
    }
  }

  private var headDeadline: Int64 { deadline(in: shared.configuration.headTimeout) }

  private func deadline(in seconds: Double) -> Int64 {
    loop.turnTime + Int64(nanosecondsIn: seconds)
  }

  /// Until when an answer that others work out has to be there. The administration waits for its own.
  func answerDeadline(_ slot: UInt32) -> Int64 {
    guard case .tcp = connections[slot].origin else { return .max }
    return deadline(in: shared.configuration.answerTimeout)
  }

  /// Requests of one connection in one turn: some are answered here, and listeners wait meanwhile.
  private static let requestsMax = 8
  static let goOnTimer: UInt32 = 1

  /// Answers the requests that are here, one after the other.
  func proceed(_ slot: UInt32) {
    let token = connections.token(slot)
    var left = Self.requestsMax
    while connections.slot(of: token) != nil,
      case .reading(let bytes) = connections[slot].state, !bytes.isEmpty
    {
      if left == 0 { return putOff(slot) }
      left -= 1
      connections[slot].state = .free
      if !readHead(slot, bytes) { break }
    }
    if connections.slot(of: token) != nil, connections[slot].isInputEnded,
      case .reading = connections[slot].state
    {
      end(slot, .clientGone)
    }
  }

  /// The others come first. Meanwhile nothing more is read of it.
  private func putOff(_ slot: UInt32) {
    setReadHeld(slot, true)
    putOff.append(connections.token(slot))
    loop.setTimer(handlerID, token: Self.goOnTimer, after: 0)
  }

  /// Called by the loop, a turn later.
  func goOn() {
    let tokens = putOff
    putOff.removeAll(keepingCapacity: true)
    for token in tokens {
      guard let slot = connections.slot(of: token) else { continue }
      setReadHeld(slot, false)
      proceed(slot)
    }
    keepTicking()
  }

  /// False: there is not enough yet.
  private func readHead(_ slot: UInt32, _ bytes: [UInt8]) -> Bool {
    do {
      if connections[slot].awaitsProxyHeader { return try readProxyHeader(slot, bytes) }
      if connections[slot].isLogin { return readLogin(slot, bytes) }
      guard let (head, length) = try HTTPRequestParser.parse(bytes.span) else {
        connections[slot].state = .reading(bytes)
        return false
      }
      connections[slot].deadline = deadline(in: shared.configuration.bodyTimeout)
      noteRequest(slot, head)
      if refuseBanned(slot, head) || refuseClear(slot, head) { return true }
      let rest = Array(bytes[length...])
      if Routes.isSource(head) {
        askForSource(slot, head, ahead: rest)
      } else {
        begin(slot, RequestBody(head), rest)
      }
    } catch {
      refuse(slot, error)
    }
    return true
  }

  /// Behind a request that cannot be understood nothing can be.
  private func refuse(_ slot: UInt32, _ error: HTTPError) {
    let code =
      switch error.status {
      case 413: "too-large"
      case 429: "too-many-connections"
      default: "bad-request"
      }
    reply(
      slot, to: nil, status: error.status, mediaType: ErrorBody.mediaType,
      body: ErrorBody.json(code: code, message: error.message))
  }

  /// A long one is read where one is wanted, and while there is room for it.
  private func begin(_ slot: UInt32, _ body: RequestBody, _ input: [UInt8]) {
    var body = body
    if body.mayBeLong {
      do throws(MemoryRoom.Refusal) {
        let customer = AddressBlock(client(slot, body.head))
        try body.allow(upTo: shared.api.bodyBytesMax(of: body.head)) {
          (bytes) throws(MemoryRoom.Refusal) in try shared.bodyRoom.take(bytes, for: customer)
        }
      } catch {
        return refuseBody(slot, body.head, error)
      }
    }
    readBody(slot, body, input)
  }

  private func refuseBody(_ slot: UInt32, _ head: HTTPRequestHead, _ refusal: MemoryRoom.Refusal) {
    // The next request would stand behind the body.
    var last = head
    last.fields.set("Connection", "close")
    refuse(
      slot, to: last, refusal, code: "too-many-bodies",
      full: "too many requests with long bodies are being sent; send it again",
      share: "your address has begun long bodies that it has not sent yet; finish them first")
  }

  private func readBody(_ slot: UInt32, _ body: RequestBody, _ input: [UInt8]) {
    var body = body
    do {
      try body.take(input)
    } catch {
      return refuse(slot, error)
    }
    if body.isWhole { return route(slot, body) }
    // A client that does not hear it sends its body all the same.
    if body.awaitsContinue { _ = write(slot, Self.goOn[...]) }
    connections[slot].state = .readingBody(body)
  }

  private static let goOn = HTTPResponseHead(status: 100).bytes()

  private func route(_ slot: UInt32, _ request: RequestBody) {
    let head = request.head
    connections[slot].isHTTP11 = head.version == .http11
    connections[slot].deadline = answerDeadline(slot)
    connections[slot].state = .answering(head, ahead: request.rest)
    switch Routes.route(head, in: table) {
    case .stream(let mount):
      receive(slot, head, at: mount) { () throws(StreamRequest.Refusal) in
        .stream(try StreamRequest(head, now: Moment.now().wall, in: mount.timeZone))
      }
    case .playlist(let mount, let kind):
      if mount.files == nil {
        playlist(slot, head, mount, kind)
      } else {
        // Names are told to those who may listen, and to nobody else.
        receive(slot, head, at: mount) { () throws(StreamRequest.Refusal) in .fileList(kind) }
      }
    case .file(let mount, let path):
      receive(slot, head, at: mount) { () throws(StreamRequest.Refusal) in
        .file(try FileRequest(path, head.query))
      }
    case .clip(let mount):
      receive(slot, head, at: mount) { () throws(StreamRequest.Refusal) in
        .clip(try ClipRequest(head.query, now: Moment.now().wall, in: mount.timeZone))
      }
    case .options(let allow):
      reply(
        slot, to: head, status: 204, mediaType: "", body: [], fields: CORS.preflight(allow: allow))
    case .methodNotAllowed(let allow):
      replyError(
        slot, to: head, status: 405, code: "method-not-allowed",
        message: "\(head.method) is not possible here; use \(allow)",
        fields: [.init(name: "Allow", value: allow)])
    case .api: ask(slot, head, request.bytes, in: request.room)
    }
  }

  private func playlist(
    _ slot: UInt32, _ head: HTTPRequestHead, _ mount: Mount, _ kind: MountTable.PlaylistKind
  ) {
    let url = baseURL(slot, head) + "/" + mount.station + Self.carried(head)
    let name = mount.description.name.isEmpty ? mount.station : mount.description.name
    let order = Self.page(mount, kind, key: nil) { [Playlist.Track(url: url, title: name)] }
    var page = Representation(
      status: 200, mediaType: order.mediaType, body: order.body(), fields: order.fields)
    page.suit(head)
    reply(slot, head, page)
  }

  /// The query as a playlist's entries have it, each: so it is a short one, or none.
  nonisolated static func carried(_ head: HTTPRequestHead) -> String {
    let query = head.query.raw
    return query.isEmpty || query.utf8.count > carriedBytesMax ? "" : "?" + query
  }

  /// Longer than any that says something to us: a token, a session, a moment.
  private nonisolated static let carriedBytesMax = 256

  /// A playlist of a station.
  nonisolated static func page(
    _ mount: Mount, _ kind: MountTable.PlaylistKind, key: String?,
    _ tracks: @escaping @Sendable () -> [Playlist.Track]
  ) -> PageOrder {
    let name = mount.description.name.isEmpty ? mount.station : mount.description.name
    return PageOrder(
      key: key, mediaType: kind.mediaType,
      fields: [
        CacheControl.revalidate,
        .init(
          name: "Content-Disposition",
          value: "inline; filename=\"\(mount.station).\(kind.rawValue)\""),
      ]
    ) {
      let bytesMax = PageOrder.bytesMax
      let text =
        switch kind {
        case .m3u: Playlist.m3u(tracks(), bytesMax: bytesMax)
        case .pls: Playlist.pls(tracks(), bytesMax: bytesMax)
        case .xspf: Playlist.xspf(tracks(), title: name, bytesMax: bytesMax)
        case .asx: Playlist.asx(tracks(), title: name, bytesMax: bytesMax)
        }
      return Array(text.utf8)
    }
  }

  func reply(_ slot: UInt32, _ head: HTTPRequestHead, _ page: Representation) {
    reply(
      slot, to: head, status: page.status, mediaType: page.mediaType, body: page.body,
      fields: page.fields, of: page.shared)
  }

  /// Scheme, host and port that the client can reach us by.
  func baseURL(_ slot: UInt32, _ head: HTTPRequestHead) -> String {
    if let publicURL { return publicURL }
    let scheme = connections[slot].tls == nil ? "http" : "https"
    if case .tcp(let peer) = connections[slot].origin,
      let base = ForwardedAddress.base(
        of: head.fields, peer: peer, trusted: trustedProxies, scheme: scheme)
    {
      return base
    }
    if let host = head.host, !host.isEmpty { return "\(scheme)://\(host)" }
    return "\(scheme)://"
      + (Socket.localAddress(of: connections[slot].fd)?.description ?? "localhost")
  }

  /// Who asks: the other end of the socket, or whom a trusted proxy speaks for.
  func client(_ slot: UInt32, _ head: HTTPRequestHead) -> APIRequest.Origin {
    guard case .tcp(let peer) = connections[slot].origin else { return .unixSocket }
    return .tcp(
      ForwardedAddress.client(
        of: head.fields, peer: peer, trusted: trustedProxies))
  }

  // MARK: The API

  /// - Parameter room: what the body takes until it is answered.
  func ask(
    _ slot: UInt32, _ head: HTTPRequestHead, _ body: [UInt8], in room: MemoryRoom.Place? = nil
  ) {
    let request = APIRequest(
      head: head, body: body, origin: client(slot, head), base: baseURL(slot, head))
    let token = connections.token(slot)
    let api = shared.api
    // Detached: a task of this actor's would work the answer out on the loop, while listeners wait.
    Task.detached {
      let response = await api.respond(to: request)
      withExtendedLifetime(room) {}
      await self.answer(token, response.isLong ? response : response.suiting(head))
    }
  }

  func answer(_ token: UInt64, _ response: APIResponse) {
    guard let slot = connections.slot(of: token),
      case .answering(let head, _) = connections[slot].state
    else { return }
    switch response {
    case .whole(let status, let mediaType, let body, let fields) where response.isLong:
      let order = PageOrder(status: status, mediaType: mediaType, fields: fields) { body }
      return make(slot, head, order)
    case .made(let order): return make(slot, head, order)
    case .whole(let status, let mediaType, let body, let fields):
      reply(slot, to: head, status: status, mediaType: mediaType, body: body, fields: fields)
    case .events(let filter, let after):
      watch(slot, head, filter, after: after)
    case .takeover(let takeover): handOver(slot, takeover)
    }
    if connections.slot(of: token) != nil { proceed(slot) }
    keepTicking()
  }
}
