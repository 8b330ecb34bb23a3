import Reactor
import Wire

// From "I want something of this station" to who may have it: rules first, then the mount's authority, off the loop.
extension LoopServer {
  /// What somebody has to be let in for.
  enum Wanted: Sendable {
    case stream(StreamRequest)
    case clip(ClipRequest)
    case file(FileRequest)
    case fileList(MountTable.PlaylistKind)

    func isFound(in content: Mount.Content) -> Bool {
      switch (self, content) {
      case (.stream, .stream), (.clip, .stream), (.file, .files), (.fileList, .files): true
      case (.stream, _), (.clip, _), (.file, _), (.fileList, _): false
      }
    }
  }

  /// - Parameter read: what the request says it wants.
  func receive(
    _ slot: UInt32, _ head: HTTPRequestHead, at mount: Mount,
    _ read: () throws(StreamRequest.Refusal) -> Wanted
  ) {
    let wanted: Wanted
    do {
      wanted = try read()
    } catch {
      return replyError(
        slot, to: head, status: 400, code: "bad-parameter", message: error.message,
        field: error.field)
    }
    if mount.isStopped {
      return replyUnavailable(slot, to: head, "station \(mount.station) is stopped")
    }
    if refuseUnwelcome(slot, head, at: mount) || refuseForbidden(slot, head, wanted, of: mount) {
      return
    }
    // The administration's own socket is nobody's player.
    if let authority = mount.authority, case .tcp = connections[slot].origin {
      return askAuthority(authority, slot, head, wanted, mount)
    }
    give(slot, head, wanted, of: mount)
  }

  private func give(_ slot: UInt32, _ head: HTTPRequestHead, _ wanted: Wanted, of mount: Mount) {
    switch wanted {
    case .stream(let request): enter(slot, head, request, mount)
    case .clip(let request): cut(slot, head, request, mount)
    case .file(let request): find(slot, head, request, mount)
    case .fileList(let kind): listFiles(slot, head, mount, kind)
    }
  }

  /// Asks, while the connection waits as for any other answer.
  private func askAuthority(
    _ authority: any ListenerAuthorizing, _ slot: UInt32, _ head: HTTPRequestHead,
    _ wanted: Wanted, _ mount: Mount
  ) {
    let id = shared.nextListenerID()
    connections[slot].listenerID = id
    let asked = ListenerRequest(head: head, origin: client(slot, head), id: id)
    let token = connections.token(slot)
    let station = mount.station
    Task.detached {
      let verdict = await authority.admit(asked)
      await self.follow(verdict, on: id, token, wanted, station: station)
    }
  }

  private func follow(
    _ verdict: ListenerVerdict, on id: UInt64, _ token: UInt64, _ wanted: Wanted,
    station: String
  ) {
    // The number as well: it is nobody else's, however often the place in the table has changed hands.
    guard let slot = connections.slot(of: token), connections[slot].listenerID == id,
      case .answering(let head, _) = connections[slot].state
    else {
      if case .admitted(let ticket) = verdict { ticket.whenOver?(0) }
      return
    }
    switch verdict {
    case .admitted(let ticket):
      connections[slot].ticket = ticket
      connections[slot].note?.user = ticket.user
      letIn(slot, head, wanted, to: station)
    case .refused(let status, let code, let message, let fields):
      counts.refused += 1
      replyError(slot, to: head, status: status, code: code, message: message, fields: fields)
    }
    if connections.slot(of: token) != nil { proceed(slot) }
    keepTicking()
  }

  /// Much may have changed since the request came.
  func letIn(
    _ slot: UInt32, _ head: HTTPRequestHead, _ wanted: Wanted, to station: String
  ) {
    guard let mount = table.mount(station: station), !mount.isStopped, !isDraining else {
      giveBackTicket(slot)
      return replyUnavailable(slot, to: head, "station \(station) is stopped")
    }
    guard wanted.isFound(in: mount.content) else {
      giveBackTicket(slot)
      return replyUnavailable(slot, to: head, "station \(station) plays something else by now")
    }
    if refuseBanned(slot, head) || refuseUnwelcome(slot, head, at: mount)
      || refuseForbidden(slot, head, wanted, of: mount)
    {
      return giveBackTicket(slot)
    }
    give(slot, head, wanted, of: mount)
  }

  /// What somebody was let in with is over.
  func giveBackTicket(_ slot: UInt32, after seconds: Double = 0) {
    guard let ticket = connections[slot].ticket else { return }
    connections[slot].ticket = nil
    ticket.whenOver?(seconds)
  }
}
