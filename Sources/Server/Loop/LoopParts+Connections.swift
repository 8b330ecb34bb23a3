import Reactor
import Timeshift
import Wire

// A connection's life: `ConnectionRow` says what becomes of it, and here it is done.
extension LoopParts {
  func inputEnded(_ slot: UInt32) {
    connections[slot].isInputEnded = true
    act(connections.table.row(slot).inputEnd, on: slot)
  }

  func act(_ act: ConnectionRow.Act, on slot: UInt32) {
    switch act {
    case .wait: break
    case .close(let reason): connections.close(slot, reason)
    case .answerTimeout:
      answers.reply(
        slot, to: nil, status: 408, mediaType: ErrorBody.mediaType,
        body: ErrorBody.json(
          code: "timeout", message: "the request did not come in time; send it at once"))
    case .answerUnavailable: answerUnavailable(slot)
    case .shakeHands: if front.shakeHands(slot) { front.readable(slot) }
    case .abandonHandshake:
      front.handshakeAbandoned()
      connections.close(slot, .clientGone)
    case .sendReply:
      let token = connections.token(slot)
      answers.continueReply(slot)
      if connections.slot(of: token) != nil { proceed(slot) }
    case .endReply(let reason): answers.endBody(slot, reason)
    case .serve(let shard, let index): listeners.goOn(slot, shard, index)
    case .endListener(let reason): shards.endAtBoundary(slot, reason)
    case .sendEvents: watchers.continueWatch(slot)
    case .sayEnd: connections.sayEnd(slot)
    case .readNoMore: connections.watchAgain(slot)
    case .listenOn: listeners.inputEnded(slot)
    case .hurryJoin:
      listeners.hurry(slot)
      connections.watchAgain(slot)
    case .hurryAnswer:
      // The disk is not read for long for a client that has most likely gone.
      if connections[slot].work != nil {
        connections[slot].deadline = loop.turnTime + Listeners.hurryNanoseconds
      }
      connections.watchAgain(slot)
    case .hurryReply:
      // The client may have gone altogether, so no pause is waited for.
      connections[slot].deadline = min(
        connections[slot].deadline, loop.turnTime + answers.replyNanoseconds)
      connections.watchAgain(slot)
    }
  }

  /// An answer that comes later is dropped, and the connection is closed.
  private func answerUnavailable(_ slot: UInt32) {
    guard case .answering(var last, _) = connections[slot].state else { return }
    last.fields.set("Connection", "close")
    answers.replyUnavailable(slot, to: last, "there is no answer in time; ask again later")
  }

  /// Gives back all that a connection can have taken, in this order.
  func leave(_ slot: UInt32, _ reason: EndReason) {
    switch connections.table.row(slot).leave {
    case .nothing: break
    case .hello: front.handshakeAbandoned()
    case .handshake: front.handshakeEnded(slot)
    case .reply: answers.leaveBody(slot)
    case .queue: listeners.leaveQueue(slot)
    case .shard: listeners.leaveShard(slot, reason)
    case .watch: watchers.leaveWatch(slot)
    }
    connections[slot].work?.cancel()
    connections[slot].work = nil
    files.leaveFile(slot, reason)
    clips.leaveClip(slot)
    taps.leaveTap(slot)
    connections.giveBackTicket(slot)
    connections.finishRequest(slot)
  }

  /// Once a second: handles connections whose time for their state is up.
  func sweep(now: Int64) {
    for index in connections.table.places.indices
    where connections.table.places[index].deadline <= now {
      let slot = UInt32(index)
      act(connections.table.row(slot).deadline, on: slot)
    }
  }

  /// Puts off by the time of a standstill what had to happen during it. What lasts for a stated time, as a listening
  /// time or the drain, is not put off.
  func stoodStill(for nanoseconds: Int64) {
    for slot in connections.slots { bearWith(slot, nanoseconds) }
    for case let shard? in shards.all { shard.stoodStill(for: nanoseconds) }
    shards.fanout.sidecars.bear(nanoseconds)
    clips.bear(nanoseconds)
    hls.bear(nanoseconds)
    front.handshakes.bear(nanoseconds)
  }

  private func bearWith(_ slot: UInt32, _ nanoseconds: Int64) {
    guard connections.table.row(slot).isPutOff else { return }
    if case .watching(let watch) = connections[slot].state { watch.bear(nanoseconds) }
    if case .replying(var reply) = connections[slot].state {
      reply.bear(nanoseconds)
      connections[slot].state = .replying(reply)
    }
    let deadline = connections[slot].deadline.saturatingAdd(nanoseconds)
    connections[slot].deadline = max(deadline, loop.turnTime + Self.graceNanoseconds)
  }

  /// A loop can only guess when its standstill began. So every deadline is at least this far ahead afterwards.
  private static let graceNanoseconds: Int64 = 5_000_000_000
}
