import Reactor
import Timeshift
import Wire

/// The way from a request for something of a station to a decision: rules first, then the mount's authority, off the
/// loop.
final class Admission {
  private let connections: Connections
  private let shared: SharedState
  private let answers: Answers
  private let clips: Clips
  private let taps: Taps
  private let files: Files
  private let listeners: Listeners

  init(
    _ connections: Connections, _ answers: Answers, _ clips: Clips, _ taps: Taps,
    _ files: Files, _ listeners: Listeners
  ) {
    self.connections = connections
    self.answers = answers
    self.clips = clips
    self.taps = taps
    self.files = files
    self.listeners = listeners
    shared = connections.shared
  }

  /// Applies the rules to a request, then asks the mount's authority or gives what is wanted.
  ///
  /// - Parameter read: reads what the request wants.
  func consider(
    _ slot: UInt32, _ head: HTTPRequestHead, at mount: Mount,
    _ read: () throws(StreamRequest.Refusal) -> Wanted
  ) {
    let wanted: Wanted
    do {
      wanted = try read()
    } catch {
      return answers.replyError(
        slot, to: head, status: 400, code: "bad-parameter", message: error.message,
        field: error.field)
    }
    if mount.isStopped {
      return answers.replyStopped(slot, to: head, mount.station)
    }
    if refuseUnwelcome(slot, head, at: mount) || refuseForbidden(slot, head, wanted, of: mount) {
      return
    }
    // The administration's own socket is no player, so no authority is asked.
    if let authority = mount.authority, case .tcp = connections[slot].origin {
      return askAuthority(authority, slot, head, wanted, mount)
    }
    give(slot, head, wanted, of: mount)
  }

  private func give(_ slot: UInt32, _ head: HTTPRequestHead, _ wanted: Wanted, of mount: Mount) {
    switch wanted {
    case .stream(let request): listeners.enter(slot, head, request, mount)
    case .clip(let request): clips.cut(slot, head, request, mount)
    case .samples(let request): taps.open(slot, head, request, mount)
    case .file(let request) where request.isReversed:
      clips.reversals.play(slot, head, request, mount)
    case .file(let request): files.openFile(slot, head, request, mount)
    case .fileList(let kind): files.listFiles(slot, head, mount, kind)
    }
  }

  /// Asks the mount's authority; the connection waits as for any other answer.
  private func askAuthority(
    _ authority: any ListenerAuthorizing, _ slot: UInt32, _ head: HTTPRequestHead,
    _ wanted: Wanted, _ mount: Mount
  ) {
    let id = shared.nextListenerID()
    connections[slot].listenerID = id
    let asked = ListenerRequest(head: head, origin: connections.client(slot, head), id: id)
    let (station, hearers) = (mount.station, shared.hearers)
    connections.answerOffLoop(slot, endsWithConnection: false) {
      let verdict = await authority.admit(asked)
      hearers.note(verdict, by: authority, of: station, to: asked.head, from: asked.origin)
      return verdict
    } late: { verdict in
      if case .admitted(let ticket) = verdict { ticket.whenOver?(0) }
    } then: { [self] in
      act(on: $2, $0, $1, wanted, station: station)
    }
  }

  private func act(
    on verdict: ListenerVerdict, _ slot: UInt32, _ head: HTTPRequestHead, _ wanted: Wanted,
    station: String
  ) {
    switch verdict {
    case .admitted(let ticket):
      connections[slot].ticket = ticket
      connections[slot].note?.user = ticket.user
      letIn(slot, head, wanted, to: station)
    case .refused(let status, let code, let message, let fields):
      connections.counts.refuse(.auth)
      answers.replyError(
        slot, to: head, status: status, code: code, message: message, fields: fields)
    }
  }

