import Reactor
import Wire

// Sources that push: only their request is the server's affair.
extension LoopServer {
  /// Asks whether the source may come. Meanwhile its audio stays in the kernel.
  func askForSource(_ slot: UInt32, _ head: HTTPRequestHead, ahead: [UInt8]) {
    var head = head
    // Behind a refusal its audio would be taken for requests.
    head.fields.set("Connection", "close")
    connections[slot].isHTTP11 = head.version == .http11
    connections[slot].deadline = answerDeadline(slot)
    connections[slot].state = .answering(head, ahead: ahead)
    setReadHeld(slot, true)
    ask(slot, head, [])
  }

  /// A connection to the port of SHOUTcast's sources, from its first line on. False: there is not enough yet.
  func readLogin(_ slot: UInt32, _ bytes: [UInt8]) -> Bool {
    guard let opening = ShoutcastLogin.open(bytes) else {
      connections[slot].state = .reading(bytes)
      return false
    }
    connections[slot].isLogin = false
    switch opening {
    case .http: connections[slot].state = .reading(bytes)
    case .login(let login, let length): ask(slot, login, ahead: Array(bytes[length...]))
    case .probe: close(slot, .clientGone)
    case .garbage:
      noteRequest(slot, nil)
      connections[slot].note?.status = 400
      close(slot, .clientGone)
    }
    return true
  }

  private func ask(_ slot: UInt32, _ login: ShoutcastLogin, ahead: [UInt8]) {
    // To the rest of the server it is a source like any other.
    let head = HTTPRequestHead(method: "SOURCE", target: "/", path: "/", version: .http10)
    connections[slot].deadline = answerDeadline(slot)
    noteRequest(slot, head)
    connections[slot].state = .answering(head, ahead: ahead)
    setReadHeld(slot, true)
    let (token, origin) = (connections.token(slot), connections[slot].origin)
    if shared.gate.isBanned(origin) {
      counts.refused += 1
      connections[slot].note?.status = 403
      return close(slot, .banned)
    }
    let api = shared.api
    Task.detached {
      let response = await api.respond(to: login, from: origin)
      await self.answer(token, login: response)
    }
  }

  private func answer(_ token: UInt64, login response: APIResponse) {
    guard case .whole(let status, _, let text, _) = response else {
      return answer(token, response)
    }
    guard let slot = connections.slot(of: token) else { return }
    send(slot, text, status: status, keepsAlive: false)
    keepTicking()
  }

  /// The connection is the server's no longer.
  func handOver(_ slot: UInt32, _ takeover: Takeover) {
    guard case .answering(_, let ahead) = connections[slot].state, !isDraining else {
      return close(slot, .draining)
    }
    // A new connection takes a greeting at once; one that does not is broken.
    let stream = connections[slot].tls
    guard case .bytes(takeover.greeting.count) = write(slot, takeover.greeting[...]),
      stream?.hasUnsent != true
    else {
      return close(slot, .clientGone)
    }
    connections[slot].note?.status = 200
    if let path = takeover.path { connections[slot].note?.line?.target = path }
    finishRequest(slot)
    let fd = connections[slot].fd
    loop.remove(fd)
    forget(slot)
    takeover.take(DetachedSocket(fd, tls: stream), ahead)
  }
}
