import Reactor
import Timeshift
import Wire

/// The way from a request for something of a station to a decision: rules first, then the mount's authority, off the
/// loop.
final class Admission {
  private let connections: Connections
  private let shared: SharedState
  private let givers: Givers
  private var answers: Answers { givers.answers }

  init(_ connections: Connections, _ givers: Givers) {
    self.connections = connections
    self.givers = givers
    shared = connections.shared
  }

  /// Reads what a request wants and applies the rules, then asks the mount's authority or gives what is wanted.
  func consider(_ slot: UInt32, _ head: HTTPRequestHead, _ found: Routes.Found) {
    guard let read = found.row.read else { return }
    let mount = found.mount
    let wanted: any Wanted
    do throws(StreamRequest.Refusal) {
      wanted =
        if let known = found.wanted {
          known
        } else {
          try read(
            PathRequest(
              head: head, mount: mount, parts: found.parts, now: Moment.now().wall,
              mounts: connections.mounts))
        }
    } catch {
      return answers.replyError(
        slot, to: head, status: 400, code: "bad-parameter", message: error.message,
        field: error.field)
    }
    if found.row.isForAll { return wanted.give(slot, head, of: mount, by: givers) }
    if mount.isStopped {
      return answers.replyStopped(slot, to: head, mount.station)
    }
    if refuseUnwelcome(slot, head, at: mount) || refuseForbidden(slot, head, wanted, of: mount) {
      return
    }
    // The administration's own socket is no player, so no authority is asked.
    if let authority = mount.authority, case .tcp = connections[slot].origin,
      wanted.asksAuthority(head, connections.client(slot, head), of: mount, shared)
    {
      return askAuthority(authority, slot, head, wanted, mount)
    }
    wanted.give(slot, head, of: mount, by: givers)
  }

  /// Asks the mount's authority; the connection waits as for any other answer.
  private func askAuthority(
    _ authority: any ListenerAuthorizing, _ slot: UInt32, _ head: HTTPRequestHead,
    _ wanted: any Wanted, _ mount: Mount
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
    on verdict: ListenerVerdict, _ slot: UInt32, _ head: HTTPRequestHead, _ wanted: any Wanted,
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
    _ slot: UInt32, _ head: HTTPRequestHead, _ wanted: any Wanted, to station: String
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
        slot, to: head, "station \(station) has changed meanwhile; ask again")
    }
    if refuseBanned(slot, head) || refuseUnwelcome(slot, head, at: mount)
      || refuseForbidden(slot, head, wanted, of: mount)
    {
      return connections.giveBackTicket(slot)
    }
    wanted.give(slot, head, of: mount, by: givers)
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
    _ slot: UInt32, _ head: HTTPRequestHead, _ wanted: any Wanted, of mount: Mount
  ) -> Bool {
    guard let refusal = wanted.refusal(to: head, at: mount) else { return false }
    connections.counts.refuse(.rights)
    answers.replyError(
      slot, to: head, status: 403, code: refusal.code, message: refusal.message,
      field: refusal.field)
    return true
  }
}
