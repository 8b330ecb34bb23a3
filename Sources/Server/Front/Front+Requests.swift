import Reactor
import Timeshift
import Wire

// From the first byte of a request to the decision which part answers it.
extension Front {
  /// Receives bytes from a client: part of a request, the next request ahead of its time, or unwanted input.
  func receive(_ slot: UInt32, _ input: UnsafeRawBufferPointer) {
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
      // Bounded as in a reply: more than that ends the connection behind the answer.
      if ahead.count <= Reply.aheadBytesMax { ahead.append(contentsOf: input) }
      connections[slot].state = .answering(head, ahead: ahead)
    case .replying(var reply):
      connections[slot].state = .free
      reply.receive(input)
      connections[slot].state = .replying(reply)
    case .free, .shakingHands, .joining, .listening, .watching, .lingering: break
    }
  }

  private var headDeadline: Int64 { deadline(in: shared.configuration.headTimeout) }

  private func deadline(in seconds: Double) -> Int64 {
    loop.turnTime + Int64(nanosecondsIn: seconds)
  }

  /// Returns until when an answer that is worked out elsewhere must be there. The administration's own socket waits
  /// without limit.
  private func answerDeadline(_ slot: UInt32) -> Int64 {
    guard case .tcp = connections[slot].origin else { return .max }
    return deadline(in: shared.configuration.answerTimeout)
  }

  /// Reads a request's head and begins the answer. False when there is not enough yet.
  func readHead(_ slot: UInt32, _ bytes: [UInt8]) -> Bool {
    do {
      if connections[slot].awaitsProxyHeader { return try readProxyHeader(slot, bytes) }
      if connections[slot].isLogin { return readLogin(slot, bytes) }
      guard let (head, length) = try HTTPRequestParser.parse(bytes.span) else {
        connections[slot].state = .reading(bytes)
        return false
      }
      connections[slot].deadline = deadline(in: shared.configuration.bodyTimeout)
      connections.noteRequest(slot, head)
      if connections.isDraining {
        answers.replyUnavailable(slot, to: head, "the server is stopping")
        return true
      }
      if admission.refuseBanned(slot, head) || answerChallenge(slot, head)
        || refuseClear(slot, head)
      {
        return true
      }
      let rest = Array(bytes[length...])
      if Routes.isSource(head) {
        askForSource(slot, head, ahead: rest)
      } else {
        begin(slot, RequestBody(head), rest)
      }
    } catch {
      refuseMalformed(slot, error)
    }
    return true
  }

  /// Answers a certificate authority's challenge before the redirect to https, since authorities ask in clear. Requests
  /// for unknown challenges are limited per address and in threads. True when the request is a challenge.
  private func answerChallenge(_ slot: UInt32, _ head: HTTPRequestHead) -> Bool {
    guard let challenges, let token = ChallengePath.token(of: head) else { return false }
    // What stands behind the head is not read.
    var last = head
    last.fields.set("Connection", "close")
    connections[slot].isHTTP11 = head.version == .http11
    connections[slot].deadline = answerDeadline(slot)
    connections[slot].state = .answering(last, ahead: [])
    connections.setRoute(.challenge, of: slot)
    let place: MemoryRoom.Place
    do throws(MemoryRoom.Refusal) {
      place = try shared.challengeRoom.reserve(
        MemoryRoom.challengeBytes, for: AddressBlock(connections.client(slot, head)))
    } catch {
      refuseChallenge(slot, last, error)
      return true
    }
    connections.answerOffLoop(slot) {
      let answer = await challenges.answer(to: token)
      withExtendedLifetime(place) {}
      return answer
    } then: { [answers] slot, head, answer in
      guard let answer else {
        return answers.replyError(
          slot, to: head, status: 404, code: "not-found",
          message: "there is no answer to this challenge")
      }
      answers.reply(slot, to: head, status: 200, mediaType: "text/plain", body: answer)
    }
    return true
  }

  private func refuseChallenge(
    _ slot: UInt32, _ head: HTTPRequestHead, _ refusal: MemoryRoom.Refusal
  ) {
    answers.refuse(
      slot, to: head, refusal, code: "too-many-challenges",
      full: "too many answers to challenges are being read; ask again",
      share:
        "your address asks for several answers to challenges at once; ask for one after the other")
  }

  /// Answers a request that cannot be understood. Nothing behind it can be understood either, so the connection ends.
  private func refuseMalformed(_ slot: UInt32, _ error: HTTPError) {
    let code =
      switch error.status {
      case 413: "too-large"
      case 429: "too-many-connections"
      default: "bad-request"
      }
    answers.reply(
      slot, to: nil, status: error.status, mediaType: ErrorBody.mediaType,
      body: ErrorBody.json(code: code, message: error.message))
  }

  /// Begins to read a body. A long body is read where one is wanted, and while there is room for it.
  private func begin(_ slot: UInt32, _ body: RequestBody, _ input: [UInt8]) {
    var body = body
    if body.mayBeLong {
      do throws(MemoryRoom.Refusal) {
        let customer = AddressBlock(connections.client(slot, body.head))
        try body.allow(upTo: shared.api.bodyBytesMax(of: body.head)) {
          (bytes) throws(MemoryRoom.Refusal) in try shared.bodyRoom.reserve(bytes, for: customer)
        }
      } catch {
        return refuseBody(slot, body.head, error)
      }
    }
    readBody(slot, body, input)
  }

  private func refuseBody(_ slot: UInt32, _ head: HTTPRequestHead, _ refusal: MemoryRoom.Refusal) {
    // The body is not read, and the next request would stand behind it.
    var last = head
    last.fields.set("Connection", "close")
    answers.refuse(
      slot, to: last, refusal, code: "too-many-bodies",
      full: "too many requests with long bodies are being sent; send it again",
      share: "your address has begun long bodies that it has not sent yet; finish them first")
  }

  private func readBody(_ slot: UInt32, _ body: RequestBody, _ input: [UInt8]) {
    var body = body
    do {
      try body.receive(input)
    } catch {
      return refuseMalformed(slot, error)
    }
    if body.isWhole { return route(slot, body) }
    // A client that misses this line sends its body all the same.
    if body.awaitsContinue { _ = connections.write(slot, Self.continueLine[...]) }
    connections[slot].state = .readingBody(body)
  }

  private static let continueLine = HTTPResponseHead(status: 100).bytes()

  private func route(_ slot: UInt32, _ request: RequestBody) {
    let head = request.head
    connections[slot].isHTTP11 = head.version == .http11
    connections[slot].deadline = answerDeadline(slot)
    connections[slot].state = .answering(head, ahead: request.rest)
    switch known.route(head, in: connections.mounts) {
    case .served(let found):
      connections.setRoute(route(of: found.row), of: slot)
      admission.consider(slot, head, found)
    case .options(let allow):
      connections.setRoute(.preflight, of: slot)
      answers.reply(
        slot, to: head, status: 204, mediaType: "", body: [], fields: CORS.preflight(allow: allow))
    case .methodNotAllowed(let allow):
      connections.setRoute(.unknown, of: slot)
      answers.replyError(
        slot, to: head, status: 405, code: "method-not-allowed",
        message: "\(head.method) is not possible here; use \(allow)",
        fields: [.init(name: "Allow", value: allow)])
    case .api: ask(slot, head, request.bytes, in: request.room)
    }
  }

  // MARK: The API

  /// Asks the API for an answer.
  ///
  /// - Parameter room: the reservation for the body's memory, held until the body is answered.
  func ask(
    _ slot: UInt32, _ head: HTTPRequestHead, _ body: [UInt8], in room: MemoryRoom.Place? = nil
  ) {
    let request = APIRequest(
      head: head, body: body, origin: connections.client(slot, head),
      base: connections.baseURL(slot, head), isEncrypted: connections.isEncrypted(slot, head))
    let api = shared.api
    connections.answerOffLoop(slot, endsWithConnection: api.endsWithClient(head)) {
      let response = await api.respond(to: request)
      withExtendedLifetime(room) {}
      return response.isLong(for: head) ? response : response.suiting(head)
    } then: { [self] in
      answer($0, $1, $2)
    }
  }

  func answer(_ slot: UInt32, _ head: HTTPRequestHead, _ response: APIResponse) {
    switch response {
    case .whole(let status, let mediaType, let body, let fields) where response.isLong(for: head):
      let order = PageOrder(status: status, mediaType: mediaType, fields: fields) { body }
      return answers.make(slot, head, order)
    case .made(let order): return answers.make(slot, head, order)
    case .pieces(let order): answers.send(slot, head, order)
    case .whole(let status, let mediaType, let body, let fields):
      answers.reply(
        slot, to: head, status: status, mediaType: mediaType, body: body, fields: fields)
    case .file(let order): files.openFile(slot, head, order)
    case .events(let filter, let after, let seconds):
      watchers.watch(slot, head, filter, after: after, for: seconds)
    case .takeover(let takeover): handOver(slot, takeover)
    }
  }

  // MARK: Sources that push

  /// Asks whether a source may come. Meanwhile the source's audio stays in the kernel.
  private func askForSource(_ slot: UInt32, _ head: HTTPRequestHead, ahead: [UInt8]) {
    var head = head
    // Behind a refusal, the source's audio would be taken for requests.
    head.fields.set("Connection", "close")
    connections[slot].isHTTP11 = head.version == .http11
    connections[slot].deadline = answerDeadline(slot)
    connections.setRoute(route(of: .push), of: slot)
    connections[slot].state = .answering(head, ahead: ahead)
    connections.setReadHeld(slot, true)
    ask(slot, head, [])
  }

  /// Reads a connection to the port of SHOUTcast's sources, from its first line on. False when there is not enough yet.
  private func readLogin(_ slot: UInt32, _ bytes: [UInt8]) -> Bool {
    guard let opening = ShoutcastLogin.open(bytes) else {
      connections[slot].state = .reading(bytes)
      return false
    }
    connections[slot].isLogin = false
    switch opening {
    case .http: connections[slot].state = .reading(bytes)
    case .login(let login, let length): askForLogin(slot, login, ahead: Array(bytes[length...]))
    case .probe: connections.close(slot, .clientGone)
    case .garbage:
      connections.noteRequest(slot, nil)
      connections.answered(slot, 400)
      connections.close(slot, .clientGone)
    }
    return true
  }

  private func askForLogin(_ slot: UInt32, _ login: ShoutcastLogin, ahead: [UInt8]) {
    // To the rest of the server, this is a source like any other.
    let head = HTTPRequestHead(method: "SOURCE", target: "/", path: "/", version: .http10)
    connections[slot].deadline = answerDeadline(slot)
    connections.noteRequest(slot, head)
    connections.setRoute(route(of: .push), of: slot)
    connections[slot].state = .answering(head, ahead: ahead)
    connections.setReadHeld(slot, true)
    let origin = connections[slot].origin
    if shared.gate.isBanned(origin) {
      connections.counts.refuse(.banned)
      connections.answered(slot, 403)
      return connections.close(slot, .banned)
    }
    let api = shared.api
    connections.answerOffLoop(slot, endsWithConnection: false) {
      await api.respond(to: login, from: origin)
    } then: { [self] slot, head, response in
      guard case .whole(let status, _, let text, _) = response else {
        return answer(slot, head, response)
      }
      answers.send(slot, text, status: status, keepsAlive: false)
    }
  }

  /// Hands a connection over: from then on it is no longer the server's.
  private func handOver(_ slot: UInt32, _ takeover: Takeover) {
    guard case .answering(_, let ahead) = connections[slot].state, !connections.isDraining else {
      return connections.close(slot, .draining)
    }
    // A new connection takes a greeting at once; one that does not is broken.
    let stream = connections[slot].tls
    guard case .bytes(takeover.greeting.count) = connections.write(slot, takeover.greeting[...]),
      stream?.hasUnsent != true
    else {
      return connections.close(slot, .clientGone)
    }
    connections.answered(slot, 200)
    if let path = takeover.path { connections[slot].note?.line?.target = path }
    connections.finishRequest(slot)
    let fd = connections[slot].fd
    loop.remove(fd)
    connections.forget(slot)
    takeover.accept(DetachedSocket(fd, tls: stream), ahead)
  }
}
