import Reactor
import Timeshift
import Wire

/// What somebody has taken to be sent a file, and gives back.
final class FilePlace {
  let mount: Mount
  let client: APIRequest.Origin
  let customer: AddressBlock?
  let body: FileBody
  /// When the listening time is over, monotonic nanoseconds.
  let endsAt: Int64
  var bytes: UInt64 = 0
  /// When its packets may be asked for (again), monotonic nanoseconds.
  var asksAgainAt: Int64 = 0
  static let askNanoseconds: Int64 = 30_000_000_000
  /// Whether it stands in line for its turn of the prompt share.
  var isInTurn = false

  init(_ mount: Mount, _ client: APIRequest.Origin, _ body: FileBody, endsAt: Int64) {
    self.mount = mount
    self.client = client
    customer = AddressBlock(client)
    self.body = body
    self.endsAt = endsAt
  }
}

// Files on demand, from the request to the first byte.
extension LoopServer {
  /// Somebody who may have it gets it when it has been opened, which takes the disk.
  func find(_ slot: UInt32, _ head: HTTPRequestHead, _ request: FileRequest, _ mount: Mount) {
    guard let source = mount.files else { return }
    let token = connections.token(slot)
    let files = shared.files
    let station = mount.station
    let customer = AddressBlock(client(slot, head))
    let isHeard = head.method != "HEAD"
    connections[slot].work = Task.detached {
      let found = await files.find(request, in: source, for: customer, isHeard: isHeard)
      await self.follow(found, token, request, station: station)
    }
  }

  private func follow(
    _ found: FoundFile.Answer, _ token: UInt64, _ request: FileRequest, station: String
  ) {
    guard let slot = connections.slot(of: token),
      case .answering(let head, _) = connections[slot].state
    else { return }
    connections[slot].work = nil
    if let mount = table.mount(station: station), !mount.isStopped, !isDraining {
      answer(slot, head, found, mount)
    } else {
      replyUnavailable(slot, to: head, "station \(station) is stopped")
    }
    if connections.slot(of: token) != nil { proceed(slot) }
    keepTicking()
  }

  private func answer(
    _ slot: UInt32, _ head: HTTPRequestHead, _ found: FoundFile.Answer, _ mount: Mount
  ) {
    switch found {
    case .found(let found): send(slot, head, found, mount)
    case .missing(let message):
      replyError(slot, to: head, status: 404, code: "not-found", message: message)
    case .isFolder:
      replyError(
        slot, to: head, status: 404, code: "is-a-folder",
        message: "station \(mount.station) is a folder: ask for /\(mount.station).m3u, which "
          + "lists its files, or for one of them as /\(mount.station)/NAME")
    case .unavailable(let message): replyUnavailable(slot, to: head, message)
    case .busy(let message):
      counts.refused += 1
      replyUnavailable(slot, to: head, message)
    case .tooMany(let message):
      counts.refused += 1
      replyError(
        slot, to: head, status: 429, code: "too-many-files", message: message,
        fields: [.init(name: "Retry-After", value: "10")])
    case .refused(let field, let message):
      replyError(
        slot, to: head, status: 400, code: "bad-parameter", message: message, field: field)
    }
  }

  private func send(_ slot: UInt32, _ head: HTTPRequestHead, _ found: FoundFile, _ mount: Mount) {
    let answer = FileReply(found, to: head)
    if answer.status == 416 {
      return replyError(
        slot, to: head, status: 416, code: "bad-range",
        message: "the file has \(found.wholeLength) bytes", field: "Range", fields: answer.fields)
    }
    if answer.status == 304 {
      return reply(
        slot, to: head, status: 304, mediaType: "", body: [], fields: answer.fields)
    }
    var body: FileBody?
    if head.method != "HEAD" {
      let client = client(slot, head)
      guard admit(slot, head, client, to: mount) else { return }
      let source = mount.files ?? FileSource(root: "")
      let made = FileBody(
        found, answer.ranged?.pieces ?? found.endless, burst: source.throttleBypass,
        now: loop.turnTime)
      listen(slot, head, made, client, mount)
      body = made
    }
    let isWhole = answer.ranged != nil
    let keepsAlive = head.keepsAlive && !isDraining && isWhole
    var bytes = answerHead(
      slot, to: head, status: answer.status, mediaType: answer.mediaType,
      length: answer.ranged?.length, keepsAlive: keepsAlive, fields: answer.fields)
    if !isWhole { bytes = Self.withType(answer.mediaType, bytes) }
    send(
      slot, bytes, status: answer.status, keepsAlive: keepsAlive, body: body.map { .file($0) })
  }

