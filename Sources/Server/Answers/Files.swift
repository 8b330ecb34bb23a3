import Reactor
import Timeshift
import Wire

/// Files on demand, from the request to the first byte; and the listeners that hear them.
final class Files {
  private let connections: Connections
  private let loop: EventLoop
  private let shared: SharedState
  private let answers: Answers
  /// Connections that are being sent a file.
  var fileSlots: Set<UInt32> = []

  init(_ connections: Connections, _ answers: Answers) {
    self.connections = connections
    self.answers = answers
    loop = connections.loop
    shared = connections.shared
  }

  /// Opens a file for an admitted request off the loop, since that takes the disk; then sends the file.
  func openFile(_ slot: UInt32, _ head: HTTPRequestHead, _ request: FileRequest, _ mount: Mount) {
    guard let source = mount.files else { return }
    let files = shared.files
    let station = mount.station
    let customer = AddressBlock(connections.client(slot, head))
    let isHeard = head.method != "HEAD"
    connections.answerOffLoop(slot) {
      await files.find(request, in: source, for: customer, isHeard: isHeard)
    } then: { [self] slot, head, found in
      if let mount = connections.mounts.mount(station: station), !mount.isStopped,
        !connections.isDraining
      {
        answerFound(slot, head, found, mount)
      } else {
        answers.replyStopped(slot, to: head, station)
      }
    }
  }

  /// Opens a file that the relay has named, and sends it as fast as the client takes it. No station counts it.
  func openFile(_ slot: UInt32, _ head: HTTPRequestHead, _ order: FileOrder) {
    let files = shared.files
    let customer = AddressBlock(connections.client(slot, head))
    let isHeard = head.method != "HEAD"
    connections.answerOffLoop(slot) {
      await files.find(order, for: customer, isHeard: isHeard)
    } then: { [self] slot, head, found in
      answerFound(slot, head, found, nil)
    }
  }

  /// - Parameter mount: the mount that the file is of; nil for a file that the relay has named.
  private func answerFound(
    _ slot: UInt32, _ head: HTTPRequestHead, _ found: FoundFile.Answer, _ mount: Mount?
  ) {
    switch found {
    case .found(let found): sendFound(slot, head, found, mount)
    case let refusal: answers.refuse(slot, head, refusal, mount)
    }
  }

  private func sendFound(
    _ slot: UInt32, _ head: HTTPRequestHead, _ found: FoundFile, _ mount: Mount?
  ) {
    let answer = FileReply(found, to: head)
    if answer.status == 416 {
      return answers.replyError(
        slot, to: head, status: 416, code: "bad-range",
        message: "the file has \(found.wholeLength) bytes", field: "Range", fields: answer.fields)
    }
    if answer.status == 304 {
      return answers.reply(
        slot, to: head, status: 304, mediaType: "", body: [], fields: answer.fields)
    }
    var sending: Sending?
    if head.method != "HEAD" {
      let client = connections.client(slot, head)
      let body = makeBody(found, answer, client, mount)
      if let mount {
        guard answers.admit(slot, head, client, to: mount) else { return }
        sending = listen(slot, head, body, client, mount)
      } else {
        sending = answers.makeSending(
          body, for: AddressBlock(client), patience: Int64(nanosecondsIn: Self.patience))
      }
    }
    let keepsAlive = head.keepsAlive && !connections.isDraining && answer.ranged != nil
    let bytes = answers.answerHead(
      slot, to: head, status: answer.status, mediaType: answer.mediaType,
      length: answer.ranged?.length, keepsAlive: keepsAlive, fields: answer.fields)
    answers.send(slot, bytes, status: answer.status, keepsAlive: keepsAlive, sending: sending)
  }

  /// Seconds that a client may take nothing of a file that the relay has named: an hour's pause of a player.
  private static let patience = 3600.0

  private func makeBody(
    _ found: FoundFile, _ answer: FileReply, _ client: Peer, _ mount: Mount?
  ) -> any HeardBody {
    let burst =
      mount.map { $0.files?.throttleBypass ?? FileSource.throttleBypassDefault }
      ?? FileOrder.unpaced
    if let maker = found.pages {
      return MadePagesBody(found, maker, from: shared.files, burst: burst, now: loop.turnTime)
    }
    return FileBody(
      found, answer.ranged?.pieces ?? found.endless, from: shared.files,
      for: AddressBlock(client), burst: burst, now: loop.turnTime)
  }

  /// Counts the connection as a listener of a file, and returns its sending.
  private func listen(
    _ slot: UInt32, _ head: HTTPRequestHead, _ body: any HeardBody, _ client: Peer,
    _ mount: Mount
  ) -> Sending {
    connections.uncountForAddress(slot)
    if connections[slot].ticket == nil { connections[slot].listenerID = shared.nextListenerID() }
    connections[slot].player = connections.players.name(head.fields["user-agent"])
    let moment = Moment.now()
    connections[slot].connectedAt = (moment.wall, moment.monotonic)
    let endsAt = connections.listeningEnd(slot, at: mount)
    let pause = mount.settings.pauseTimeout
    let sending = answers.makeSending(
      body, for: AddressBlock(client), patience: pause > 0 ? Int64(nanosecondsIn: pause) : nil)
    connections[slot].file = FilePlace(mount, client, body, sending, endsAt: endsAt)
    fileSlots.insert(slot)
    mount.counters.joined()
    connections.counts.listening.joined(mount.station, at: loop.turnTime)
    note(.connected, slot)
    return sending
  }

