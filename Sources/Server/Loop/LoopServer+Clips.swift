import Reactor
import Timeshift
import Wire

/// A loop's clips: those to be cut, and those being sent that wait for something other than their socket.
struct ClipDesk {
  /// A request that waits for an index.
  struct Wish {
    var token: UInt64
    var station: String
    var reader: LogReader
    var request: ClipRequest
    /// How far behind live it may reach; nil: as far as the window goes.
    var offsetMax: MediaTime?
    /// Monotonic nanoseconds.
    var deadline: Int64
  }

  /// At most of one clip between two looks at everybody else.
  static let pieceBytes = 64 * 1024
  /// Seconds a segment's index may take to come from the disk.
  static let patienceNanoseconds: Int64 = 5_000_000_000

  var wishes: [Wish] = []
  /// Connections by their token, of those that wait for the disk or their pace.
  var waiting: [UInt64] = []
  /// Asked for or being sent now, and all there were.
  var now = 0
  var total: UInt64 = 0
  var bytesSent: UInt64 = 0
  let scratch = ClipScratch()
}

/// Where a loop's clips are read to, one after the other.
final class ClipScratch {
  let bytes = UnsafeMutableRawBufferPointer.allocate(
    byteCount: LogReader.clipScratchBytes, alignment: 16)
  deinit { bytes.deallocate() }
}

/// What somebody has taken to be sent a clip, and gives back.
final class ClipPlace {
  /// nil: the administration's own socket, which has no limits.
  let customer: AddressBlock?
  /// Nanoseconds it may take nothing, as a listener of the station; nil: as long as it likes.
  let patience: Int64?
  /// Whether it stands in line for its turn of the prompt share.
  var isInTurn = false

  init(customer: AddressBlock?, patience: Int64?) {
    self.customer = customer
    self.patience = patience
  }
}

// A piece of the window as a file.
extension LoopServer {
  /// Takes one of the places for clips of an address, or says that there is none.
  private func takeClipPlace(_ slot: UInt32, _ head: HTTPRequestHead, _ mount: Mount) -> Bool {
    let customer = AddressBlock(client(slot, head))
    guard shared.clipPlaces.take(customer) else {
      counts.refused += 1
      replyError(
        slot, to: head, status: 429, code: "too-many-clips",
        message: "your address is being sent all the clips it may have at once",
        fields: [.init(name: "Retry-After", value: "10")])
      return false
    }
    let pause = mount.settings.pauseTimeout
    connections[slot].clip = ClipPlace(
      customer: customer, patience: pause > 0 ? Int64(nanosecondsIn: pause) : nil)
    clips.now += 1
    clips.total += 1
    return true
  }

  /// Gives back what was taken to be sent a clip; nothing where none was.
  func leaveClip(_ slot: UInt32) {
    guard let place = connections[slot].clip else { return }
    connections[slot].clip = nil
    if place.isInTurn { prompt.leave(connections.token(slot), of: place.customer) }
    clips.now -= 1
    shared.clipPlaces.release(place.customer)
  }

  /// Somebody who may have it gets it, now or when its index is here.
  func cut(
    _ slot: UInt32, _ head: HTTPRequestHead, _ request: ClipRequest, _ mount: Mount
  ) {
    guard case .stream(let log, let delay) = mount.content else { return }
    guard takeClipPlace(slot, head, mount) else { return giveBackTicket(slot) }
    let wish = ClipDesk.Wish(
      token: connections.token(slot), station: mount.station,
      reader: LogReader(log, delay: delay),
      request: request, offsetMax: mount.settings.offsetMax,
      deadline: loop.turnTime + ClipDesk.patienceNanoseconds)
    if !fulfil(wish) { clips.wishes.append(wish) }
  }

  /// False: something is on its way from the disk.
  private func fulfil(_ wish: ClipDesk.Wish) -> Bool {
    guard let slot = connections.slot(of: wish.token),
      case .answering(let head, _) = connections[slot].state
    else { return true }
    wish.reader.refresh()
    let earliest = wish.offsetMax.map { wish.reader.air(at: wish.reader.edge.media - $0) }
    let from = earliest.map { max($0, wish.request.from) } ?? wish.request.from
    switch wish.reader.clip(from: from, to: max(from, wish.request.to)) {
    case .clip(let clip): send(slot, clip, of: wish.station, from: wish.reader, to: head)
    case .nothing:
      replyError(
        slot, to: head, status: 404, code: "nothing-there",
        message: "station \(wish.station) has nothing of that time")
    case .loading:
      if loop.turnTime < wish.deadline { return false }
      replyUnavailable(slot, to: head, "the disk is slow; ask again")
    }
    return true
  }

