import Reactor
import Wire

// What the access log is told: one record for each request, when its answer has ended.
extension LoopServer {
  /// A request has come; `head` is nil for what was none.
  func noteRequest(_ slot: UInt32, _ head: HTTPRequestHead?) {
    guard let records = shared.configuration.requests, records.isOn else { return }
    let origin = head.map { client(slot, $0) } ?? connections[slot].origin
    connections[slot].note = RequestNote(head, from: origin, at: loop.turnTime)
  }

  /// Its answer is out, or there will be none.
  func finishRequest(_ slot: UInt32) {
    leaveClip(slot)
    guard let note = connections[slot].note else { return }
    connections[slot].note = nil
    finished.append(note.finished(at: loop.turnTime))
  }

  func reportRequests() {
    if finished.isEmpty { return }
    shared.configuration.requests?.take(finished)
    finished.removeAll(keepingCapacity: finished.count < 1000)
  }
}