  /// Checks an admitted request once more, then gives what is wanted: much may have changed since the request came.
  func letIn(
    _ slot: UInt32, _ head: HTTPRequestHead, _ wanted: Wanted, to station: String
  ) {
    guard let mount = connections.mounts.mount(station: station), !mount.isStopped,
      !connections.isDraining
    else {
      connections.giveBackTicket(slot)
      return answers.replyStopped(slot, to: head, station)
    }
    guard wanted.isFound(in: mount.content) else {
      connections.giveBackTicket(slot)
      return answers.replyUnavailable(
        slot, to: head, "station \(station) plays something else by now")
    }
    if refuseBanned(slot, head) || refuseUnwelcome(slot, head, at: mount)
      || refuseForbidden(slot, head, wanted, of: mount)
    {
      return connections.giveBackTicket(slot)
    }
    give(slot, head, wanted, of: mount)
  }

  // MARK: Rules

  /// Answers a banned client; false when the client is not banned. `/api/v1` and the dashboard stay open, since what
  /// matters there needs the token: an administrator behind the same address can lift the ban.
  func refuseBanned(_ slot: UInt32, _ head: HTTPRequestHead) -> Bool {
    guard shared.gate.isBanned(connections.client(slot, head)),
      !Routes.isForAdministrators(head, in: connections.mounts)
    else { return false }
    connections.counts.refuse(.banned)
    // Further input of the client is not read.
    var last = head
    last.fields.set("Connection", "close")
    let refusal = HearingRefusal.banned
    answers.replyError(
      slot, to: last, status: refusal.status, code: refusal.code, message: refusal.message)
    return true
  }

  /// Answers a client that the server's or the station's rules do not let listen; false when no rule refuses it.
  private func refuseUnwelcome(_ slot: UInt32, _ head: HTTPRequestHead, at mount: Mount) -> Bool {
    let client = connections.client(slot, head)
    guard
      let refusal = shared.gate.refusal(
        of: client, agent: head.fields["User-Agent"], at: mount.access)
    else { return false }
    connections.counts.refuse(.denied)
    answers.replyError(
      slot, to: head, status: refusal.status, code: refusal.code, message: refusal.message)
    return true
  }

  /// Answers a request for what the station does not allow; false when the station allows it.
  private func refuseForbidden(
    _ slot: UInt32, _ head: HTTPRequestHead, _ wanted: Wanted, of mount: Mount
  ) -> Bool {
    switch wanted {
    case .stream(let request):
      let isShift = request.place != .live || request.seek?.isShift == true
      guard !mount.settings.allowsShift, isShift else { return false }
      connections.counts.refuse(.rights)
      answers.replyError(
        slot, to: head, status: 403, code: "shift-off",
        message: "station \(mount.station) is heard live only; leave out offset, at and seek",
        field: ["offset", "at"].first { head.query[$0] != nil } ?? "seek")
    case .samples(let request):
      guard !mount.settings.allowsShift, request.place != .live else { return false }
      connections.counts.refuse(.rights)
      answers.replyError(
        slot, to: head, status: 403, code: "shift-off",
        message: "station \(mount.station) is heard live only; leave out offset and at",
        field: head.query["offset"] != nil ? "offset" : "at")
    case .clip:
      if mount.settings.givesClips { return false }
      connections.counts.refuse(.rights)
      answers.replyError(
        slot, to: head, status: 403, code: "clip-off",
        message: "station \(mount.station) gives no clips")
    case .file, .fileList: return false
    }
    return true
  }
}

/// The wish for which a client has to be admitted.
enum Wanted: Sendable {
  case stream(StreamRequest)
  case clip(ClipRequest)
  case samples(SampleRequest)
  case file(FileRequest)
  case fileList(MountTable.PlaylistKind)

  func isFound(in content: Mount.Content) -> Bool {
    switch (self, content) {
    case (.stream, .stream), (.clip, .stream), (.samples, .stream): true
    case (.file, .files), (.fileList, .files): true
    case (.stream, _), (.clip, _), (.samples, _), (.file, _), (.fileList, _): false
    }
  }
}