  private func send(
    _ slot: UInt32, _ clip: Clip, of station: String, from reader: LogReader,
    to head: HTTPRequestHead
  ) {
    let answer = RangedReply(
      clip, of: station, air: reader.air(at: clip.start.media), to: head)
    if answer.status == 416 {
      return replyError(
        slot, to: head, status: 416, code: "bad-range",
        message: "the clip has \(clip.byteCount) bytes", field: "Range", fields: answer.fields)
    }
    let keepsAlive = head.keepsAlive && !isDraining
    let fields = answerHead(
      slot, to: head, status: answer.status, mediaType: answer.mediaType, length: answer.length,
      keepsAlive: keepsAlive, fields: answer.fields)
    let body =
      head.method == "HEAD"
      ? nil : Reply.Body.clip(ClipBody(clip, answer.pieces, from: reader, now: loop.turnTime))
    send(slot, fields, status: answer.status, keepsAlive: keepsAlive, body: body)
  }

  /// Once a slot: what waits for the disk or its pace.
  func serveClips() {
    if !clips.wishes.isEmpty {
      let wishes = clips.wishes
      clips.wishes = []
      clips.wishes += wishes.filter { wish in
        guard fulfil(wish) else { return true }
        if let slot = connections.slot(of: wish.token) { proceed(slot) }
        return false
      }
    }
    if clips.waiting.isEmpty { return }
    let waiting = clips.waiting
    clips.waiting = []
    for token in waiting {
      guard let slot = connections.slot(of: token) else { continue }
      if case .replying(let reply) = connections[slot].state, case .clip(let body)? = reply.body {
        body.isInRow = false
      }
      continueReply(slot)
      if connections.slot(of: token) != nil { proceed(slot) }
    }
  }

  /// Until when the socket may take nothing: as long as a listener's may.
  private func clipDeadline(_ slot: UInt32) -> Int64 {
    if connections[slot].isInputEnded { return loop.turnTime + replyNanoseconds }
    return connections[slot].clip?.patience.map { loop.turnTime.saturatingAdd($0) } ?? .max
  }

  /// Others come first.
  private func waitForTurn(_ slot: UInt32) {
    setBlocked(slot, false)
    guard let place = connections[slot].clip, !place.isInTurn else { return }
    // It is we who keep the client waiting.
    connections[slot].deadline = connections[slot].isInputEnded ? clipDeadline(slot) : .max
    place.isInTurn = true
    prompt.wait(connections.token(slot), for: place.customer)
  }

  /// Sends the next piece; true: that was the last.
  func continueClip(_ slot: UInt32, _ body: ClipBody) -> Bool {
    func wait() {
      setBlocked(slot, false)
      // It may have been woken for something else while it waits, such as TLS.
      if body.isInRow { return }
      body.isInRow = true
      clips.waiting.append(connections.token(slot))
    }
    if let place = connections[slot].clip, shared.clipPace.due(place.customer) > loop.turnTime {
      // It is we who keep the client waiting.
      connections[slot].deadline = clipDeadline(slot)
      wait()
      return false
    }
    if connections[slot].clip?.isInTurn == true || !prompt.hasLeft {
      waitForTurn(slot)
      return false
    }
    switch body.next(limit: ClipDesk.pieceBytes, scratch: clips.scratch.bytes) {
    case .bytes(let piece) where !piece.isEmpty:
      switch write(slot, piece) {
      case .ended: end(slot, .clientGone)
      case .wouldBlock: setBlocked(slot, true)
      case .bytes(let count):
        if let place = connections[slot].clip {
          shared.clipPace.sent(body.length(of: count), to: place.customer, now: loop.turnTime)
        }
        body.took(count)
        prompt.spend(count)
        clips.bytesSent += UInt64(count)
        connections[slot].deadline = clipDeadline(slot)
        if body.isOut { return true }
        // Also where it took everything: the others come first, then the loop finds it writable.
        setBlocked(slot, true)
      }
    case .bytes, .loading, .liveEdge: wait()
    // Shorter than was said, so that the client notices.
    case .hole, .overrun:
      finishRequest(slot)
      linger(slot)
    }
    return false
  }
}
