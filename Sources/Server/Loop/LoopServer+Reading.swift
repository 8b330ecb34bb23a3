import Reactor
import Wire

// What comes from clients, and that nothing more comes.
extension LoopServer {
  func readable(_ slot: UInt32) {
    if connections[slot].isGreeting, !greet(slot) { return }
    // A turn reads a bounded amount of any one connection.
    for _ in 0..<4 {
      switch receive(slot) {
      case .wouldBlock:
        if connections[slot].tls?.wantsWrite == true { readWhenWritable(slot) }
        return
      case .ended: return inputEnded(slot)
      case .bytes(let count):
        let token = connections.token(slot)
        take(slot, UnsafeRawBufferPointer(rebasing: input.bytes[..<count]))
        if connections.slot(of: token) == nil || connections[slot].isReadHeld || isSource(slot) {
          return
        }
        // What is encrypted comes by records.
        if count < input.bytes.count, connections[slot].tls == nil { return }
      }
    }
  }

  /// What it sends stays in the kernel until somebody takes its connection over: only so much is kept here.
  private func isSource(_ slot: UInt32) -> Bool {
    guard case .answering(let head, _) = connections[slot].state else { return false }
    return Routes.isSource(head)
  }

  /// There is room for a whole record, so that nothing is left over which the kernel does not tell of.
  private func receive(_ slot: UInt32) -> Transferred {
    if let stream = connections[slot].tls {
      // What still comes is of no interest.
      if case .lingering = connections[slot].state {
        return Socket.receive(connections[slot].fd, into: input.bytes)
      }
      return stream.receive(into: input.bytes)
    }
    return Socket.receive(connections[slot].fd, into: input.bytes)
  }

  /// The client sends no more. A listener may have closed only its sending half: that is not its end, except of one that
  /// is held, since nothing is sent to it that would show whether it is still there. The kernel reports readability again
  /// and again, so it is not watched any more.
  private func inputEnded(_ slot: UInt32) {
    connections[slot].isInputEnded = true
    switch connections[slot].state {
    case .listening where fanout.isHeld(slot): end(slot, .clientGone)
    case .joining:
      hurry(slot)
      watchAgain(slot)
    case .answering:
      // The disk is not read for long for somebody who has most likely gone.
      if connections[slot].work != nil {
        connections[slot].deadline = loop.turnTime + Self.hurryNanoseconds
      }
      watchAgain(slot)
    case .replying:
      // It may have gone altogether: a pause is not waited for.
      connections[slot].deadline = min(
        connections[slot].deadline, loop.turnTime + replyNanoseconds)
      watchAgain(slot)
    case .listening:
      silent.insert(slot)
      watchAgain(slot)
    case .watching: watchAgain(slot)
    case .free: break
    // What it has not been sent yet it still may read.
    case .lingering where connections[slot].isBlocked: watchAgain(slot)
    case .shakingHands, .reading, .readingBody, .lingering: end(slot, .clientGone)
    }
  }
}

/// Where a loop reads to: one buffer for all its connections.
final class InputBuffer {
  let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 * 1024, alignment: 16)
  deinit { bytes.deallocate() }
}
