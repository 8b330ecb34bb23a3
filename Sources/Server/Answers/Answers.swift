import Glibc
import Reactor
import Timeshift
import Wire

/// Answers that have an end: from a status and its body to the last byte.
final class Answers {
  let connections: Connections
  let loop: EventLoop
  let shared: SharedState
  var prompt = PromptShare()
  var sendings = Sendings()
  /// Connections that have a place for a clip, or for samples.
  var clipSlots: Set<UInt32> = []
  let scratch = ClipScratch()
  private var standing: StandingFields

  init(_ connections: Connections) {
    self.connections = connections
    loop = connections.loop
    shared = connections.shared
    standing = StandingFields(server: connections.shared.configuration.name)
  }

  /// Sends a whole answer.
  ///
  /// - Parameters:
  ///   - head: head of the request; nil when it could not be understood, which ends the connection.
  ///   - page: page that other answers may send as well.
  func reply(
    _ slot: UInt32, to head: HTTPRequestHead?, status: Int, mediaType: String, body: [UInt8],
    fields extra: [HTTPFields.Field] = [], of page: MemoryRoom.SharedPage? = nil
  ) {
    let keepsAlive = head?.keepsAlive == true && !connections.isDraining
    // 204 and 304 have neither body nor type (RFC 9110, section 15).
    let hasBody = status != 204 && status != 304
    var room: MemoryRoom.Place?
    if let head, hasBody, body.count >= MemoryRoom.answerBytesMin, head.method != "HEAD" {
      do throws(MemoryRoom.Refusal) {
        let customer = AddressBlock(connections.client(slot, head))
        room = try shared.answerRoom.reserve(body.count, for: customer, of: page)
      } catch {
        return refuseLong(slot, head, error)
      }
    }
    let answer = answerHead(
      slot, to: head, status: status, mediaType: hasBody ? mediaType : nil, length: body.count,
      keepsAlive: keepsAlive, fields: extra)
    let page = head?.method != "HEAD" && hasBody ? body : []
    send(slot, answer, page: page, room: room, status: status, keepsAlive: keepsAlive)
  }

  func reply(_ slot: UInt32, _ head: HTTPRequestHead, _ page: Representation) {
    reply(
      slot, to: head, status: page.status, mediaType: page.mediaType, body: page.body,
      fields: page.fields, of: page.shared)
  }

  /// Has a page made elsewhere, and then sends it.
  func make(_ slot: UInt32, _ head: HTTPRequestHead, _ order: PageOrder) {
    let customer = AddressBlock(connections.client(slot, head))
    let pages = shared.pages
    connections.answerOffLoop(slot) {
      await pages.page(order, to: head, for: customer)
    } then: { [self] in
      reply($0, $1, made: $2)
    }
  }

  /// Sends a page that was made elsewhere.
  ///
  /// - Parameter page: nil when there was no room for the page.
  func reply(_ slot: UInt32, _ head: HTTPRequestHead, made page: Representation?) {
    if let page {
      reply(slot, head, page)
    } else {
      replyUnavailable(slot, to: head, "too many long answers are asked for; ask again")
    }
  }

  /// Begins to send what is made piece by piece.
  func send(_ slot: UInt32, _ head: HTTPRequestHead, _ order: PieceOrder) {
    let isChunked = head.version == .http11
    var fields = [FileOrder.disposition(order.savedName)]
    if isChunked { fields.append(.init(name: "Transfer-Encoding", value: "chunked")) }
    let keepsAlive = isChunked && head.keepsAlive && !connections.isDraining
    let answer = answerHead(
      slot, to: head, status: 200, mediaType: order.mediaType, length: nil, keepsAlive: keepsAlive,
      fields: fields)
    var sending: Sending?
    if head.method != "HEAD" {
      sending = makeSending(
        PiecesBody(order, isChunked: isChunked), for: AddressBlock(connections.client(slot, head)),
        patience: SlowReading.spanNanoseconds)
    }
    send(slot, answer, status: 200, keepsAlive: keepsAlive, sending: sending)
  }

