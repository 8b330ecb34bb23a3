import Glibc
import Reactor
import Timeshift
import Wire

// Answers that have an end, and the end of connections.
extension LoopServer {
  /// - Parameters:
  ///   - head: of the request; nil when it could not be understood, which ends the connection.
  ///   - page: what others may take as well.
  func reply(
    _ slot: UInt32, to head: HTTPRequestHead?, status: Int, mediaType: String, body: [UInt8],
    fields extra: [HTTPFields.Field] = [], of page: MemoryRoom.SharedPage? = nil
  ) {
    let keepsAlive = head?.keepsAlive == true && !isDraining
    // 204 and 304 have neither body nor type (RFC 9110, section 15).
    let hasBody = status != 204 && status != 304
    var room: MemoryRoom.Place?
    if let head, hasBody, body.count >= MemoryRoom.answerBytesMin, head.method != "HEAD" {
      do throws(MemoryRoom.Refusal) {
        let customer = AddressBlock(client(slot, head))
        room = try shared.answerRoom.take(body.count, for: customer, of: page)
      } catch {
        return refuseLong(slot, head, error)
      }
    }
    let answer = answerHead(
      slot, to: head, status: status, mediaType: mediaType, length: hasBody ? body.count : nil,
      keepsAlive: keepsAlive, fields: extra)
    let page = head?.method != "HEAD" && hasBody ? body : []
    send(slot, answer, page: page, room: room, status: status, keepsAlive: keepsAlive)
  }

  private func refuseLong(_ slot: UInt32, _ head: HTTPRequestHead, _ refusal: MemoryRoom.Refusal) {
    refuse(
      slot, to: head, refusal, code: "too-many-answers",
      full: "too many long answers wait for others to take them; ask again",
      share: "your address has not taken the long answers yet that it asked for; read them first")
  }

  /// There is no memory for what the request needs.
  ///
  /// - Parameters:
  ///   - full: the message where nobody has room.
  ///   - share: the message where the address has used up its own.
  func refuse(
    _ slot: UInt32, to head: HTTPRequestHead, _ refusal: MemoryRoom.Refusal, code: String,
    full: String, share: String
  ) {
    counts.refused += 1
    switch refusal {
    case .full: replyUnavailable(slot, to: head, full)
    case .own:
      replyError(
        slot, to: head, status: 429, code: code, message: share,
        fields: [.init(name: "Retry-After", value: "10")])
    }
  }

  /// - Parameter length: of the body; nil: there is none.
  func answerHead(
    _ slot: UInt32, to head: HTTPRequestHead?, status: Int, mediaType: String, length: Int?,
    keepsAlive: Bool, fields extra: [HTTPFields.Field]
  ) -> [UInt8] {
    if connections[slot].note == nil { noteRequest(slot, head) }
    var fields = HTTPFields([
      (name: "Server", value: shared.configuration.name),
      (name: "Date", value: Moment.now().wall.httpDate),
      (name: "Connection", value: keepsAlive ? "keep-alive" : "close"),
    ])
    if !extra.contains(where: { $0.name == "Cache-Control" }) {
      fields.append(CacheControl.none.name, CacheControl.none.value)
    }
    for field in [CORS.anyOrigin, CORS.exposed, Sniffing.off] {
      fields.append(field.name, field.value)
    }
    if let length {
      fields.append("Content-Type", mediaType)
      fields.append("Content-Length", String(length))
    }
    for field in extra { fields.append(field.name, field.value) }
    return HTTPResponseHead(version: head?.version ?? .http11, status: status, fields: fields)
      .bytes()
  }

  func replyError(
    _ slot: UInt32, to head: HTTPRequestHead, status: Int, code: String, message: String,
    field: String? = nil, fields: [HTTPFields.Field] = []
  ) {
    reply(
      slot, to: head, status: status, mediaType: ErrorBody.mediaType,
      body: ErrorBody.json(code: code, message: message, field: field), fields: fields)
  }

  func replyUnavailable(_ slot: UInt32, to head: HTTPRequestHead, _ message: String) {
    replyError(
      slot, to: head, status: 503, code: "unavailable", message: message,
      fields: [.init(name: "Retry-After", value: "5")])
  }

