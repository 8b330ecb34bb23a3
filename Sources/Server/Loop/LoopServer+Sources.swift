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
    connections[slot].state = .answering(head, ahead: ahead)
    stopReading(slot)
    ask(slot, head, [])
  }

  /// The connection is the server's no longer.
  func handOver(_ slot: UInt32, _ takeover: Takeover) {
    guard case .answering(_, let ahead) = connections[slot].state, !isDraining else {
      return close(slot, .draining)
    }
    // A new connection takes a greeting at once; one that does not is broken.
    guard case .bytes(takeover.greeting.count) = write(slot, takeover.greeting[...]) else {
      return close(slot, .clientGone)
    }
    connections[slot].note?.status = 200
    finishRequest(slot)
    let fd = connections[slot].fd
    loop.remove(fd)
    connections.remove(slot)
    takeover.take(DetachedSocket(fd), ahead)
  }
}
