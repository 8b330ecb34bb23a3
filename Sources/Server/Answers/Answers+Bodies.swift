import Glibc
import Reactor
import Timeshift
import Wire

// Bodies of answers while they are sent: in turns, out of the prompt share of a slot, or as they play.
extension Answers {
  /// Returns the body that the connection is sent; nil when there is none.
  func sending(_ slot: UInt32) -> Sending? {
    guard case .replying(let reply) = connections[slot].state else { return nil }
    return reply.sending
  }

  /// Makes a sending for a body.
  ///
  /// - Parameter patience: see `Sending.patience`.
  func makeSending(
    _ body: any Body, for customer: AddressBlock?, patience: Int64?
  ) -> Sending {
    sendings.begun += 1
    return Sending(
      sendings.begun, body, for: customer, patience: patience, now: loop.turnTime)
  }

  /// Once a slot: serves connections that wait for a turn, as far as the share goes, before any other may use it.
  func serveTurns() {
    prompt.refill()
    while let token = prompt.next() {
      guard let slot = connections.slot(of: token) else { continue }
      sending(slot)?.isInTurn = false
      resume(token, slot)
    }
  }

  /// Once a slot: serves connections that the disk, their pace or their play point has kept waiting.
  func serveDue(now: Int64) {
    while let token = sendings.due.popDue(now: now) {
      if let slot = connections.slot(of: token), !connections[slot].isBlocked {
        resume(token, slot)
      }
    }
  }

  private func resume(_ token: UInt64, _ slot: UInt32) {
    continueReply(slot)
    if connections.slot(of: token) != nil { connections.owner.proceed(slot) }
  }

  /// Sends the next piece of a body; true when that was the last.
  func continueBody(_ slot: UInt32, _ sending: Sending) -> Bool {
    let (body, now) = (sending.body, loop.turnTime)
    let wantsShare = body.wantsShare(now: now)
    let isPrompt = wantsShare && !sending.isInTurn && prompt.hasLeft
    if wantsShare, !isPrompt { standInLine(slot, sending) }
    // Encrypted pieces go through the scratch memory.
    let limit =
      connections[slot].tls == nil
      ? Sendings.pieceBytes : min(Sendings.pieceBytes, scratch.bytes.count)
    switch body.next(limit: limit, scratch: scratch.bytes, isPrompt: isPrompt, now: now) {
    case .bytes(let bytes):
      wrote(slot, sending, connections.write(slot, bytes), of: bytes.count, isPrompt)
    case .file(let descriptor, let offset, let count):
      let written = sendFile(slot, descriptor, at: offset, count: count)
      wrote(slot, sending, written, of: count, isPrompt)
    case .wait(let due):
      connections[slot].deadline = patience(slot, sending)
      connections.setBlocked(slot, false)
      // Nothing changes in this slot.
      sendings.due.set(connections.token(slot), deadline: max(due, now + 1))
    case .turn:
      // The server keeps the client waiting, not the client the server.
      connections[slot].deadline =
        connections[slot].isInputEnded ? patience(slot, sending) : .max
      connections.setBlocked(slot, false)
    case .lost where body.hasLength: endBody(slot, .fileEnded)
    case .lost: connections.reset(slot, .fileEnded)
    case .out: return true
    }
    if body.isOut { return true }
    runErrand(of: body, sending.number, slot)
    return false
  }

  /// Puts a connection in line for a turn: others come first.
  private func standInLine(_ slot: UInt32, _ sending: Sending) {
    if sending.isInTurn { return }
    sending.isInTurn = true
    prompt.wait(connections.token(slot), for: sending.customer)
  }

  private func runErrand<B: Body>(of body: B, _ number: UInt64, _ slot: UInt32) {
    guard sending(slot)?.number == number, let errand = body.nextErrand(now: loop.turnTime) else {
      return
    }
    connections[slot].work = connections.offLoop(slot, errand) { [self] slot, news in
      guard let slot, let sending = sending(slot), sending.number == number,
        let body = sending.body as? B
      else { return }
      connections[slot].work = nil
      body.learn(news)
    }
  }

  private func wrote(
    _ slot: UInt32, _ sending: Sending, _ written: Transferred, of wanted: Int, _ isPrompt: Bool
  ) {
    switch written {
    case .ended: connections.end(slot, .clientGone)
    case .wouldBlock:
      sending.body.took(0, isAll: false, now: loop.turnTime)
      connections.setBlocked(slot, true)
    // The file is shorter than it was: bytes that were promised are not there.
    case .bytes(0): endBody(slot, .fileEnded)
    case .bytes(let count):
      sending.body.took(count, isAll: count == wanted, now: loop.turnTime)
      sending.bytes += UInt64(count)
      sendings.bytes += UInt64(count)
      if isPrompt { prompt.spend(count) }
      connections[slot].deadline = patience(slot, sending)
      // Also after a full write: the others come first, then the loop finds the socket writable.
      connections.setBlocked(slot, true)
    }
  }

  /// Returns until when the socket may take nothing: as long as a listener's socket may.
  private func patience(_ slot: UInt32, _ sending: Sending) -> Int64 {
    // A client that has closed its sending half may have gone, which nothing would show.
    if connections[slot].isInputEnded { return loop.turnTime + replyNanoseconds }
    return sending.patience.map { loop.turnTime.saturatingAdd($0) } ?? .max
  }

  /// Sends from the page cache to the socket, without a copy in between unless the connection is encrypted.
  private func sendFile(
    _ slot: UInt32, _ descriptor: Int32, at offset: UInt64, count: Int
  ) -> Transferred {
    if connections[slot].tls != nil {
      let piece = UnsafeMutableRawBufferPointer(rebasing: scratch.bytes[..<count])
      let got = pread(descriptor, piece.baseAddress, count, off_t(offset))
      if got < 0 { return .ended }
      return got == 0
        ? .bytes(0) : connections.write(slot, UnsafeRawBufferPointer(rebasing: piece[..<got]))
    }
    let written = Socket.sendFile(connections[slot].fd, descriptor, at: offset, count: count)
    if case .bytes(let sent) = written { connections[slot].note?.bytes += UInt64(sent) }
    return written
  }

  /// Ends an answer short of its length, so that the client notices.
  func endBody(_ slot: UInt32, _ reason: EndReason) {
    connections.owner.leave(slot, reason)
    connections.linger(slot)
  }

  /// Forgets a connection's body, if it has one, which is sent no more.
  func leaveBody(_ slot: UInt32) {
    guard let sending = sending(slot) else { return }
    let token = connections.token(slot)
    if sending.isInTurn { prompt.leave(token, of: sending.customer) }
    sending.isInTurn = false
    sendings.due.cancel(token)
    sendings.slots.remove(slot)
  }

  /// Once a second: closes connections that hold places for nothing, when few places are left for others.
  func attendSlowReaders(now: Int64) {
    if sendings.slots.isEmpty { return }
    let isCrowded = shared.isCrowded
    let isCrowdedWithFiles = isCrowded || shared.files.isCrowded
    for slot in sendings.slots {
      guard let sending = sending(slot) else { continue }
      sending.reading.look(at: sending.body.cursor, now: now)
      let mayGo = connections[slot].file == nil ? isCrowded : isCrowdedWithFiles
      if mayGo, sending.reading.isTooSlow { connections.close(slot, .pauseTimeout) }
    }
  }
}