  /// Sends an answer, and closes behind it or waits for the next request.
  func send(
    _ slot: UInt32, _ bytes: [UInt8], page: [UInt8] = [], room: MemoryRoom.Place? = nil,
    status: Int, keepsAlive: Bool, body: Reply.Body? = nil
  ) {
    connections[slot].note?.status = status
    var ahead: [UInt8] = []
    if case .answering(_, let bytes) = connections[slot].state { ahead = bytes }
    let reply = Reply(
      bytes, page: page, room: room, body: body, keepsAlive: keepsAlive, ahead: ahead,
      now: loop.turnTime)
    // A client that takes nothing of an answer for so long is gone.
    connections[slot].deadline = reply.deadline(now: loop.turnTime, patience: replyNanoseconds)
    connections[slot].state = .replying(reply)
    continueReply(slot)
  }

  var replyNanoseconds: Int64 { Int64(nanosecondsIn: shared.configuration.replyTimeout) }
  /// How long a connection waits for its next request.
  private static let idleNanoseconds: Int64 = 30_000_000_000
  private static let lingerNanoseconds: Int64 = 2_000_000_000

  func writable(_ slot: UInt32) {
    switch connections[slot].state {
    case .replying:
      let token = connections.token(slot)
      continueReply(slot)
      if connections.slot(of: token) != nil { proceed(slot) }
    case .listening(let shard, let index): resume(slot, shard, index)
    case .watching: continueWatch(slot)
    case .shakingHands: if shakeHands(slot) { readable(slot) }
    case .lingering: sayEnd(slot)
    case .free, .reading, .readingBody, .answering, .joining: break
    }
  }

  func continueReply(_ slot: UInt32) {
    guard case .replying(var reply) = connections[slot].state, flush(slot) else { return }
    if !reply.isOut {
      connections[slot].state = .free
      let written = reply.withNext { write(slot, $0, count: $1) }
      if case .bytes(let count) = written, count > 0 {
        reply.took(count)
        connections[slot].deadline = reply.deadline(
          now: loop.turnTime, patience: replyNanoseconds,
          isCrowded: reply.holdsRoom && shared.answerRoom.isCrowded)
      }
      connections[slot].state = .replying(reply)
      if case .ended = written { return end(slot, .clientGone) }
      if !reply.isOut {
        waitForClient(slot)
        return setBlocked(slot, true)
      }
    }
    switch reply.body {
    case .clip(let body): if !body.isOut, !continueClip(slot, body) { return }
    case .file(let body): if !continueFile(slot, body) { return }
    case nil: break
    }
    if !flush(slot) { return }
    leaveFile(slot, .fileEnded)
    giveBackTicket(slot)
    finishRequest(slot)
    if !reply.keepsAlive || isDraining { return linger(slot) }
    // A listener of a file was not counted with those that only ask.
    if !connections[slot].countsForAddress, !countForAddress(slot) { return linger(slot) }
    setBlocked(slot, false)
    connections[slot].deadline =
      loop.turnTime + (reply.ahead.isEmpty ? Self.idleNanoseconds : replyNanoseconds)
    connections[slot].state = .reading(reply.ahead)
    waitForClient(slot)
  }

  func write(_ slot: UInt32, _ bytes: ArraySlice<UInt8>) -> Transferred {
    bytes.withUnsafeBytes { write(slot, $0) }
  }

