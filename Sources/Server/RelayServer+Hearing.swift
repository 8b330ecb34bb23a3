import Reactor
import Timeshift
import Wire

extension RelayServer {
  /// Says what a client may hear of a station, by the same rules as for its stream: bans, addresses, players, how far
  /// behind live, and the station's authority. Measures made of samples tell what is heard, so their requests ask here.
  public func hearing(
    of station: String, at place: HeardPlace, for request: APIRequest
  ) async throws(HearingRefusal) -> Hearing {
    guard case .tcp = request.origin, let mount = mount(of: station) else { return Hearing() }
    let (client, head) = (request.origin, request.head)
    if shared.gate.isBanned(client) { throw .banned }
    if let refusal = shared.gate.refusal(
      of: client, agent: head.fields["User-Agent"], at: mount.access)
    {
      throw refusal
    }
    var hearing = Hearing(
      reach: mount.settings.reach.map { ($0.offset + $0.slack + mount.settings.burst).seconds },
      seconds: mount.settings.listeningTime(by: nil))
    if let reach = hearing.reach, behind(place, in: mount) > reach {
      throw Self.beyondReach(mount)
    }
    if let authority = mount.authority {
      let left = try await ask(authority, of: station, head, from: client)
      hearing.seconds = left ?? hearing.seconds
    }
    return hearing
  }

  private static func beyondReach(_ mount: Mount) -> HearingRefusal {
    let rest =
      mount.settings.allowsShift
      ? "is not heard so far behind live" : "is heard live only"
    return HearingRefusal(
      status: 403, code: "shift-off", message: "station \(mount.station) \(rest)")
  }

  /// Seconds.
  private func behind(_ place: HeardPlace, in mount: Mount) -> Double {
    switch place {
    case .live: return 0
    case .behind(let seconds): return seconds
    case .media(let media):
      guard case .stream(let log, let delay) = mount.content else { return 0 }
      let shown = delay == .zero ? log.snapshot() : log.snapshot(delay: delay, at: .now())
      return shown.edge.media.seconds - media
    }
  }

  /// Returns the seconds that are left of the ticket that the client is let in with; nil where it does not say.
  private func ask(
    _ authority: any ListenerAuthorizing, of station: String, _ head: HTTPRequestHead,
    from client: Peer
  ) async throws(HearingRefusal) -> Double? {
    let known = shared.hearers
    if let answer = known.answer(authority, of: station, to: head, from: client) {
      return try answer.get()
    }
    // A service is asked about the station's own path, as for its stream.
    var asked = head
    let token = head.query["token"].map { "?token=" + URLText.percentEncoded($0) } ?? ""
    (asked.path, asked.target) = ("/" + station, "/" + station + token)
    let id = shared.nextListenerID()
    let verdict = await authority.admit(ListenerRequest(head: asked, origin: client, id: id))
    known.note(verdict, by: authority, of: station, to: head, from: client)
    switch verdict {
    case .admitted(let ticket):
      ticket.whenOver?(0)
      return ticket.timeMax
    case .refused(let status, let code, let message, let fields):
      throw HearingRefusal(status: status, code: code, message: message, fields: fields)
    }
  }
}