  // MARK: Leaving

  private func note(_ change: ListenerEvent.Change, _ slot: UInt32) {
    guard let file = connections[slot].file else { return }
    connections.changes.append(
      ListenerEvent(
        change: change, id: connections[slot].listenerID, station: file.mount.station,
        address: file.client.host, player: connections[slot].player?.text,
        seconds: connections.secondsListened(slot), bytes: file.sending.bytes))
  }

  /// Gives back what was reserved to send a file, if anything.
  func leaveFile(_ slot: UInt32, _ reason: EndReason) {
    guard let file = connections[slot].file else { return }
    if case .fileEnded = reason, file.body.isHeardToEnd {
      note(.fileComplete(path: file.body.path), slot)
    }
    note(.disconnected(reason), slot)
    connections.giveBackTicket(slot, after: connections.secondsListened(slot))
    connections[slot].file = nil
    fileSlots.remove(slot)
    connections.bytesOfStations.keep(file.sending.bytes, of: file.mount.station)
    file.mount.counters.left()
    connections.counts.listening.left(file.mount.station, at: loop.turnTime)
    file.mount.counters.releasePlace()
    shared.release(file.client)
  }

  /// Once a second: ends listeners whose listening time is over.
  func endOverdueFiles(now: Int64) {
    for slot in fileSlots where (connections[slot].file?.endsAt ?? .max) <= now {
      answers.endBody(slot, .listeningTime)
    }
  }

  /// Ends files of stations that are gone or stopped.
  func endStoppedFiles() {
    for slot in fileSlots {
      guard let file = connections[slot].file else { continue }
      let mount = connections.mounts.mount(station: file.mount.station)
      if mount?.files == nil || mount?.isStopped == true { answers.endBody(slot, .stationStopped) }
    }
  }

  func fileSnapshot(_ slot: UInt32) -> ListenerSnapshot? {
    guard let file = connections[slot].file else { return nil }
    let connection = connections[slot]
    return ListenerSnapshot(
      id: connection.listenerID, station: file.mount.station, address: file.client.host,
      user: connection.ticket?.user, player: connection.player?.text,
      protocolName: connection.protocolName,
      connectedAt: connection.connectedAt.wall, seconds: connections.secondsListened(slot),
      bytes: file.sending.bytes, offset: nil, lag: nil,
      state: connection.isBlocked ? .stalled : .shifted, session: nil, title: nil)
  }

  /// Adds the listeners of files.
  func add(to audience: inout Audience) {
    for slot in fileSlots {
      guard let file = connections[slot].file else { continue }
      var crowd = Audience.Crowd()
      crowd.add(file.client.host, seconds: connections.secondsListened(slot))
      audience.add(crowd, at: file.mount.station)
    }
  }

  // MARK: Lists

  func listFiles(
    _ slot: UInt32, _ head: HTTPRequestHead, _ mount: Mount, _ kind: PlaylistKind
  ) {
    guard let source = mount.files else { return }
    let (files, pages) = (shared.files, shared.pages)
    let customer = AddressBlock(connections.client(slot, head))
    let base = connections.baseURL(slot, head) + "/" + mount.station
    connections.answerOffLoop(slot) { () -> ListAnswer in
      switch await files.list(source, for: customer) {
      case .list(let list):
        let order = Self.order(list, head, mount, kind, base: base)
        return .page(await pages.page(order, to: head, for: customer))
      case .missing: return .refused("the station's files are not there")
      case .busy: return .refused("too many lists are asked for; ask again")
      }
    } then: { [self] slot, head, answer in
      switch answer {
      case .page(let page): answers.reply(slot, head, made: page)
      case .refused(let message): answers.replyUnavailable(slot, to: head, message)
      }
    }
  }

  private enum ListAnswer {
    case page(Representation?)
    case refused(String)
  }

  /// Returns the order for a list of files. Ten thousand names are a megabyte, too much for a loop to write.
  private static func order(
    _ list: FileList, _ head: HTTPRequestHead, _ mount: Mount, _ kind: PlaylistKind,
    base: String
  ) -> PageOrder {
    let query = Answers.carried(head)
    let name = mount.description.name.isEmpty ? mount.station : mount.description.name
    var order = Answers.page(
      mount, kind, key: "list \(list.version) \(kind.rawValue) \(base) \(query) \(name)"
    ) {
      list.entries.map { entry in
        entry.path.isEmpty
          ? Playlist.Track(url: base + query, title: name, seconds: entry.seconds)
          : Playlist.Track(
            url: "\(base)/\(PercentEncoding.path(entry.path))\(query)", title: entry.path,
            seconds: entry.seconds)
      }
    }
    order.isLong = true
    return order
  }
}