  private func refuseLong(_ slot: UInt32, _ head: HTTPRequestHead, _ refusal: MemoryRoom.Refusal) {
    refuse(
      slot, to: head, refusal, code: "too-many-answers",
      full: "too many long answers wait for slow clients; ask again",
      share: "your address has long answers to read; read them first")
  }

  /// Refuses a request when there is no memory for what it needs.
  ///
  /// - Parameters:
  ///   - full: the message when there is no room for any address.
  ///   - share: the message when the address has used up its own share.
  func refuse(
    _ slot: UInt32, to head: HTTPRequestHead, _ refusal: MemoryRoom.Refusal, code: String,
    full: String, share: String
  ) {
    connections.counts.refuse(refusal == .full ? .memory : .address)
    switch refusal {
    case .full: replyUnavailable(slot, to: head, full)
    case .own:
      replyError(
        slot, to: head, status: 429, code: code, message: share,
        fields: [.init(name: "Retry-After", value: "10")])
    }
  }

  /// Returns the head of an answer.
  ///
  /// - Parameters:
  ///   - mediaType: type of the body; nil when there is none.
  ///   - length: length of the body in bytes; nil when the body goes up to the connection's end.
  func answerHead(
    _ slot: UInt32, to head: HTTPRequestHead?, status: Int, mediaType: String?, length: Int?,
    keepsAlive: Bool, fields extra: [HTTPFields.Field]
  ) -> [UInt8] {
    if connections[slot].note == nil { connections.noteRequest(slot, head) }
    var fields = HTTPFields()
    if !extra.contains(where: { $0.name == "Cache-Control" }) {
      fields.append(CacheControl.none.name, CacheControl.none.value)
    }
    if let mediaType { fields.append("Content-Type", mediaType) }
    if mediaType != nil, let length { fields.append("Content-Length", String(length)) }
    for field in extra { fields.append(field.name, field.value) }
    return HTTPResponseHead(version: head?.version ?? .http11, status: status, fields: fields)
      .bytes(standing: standing.lines(at: Moment.now().wall, keepsAlive: keepsAlive))
  }

  func replyError(
    _ slot: UInt32, to head: HTTPRequestHead, status: Int, code: String, message: String,
    field: String? = nil, fields: [HTTPFields.Field] = []
  ) {
    countPlaylist(head, status)
    reply(
      slot, to: head, status: status, mediaType: ErrorBody.mediaType,
      body: ErrorBody.json(code: code, message: message, field: field), fields: fields)
  }

  /// Counts a playlist of HLS that is refused, whichever part refuses it. Those that are given count where they are made.
  private func countPlaylist(_ head: HTTPRequestHead, _ status: Int) {
    guard let kind = connections.mounts.playlistOfHLS(head.path).flatMap(HLSFigures.Kind.init)
    else { return }
    shared.hls.figures.count(kind, status)
  }

  func replyUnavailable(_ slot: UInt32, to head: HTTPRequestHead, _ message: String) {
    replyError(
      slot, to: head, status: 503, code: "unavailable", message: message,
      fields: [.init(name: "Retry-After", value: "5")])
  }

  /// Answers for a station that nobody can listen to any more.
  func replyStopped(_ slot: UInt32, to head: HTTPRequestHead, _ station: String) {
    replyUnavailable(
      slot, to: head,
      connections.isDraining ? "the server is stopping" : "station \(station) is stopped")
  }

  /// Whether the station is not on demand, already runs, or may be woken by this address. Answers 429 when the address
  /// has woken too many stations.
  func mayStart(
    _ slot: UInt32, _ head: HTTPRequestHead, _ client: Peer, _ mount: Mount
  ) -> Bool {
    guard let demand = mount.demand, !demand.isRunning,
      !shared.starts.reserve(client, now: connections.loop.turnTime)
    else { return true }
    connections.counts.refuse(.address)
    replyError(
      slot, to: head, status: 429, code: "too-many-starts",
      message: "your address has woken all the stations it may in a minute; "
        + "those that play already can be heard",
      fields: [.init(name: "Retry-After", value: "60")])
    return false
  }