  func write(_ slot: UInt32, _ bytes: UnsafeRawBufferPointer) -> Transferred {
    var part = iovec(
      iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
    return write(slot, &part, count: 1)
  }

  private func write(
    _ slot: UInt32, _ parts: UnsafeMutablePointer<iovec>, count: Int
  ) -> Transferred {
    let written =
      if let stream = connections[slot].tls {
        stream.send(parts, count: count, scratch: fanout.records.bytes)
      } else {
        Socket.send(connections[slot].fd, parts, count: count)
      }
    if case .bytes(let count) = written { connections[slot].note?.bytes += UInt64(count) }
    return written
  }

  /// Closing while input is unread would make the kernel send a reset that eats the last bytes on their way.
  func linger(_ slot: UInt32) {
    connections[slot].state = .lingering
    connections[slot].deadline = loop.turnTime + Self.lingerNanoseconds
    waitForClient(slot)
    // A source's audio was left in the kernel.
    setReadHeld(slot, false)
    sayEnd(slot)
  }

  /// Ends a listener as soon as the rest of a packet it is in the middle of is out.
  func endAtBoundary(_ slot: UInt32, _ reason: EndReason) {
    guard case .listening(let shardIndex, let index) = connections[slot].state,
      let shard = shards[shardIndex]
    else { return }
    let flags = shard.listeners[index].flags
    // Of somebody who is paused and takes nothing there is nothing to wait for.
    if flags.contains(.hasRest), !flags.isSuperset(of: [.paused, .blocked]) {
      shard.listeners[index].flags.insert(.ending)
      connections[slot].endReason = connections[slot].endReason ?? reason
    } else {
      end(slot, reason)
    }
  }

  /// Lets a connection go. A listener gets what is on its way to it.
  func end(_ slot: UInt32, _ reason: EndReason) {
    switch connections[slot].state {
    case .listening where ![.clientGone, .pauseTimeout, .replaced].contains(reason):
      leave(slot, reason)
      linger(slot)
    case .free, .shakingHands, .reading, .readingBody, .answering, .replying, .joining, .listening,
      .watching, .lingering:
      close(slot, reason)
    }
  }

  func close(_ slot: UInt32, _ reason: EndReason) {
    switch connections[slot].state {
    case .listening: leave(slot, reason)
    case .joining: leaveQueue(slot)
    case .watching(let watch): leave(watch, slot)
    case .shakingHands: handshakeEnded(slot)
    case .reading where connections[slot].helloBytes > 0: handshakes.figures.abandoned += 1
    case .free, .reading, .readingBody, .answering, .replying, .lingering: break
    }
    connections[slot].work?.cancel()
    leaveFile(slot, reason)
    // Of somebody who has gone before the refusal was out.
    giveBackTicket(slot)
    finishRequest(slot)
    loop.remove(connections[slot].fd)
    Socket.close(connections[slot].fd)
    forget(slot)
  }

  /// Takes a listener out of its shard.
  private func leave(_ slot: UInt32, _ reason: EndReason) {
    guard case .listening(let shardIndex, let index) = connections[slot].state,
      let shard = shards[shardIndex]
    else { return }
    note(.disconnected(reason), slot, bytes: shard.listeners[index].bytes)
    leaveSession(slot, shard.listeners[index], in: shard, reason)
    giveBackTicket(slot, after: secondsListened(slot))
    connections[slot].note?.bytes += shard.listeners[index].bytes
    finishRequest(slot)
    fanout.forget(&shard.listeners[index])
    if let moved = shard.remove(at: index) {
      connections[moved].state = .listening(shard: shardIndex, index: index)
    }
    shard.mount.counters.left()
    shard.mount.counters.releasePlace()
    shared.release(connections[slot].origin)
    if shard.listeners.isEmpty, table.mount(station: shard.mount.station) == nil {
      dropShard(shardIndex)
    }
  }

  func dropShard(_ index: Int) {
    guard let shard = shards[index] else { return }
    shards[index] = nil
    if shardOfStation[shard.mount.station] == index { shardOfStation[shard.mount.station] = nil }
  }

  func note(_ change: ListenerEvent.Change, _ slot: UInt32, bytes: UInt64) {
    guard case .listening(let shardIndex, _) = connections[slot].state,
      let shard = shards[shardIndex]
    else { return }
    let connection = connections[slot]
    changes.append(
      ListenerEvent(
        change: change, id: connection.listenerID, station: shard.mount.station,
        address: connection.address, player: connection.player?.text,
        seconds: secondsListened(slot), bytes: bytes))
  }

  func secondsListened(_ slot: UInt32) -> Double {
    let since = connections[slot].connectedAt.monotonic.nanoseconds
    return max(0, Double(loop.turnTime - since) / 1e9)
  }

  /// Once a second: connections whose time for the state they are in is up.
  func sweep(now: Int64) {
    for index in connections.places.indices where connections.places[index].deadline <= now {
      let slot = UInt32(index)
      switch connections[slot].state {
      // A join's deadline is looked after by `retryJoins`.
      case .free, .joining: break
      case .answering(let head, _):
        // What is said too late is said to nobody.
        var last = head
        last.fields.set("Connection", "close")
        replyUnavailable(slot, to: last, "there is no answer in time; ask again later")
      case .watching: end(slot, .clientGone)
      case .listening: endAtBoundary(slot, .listeningTime)
      case .shakingHands:
        handshakes.figures.abandoned += 1
        close(slot, .clientGone)
      // It has not begun to ask anything, or not in HTTP: there is nothing to answer.
      case .reading(let head) where head.isEmpty || connections[slot].isLogin:
        close(slot, .clientGone)
      case .reading, .readingBody:
        reply(
          slot, to: nil, status: 408, mediaType: ErrorBody.mediaType,
          body: ErrorBody.json(
            code: "timeout", message: "the request did not come in time; send it at once"))
      case .replying:
        close(slot, connections[slot].file == nil ? .clientGone : .pauseTimeout)
      case .lingering: close(slot, .clientGone)
      }
    }
  }
}