  /// An answer up to the connection's end has a type and no length.
  private static func withType(_ mediaType: String, _ head: [UInt8]) -> [UInt8] {
    Array(head.dropLast(2)) + Array("Content-Type: \(mediaType)\r\n\r\n".utf8)
  }

  /// A listener has begun.
  private func listen(
    _ slot: UInt32, _ head: HTTPRequestHead, _ body: FileBody, _ client: APIRequest.Origin,
    _ mount: Mount
  ) {
    uncountForAddress(slot)
    if connections[slot].ticket == nil { connections[slot].listenerID = shared.nextListenerID() }
    connections[slot].player = players.name(head.fields["user-agent"])
    let moment = Moment.now()
    connections[slot].connectedAt = (moment.wall, moment.monotonic)
    let timeMax = connections[slot].ticket?.timeMax ?? mount.settings.listeningTimeMax
    let endsAt = timeMax > 0 ? loop.turnTime + Int64(nanosecondsIn: timeMax) : Int64.max
    connections[slot].file = FilePlace(mount, client, body, endsAt: endsAt)
    fileSlots.insert(slot)
    mount.counters.joined()
    note(.connected, slot)
  }

  /// Has the packets counted for somebody who is sent no more than plays: until then a guess does, and who stops early
  /// has had nothing read.
  func askForIndex(_ slot: UInt32, _ place: FilePlace, now: Int64) {
    guard place.body.needsIndex, connections[slot].work == nil, place.asksAgainAt <= now else {
      return
    }
    place.asksAgainAt = now + FilePlace.askNanoseconds
    let token = connections.token(slot)
    let id = connections[slot].listenerID
    let files = shared.files
    let file = place.body.file
    let customer = place.customer
    connections[slot].work = Task.detached {
      await self.use(await files.index(of: file, for: customer), token, id)
    }
  }

  private func use(_ answer: FileLibrary.IndexAnswer, _ token: UInt64, _ id: UInt64) {
    guard let slot = connections.slot(of: token), connections[slot].listenerID == id else { return }
    connections[slot].work = nil
    if case .index(let index) = answer { connections[slot].file?.body.use(index) }
  }

  // MARK: Leaving

  private func note(_ change: ListenerEvent.Change, _ slot: UInt32) {
    guard let file = connections[slot].file else { return }
    changes.append(
      ListenerEvent(
        change: change, id: connections[slot].listenerID, station: file.mount.station,
        address: file.client.host, player: connections[slot].player?.text,
        seconds: secondsListened(slot), bytes: file.bytes))
  }

  /// Gives back what was taken to be sent a file; nothing where none was.
  func leaveFile(_ slot: UInt32, _ reason: EndReason) {
    guard let file = connections[slot].file else { return }
    if case .fileEnded = reason, file.body.isHeardToEnd {
      note(.fileComplete(path: file.body.path), slot)
    }
    note(.disconnected(reason), slot)
    giveBackTicket(slot, after: secondsListened(slot))
    connections[slot].file = nil
    if file.isInTurn { prompt.leave(connections.token(slot), of: file.customer) }
    connections[slot].work?.cancel()
    connections[slot].work = nil
    fileSlots.remove(slot)
    file.mount.counters.left()
    file.mount.counters.releasePlace()
    shared.release(file.client)
  }

  /// Ends the sending of a file short of its length, so that the client notices.
  func endFile(_ slot: UInt32, _ reason: EndReason) {
    leaveFile(slot, reason)
    finishRequest(slot)
    linger(slot)
  }

  /// Of stations that are gone or stopped.
  func endStoppedFiles() {
    for slot in fileSlots {
      guard let file = connections[slot].file else { continue }
      let mount = table.mount(station: file.mount.station)
      if mount?.files == nil || mount?.isStopped == true { endFile(slot, .stationStopped) }
    }
  }

  func fileSnapshot(_ slot: UInt32) -> ListenerSnapshot? {
    guard let file = connections[slot].file else { return nil }
    let connection = connections[slot]
    return ListenerSnapshot(
      id: connection.listenerID, station: file.mount.station, address: file.client.host,
      user: connection.ticket?.user, player: connection.player?.text,
      protocolName: connection.protocolName,
      connectedAt: connection.connectedAt.wall, seconds: secondsListened(slot),
      bytes: file.bytes, offset: nil, lag: nil,
      state: connection.isBlocked ? .stalled : .shifted, session: nil, title: nil)
  }
}