  /// Reserves a place for a listener, or answers that there is none.
  func admit(
    _ slot: UInt32, _ head: HTTPRequestHead, _ client: Peer, to mount: Mount
  ) -> Bool {
    func refuse(_ reason: RefusalReason, _ message: String) {
      connections.counts.refuse(reason)
      replyUnavailable(slot, to: head, message)
    }
    guard mount.counters.reservePlace(of: mount.settings.listenersMax) else {
      refuse(.stationFull, "station \(mount.station) has all the listeners it takes")
      return false
    }
    switch shared.admit(client) {
    case .admitted: return true
    case .full: refuse(.full, "the server has all the listeners it takes")
    case .tooManyOfAddress:
      connections.counts.refuse(.address)
      replyError(
        slot, to: head, status: 429, code: "too-many-listeners",
        message: "your address has all the listeners it may have",
        fields: [.init(name: "Retry-After", value: "30")])
    }
    mount.counters.releasePlace()
    return false
  }

  /// Sends an answer, and closes behind it or waits for the next request.
  func send(
    _ slot: UInt32, _ bytes: [UInt8], page: [UInt8] = [], room: MemoryRoom.Place? = nil,
    status: Int, keepsAlive: Bool, sending: Sending? = nil
  ) {
    connections.answered(slot, status)
    var ahead: [UInt8] = []
    if case .answering(_, let bytes) = connections[slot].state { ahead = bytes }
    let reply = Reply(
      bytes, page: page, room: room, sending: sending, keepsAlive: keepsAlive, ahead: ahead,
      now: loop.turnTime)
    // A client that takes nothing of an answer for this long is gone.
    connections[slot].deadline = reply.deadline(now: loop.turnTime, patience: replyNanoseconds)
    connections[slot].state = .replying(reply)
    if sending != nil { sendings.slots.insert(slot) }
    continueReply(slot)
  }

  var replyNanoseconds: Int64 { Int64(nanosecondsIn: shared.configuration.replyTimeout) }

  /// How long a connection waits for its next request.
  private static let idleNanoseconds: Int64 = 30_000_000_000

  func continueReply(_ slot: UInt32) {
    guard case .replying(var reply) = connections[slot].state, connections.flush(slot) else {
      return
    }
    if !reply.isOut {
      connections[slot].state = .free
      let written = reply.withNext { connections.write(slot, $0, count: $1) }
      if case .bytes(let count) = written, count > 0 {
        reply.took(count)
        connections[slot].deadline = reply.deadline(
          now: loop.turnTime, patience: replyNanoseconds,
          isCrowded: reply.holdsRoom && shared.answerRoom.isCrowded)
      }
      connections[slot].state = .replying(reply)
      if case .ended = written { return connections.end(slot, .clientGone) }
      if !reply.isOut {
        connections.waitForClient(slot)
        return connections.setBlocked(slot, true)
      }
    }
    if let sending = reply.sending, !sending.body.isOut, !continueBody(slot, sending) { return }
    if !connections.flush(slot) { return }
    connections.owner.leave(slot, .fileEnded)
    if !reply.keepsAlive || connections.isDraining { return connections.linger(slot) }
    // While the connection heard a file, it was not counted with those that only ask.
    if !connections[slot].countsForAddress, !connections.countForAddress(slot) {
      return connections.linger(slot)
    }
    connections.setBlocked(slot, false)
    connections[slot].deadline =
      loop.turnTime + (reply.ahead.isEmpty ? Self.idleNanoseconds : replyNanoseconds)
    connections[slot].state = .reading(reply.ahead)
    connections.waitForClient(slot)
  }
}
