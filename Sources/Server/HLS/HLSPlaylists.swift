import Reactor
import Timeshift
import Wire

/// Playlists that go on: answered out of what is kept, made off the loop, or waited for.
final class HLSPlaylists {
  /// A request that is being answered.
  private struct Wish {
    let token: UInt64
    let request: HLSPlaylistRequest
    let station: String
    let customer: AddressBlock?
    /// Time to give up, monotonic nanoseconds.
    var deadline: Int64
    var hasWaited = false
    /// What the list followed from that had no newer piece; nil before.
    var seen: HLSSource.Stamp?
  }

  /// A station's pieces as of one turn: thousands that wake in it look once.
  private struct Place {
    let mount: Mount
    let source: HLSSource
    let stamp: HLSSource.Stamp
  }

  private let connections: Connections
  private let loop: EventLoop
  private let shared: SharedState
  private let answers: Answers
  /// Requests that wait for a piece, by station.
  private var waits: [String: [Wish]] = [:]

  init(_ connections: Connections, _ answers: Answers) {
    self.connections = connections
    self.answers = answers
    loop = connections.loop
    shared = connections.shared
  }

  /// Leads to the playlist of the qualities; its address is seen from the request's own.
  func redirect(_ slot: UInt32, _ head: HTTPRequestHead, _ mount: Mount) {
    if let problem = mount.hlsRefusal?.message ?? mount.hlsProblem {
      return refuse(slot, head, problem)
    }
    let name = mount.name(ofPlaylist: head.path)
    let last = name.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    let query = head.query.raw.isEmpty ? "" : "?" + head.query.raw
    answers.reply(
      slot, to: head, status: 302, mediaType: "text/plain", body: [],
      fields: [.init(name: "Location", value: "./\(last)/hls/live.m3u8\(query)")])
  }

  private func refuse(_ slot: UInt32, _ head: HTTPRequestHead, _ problem: String) {
    answers.replyError(slot, to: head, status: 404, code: "no-hls", message: problem)
  }

  // MARK: Listeners

  /// Answers an admitted request.
  func send(
    _ slot: UInt32, _ head: HTTPRequestHead, _ request: HLSPlaylistRequest, _ mount: Mount
  ) {
    if let problem = mount.hlsProblem {
      connections.giveBackTicket(slot)
      return refuse(slot, head, problem)
    }
    guard head.method == "HEAD" || enter(slot, head, request, mount) else {
      return connections.giveBackTicket(slot)
    }
    // The audience has it, or nobody listens.
    connections.giveBackTicket(slot)
    if head.method != "HEAD" {
      mount.counters.asked(at: loop.turnTime)
      mount.demand?.ask()
    }
    let client = connections.client(slot, head)
    var patience = mount.firstPacketTimeout ?? shared.configuration.firstPacketTimeout
    if mount.demand != nil { patience += Double(mount.settings.hls.segment) + 5 }
    if request.directives.number != nil { patience = Self.blockedTargets * target(of: mount) }
    let deadline = loop.turnTime + Int64(nanosecondsIn: patience)
    // The answer of a wait that is over comes before the connection's own time is up.
    connections[slot].deadline = deadline.saturatingAdd(Self.spare)
    go(
      slot, head,
      Wish(
        token: connections.token(slot), request: request, station: mount.station,
        customer: AddressBlock(client), deadline: deadline),
      place(of: mount.station))
  }

  private static let spare: Int64 = 30_000_000_000
  /// Targets for which a piece is waited for.
  private static let blockedTargets = 3.0
  /// Targets after the last playlist for which a listener counts.
  private static let listenerTargets = 3.0

  private func target(of mount: Mount) -> Double { Double(mount.settings.hls.segment) }

  /// Counts the client as a listener, or answers that it may not listen.
  private func enter(
    _ slot: UInt32, _ head: HTTPRequestHead, _ request: HLSPlaylistRequest, _ mount: Mount
  ) -> Bool {
    let client = connections.client(slot, head)
    let audience = shared.hls.audience
    let (listener, now) = (HLSListener(head, client, at: mount), MonotonicTime.now())
    // A request may wait before the next one comes.
    let waiting = request.directives.number == nil ? 0 : Self.blockedTargets
    let until = now.adding((Self.listenerTargets + waiting) * target(of: mount))
    let ticket = connections[slot].ticket
    if audience.renew(listener, until: until, ticket: ticket, at: now) {
      connections[slot].ticket = nil
      return true
    }
    guard answers.mayStart(slot, head, client, mount), reservePlace(slot, head, client, mount)
    else { return false }
    if audience.add(listener, client, mount.counters, ticket: ticket, until: until, at: now) {
      connections[slot].ticket = nil
      return true
    }
    mount.counters.releasePlace()
    shared.release(client)
    shared.hlsPlaces.release(AddressBlock(client))
    // Another loop was first, or there is no room.
    if audience.renew(listener, until: until, ticket: nil, at: now) { return true }
    answers.replyUnavailable(slot, to: head, "the server has all the listeners it takes")
    return false
  }

  /// Reserves all places that a listener needs, or answers that there is none.
  private func reservePlace(
    _ slot: UInt32, _ head: HTTPRequestHead, _ client: Peer, _ mount: Mount
  ) -> Bool {
    guard shared.hlsPlaces.reserve(AddressBlock(client)) else {
      connections.counts.refuse(.address)
      answers.replyError(
        slot, to: head, status: 429, code: "too-many-listeners",
        message: "your address has all the listeners it may have",
        fields: [.init(name: "Retry-After", value: "30")])
      return false
    }
    if answers.admit(slot, head, client, to: mount) { return true }
    shared.hlsPlaces.release(AddressBlock(client))
    return false
  }

  // MARK: Lists

  private func extent(_ request: HLSPlaylistRequest, of mount: Mount) -> HLSListKey.Extent {
    guard let at = request.at else { return .window(mount.hlsWindow(request.length)) }
    let limit = Mount.hlsWindowMax
    guard let most = mount.settings.offsetMax else { return .from(at, limit: limit) }
    // Pieces have the mount's own times, its delay with them.
    let earliest = Moment.now().wall.adding(seconds: -most.seconds)
    return .from(max(at, earliest), limit: limit)
  }

  private func place(of station: String) -> Place? {
    HLSStation(station, connections).map { found in
      Place(mount: found.mount, source: found.source, stamp: found.source.stamp(at: .now()))
    }
  }

  /// Goes on with a request: its list is there, or made.
  ///
  /// - Parameter place: nil for a station that plays no longer.
  private func go(_ slot: UInt32, _ head: HTTPRequestHead, _ wish: Wish, _ place: Place?) {
    guard let place else { return answers.replyStopped(slot, to: head, wish.station) }
    let (desk, customer) = (shared.hls.desk, wish.customer)
    let key = HLSListKey(stamp: place.stamp, extent: extent(wish.request, of: place.mount))
    if let list = desk.keptList(key) { return answer(slot, head, wish, place, key, list) }
    connections.answerOffLoop(slot) {
      await desk.list(key, of: place.source, for: customer)
    } then: { [self] slot, head, list in
      guard let list else {
        return answers.replyUnavailable(slot, to: head, "too much is asked for; ask again")
      }
      answer(slot, head, wish, place, key, list)
    }
  }

  private func answer(
    _ slot: UInt32, _ head: HTTPRequestHead, _ wish: Wish, _ place: Place, _ key: HLSListKey,
    _ list: HLSList
  ) {
    guard let next = list.next else {
      return wait(
        slot, head, wish, place, "station \(wish.station) has nothing to list yet", after: 2)
    }
    if wish.request.kind == .multivariant {
      return sendVariants(slot, head, wish.request, place.mount)
    }
    if let number = wish.request.directives.number, number >= UInt64(clamping: next),
      !list.isFinished
    {
      guard number < UInt64(clamping: next + 2) else {
        return answers.replyError(
          slot, to: head, status: 400, code: "bad-parameter",
          message: "_HLS_msn is far ahead; the next segment is \(next)",
          field: "_HLS_msn")
      }
      return wait(
        slot, head, wish, place, "station \(wish.station) has no newer segment", after: 1)
    }
    sendMedia(slot, head, wish, place, key, list)
  }

  /// Holds no list while the playlist waits to be written, as thousands may.
  private func sendMedia(
    _ slot: UInt32, _ head: HTTPRequestHead, _ wish: Wish, _ place: Place, _ key: HLSListKey,
    _ list: HLSList
  ) {
    let (request, mount) = (wish.request, place.mount)
    var page = HLSDesk.PageKey(list: key)
    page.takesGzip = ContentCoding.preferred(by: head.fields) == .gzip
    if mount.authority != nil {
      page.seal = shared.hls.seal.seal(of: mount.station, at: Moment.now().wall)
      page.isSkippable = false
    } else {
      switch request.directives.skip {
      case .nothing: break
      case .segments: page.extent = .newer
      case .segmentsAndTitles: page.extent = .newerWithTitles
      }
    }
    if request.length == nil, request.at == nil, let first = list.cells.pieces.first,
      let last = list.cells.pieces.last
    {
      page.firstNumber = mount.counters.firstNumber(first.number...max(first.number, last.number))
    }
    page.start = start(request, list)
    let kind: HLSFigures.Kind =
      wish.hasWaited ? .blocked : page.extent == .whole ? .media : .delta
    let isPlain = request.at == nil && request.offset == nil && request.length == nil
    let cacheControl =
      mount.authority != nil
      ? Self.isPrivate
      : wish.hasWaited && isPlain
        ? Self.forSeconds(MediaPlaylist.skipTargets * max(1, list.target)) : Self.forSeconds(1)
    let (desk, key) = (shared.hls.desk, page)
    if let made = desk.keptPage(key) { return reply(slot, head, made, kind, cacheControl) }
    let (source, customer) = (place.source, wish.customer)
    connections.answerOffLoop(slot) {
      await desk.page(key, of: source, for: customer)
    } then: { [self] slot, head, made in
      guard let made else {
        return answers.replyUnavailable(slot, to: head, "too much is asked for; ask again")
      }
      reply(slot, head, made, kind, cacheControl)
    }
  }

  private static let isPrivate = HTTPFields.Field(
    name: "Cache-Control", value: "private, no-store")

  private static func forSeconds(_ seconds: Int) -> HTTPFields.Field {
    .init(name: "Cache-Control", value: "max-age=\(seconds)")
  }

  /// Returns where the player begins, in flicks: behind the list's beginning, or before its end.
  private func start(_ request: HLSPlaylistRequest, _ list: HLSList) -> Int64? {
    guard let first = list.cells.pieces.first, let last = list.cells.pieces.last else { return nil }
    if let at = request.at {
      let late = MediaTime(nanoseconds: at.nanoseconds(since: first.air))
      return max(.zero, min(late, last.end - first.start)).stored
    }
    return request.offset.map { (MediaTime.zero - min($0, last.end - first.start)).stored }
  }

  private func reply(
    _ slot: UInt32, _ head: HTTPRequestHead, _ page: HLSPage, _ kind: HLSFigures.Kind,
    _ cacheControl: HTTPFields.Field
  ) {
    let isKnown = page.tag.isNamed(in: head.fields)
    shared.hls.figures.count(kind, isKnown ? 304 : 200)
    var fields = page.fields(cacheControl)
    if isKnown { fields.removeAll { $0.name == "Content-Encoding" } }
    answers.reply(
      slot, to: head, status: isKnown ? 304 : 200, mediaType: HLSPage.mediaType,
      body: isKnown ? [] : page.body, fields: fields, of: page.shared)
  }

  private func sendVariants(
    _ slot: UInt32, _ head: HTTPRequestHead, _ request: HLSPlaylistRequest, _ mount: Mount
  ) {
    let playlist = MultivariantPlaylist(
      of: mount, request, depth: head.path.utf8.count { $0 == UInt8(ascii: "/") } - 1,
      in: connections.mounts)
    let page = HLSPage(playlist.text, takesGzip: false)
    reply(
      slot, head, page, .multivariant,
      mount.authority != nil ? Self.isPrivate : Self.forSeconds(60))
  }

  // MARK: Waiting

  /// Waits for a newer piece, or answers that there is none in time.
  private func wait(
    _ slot: UInt32, _ head: HTTPRequestHead, _ wish: Wish, _ place: Place, _ message: String,
    after seconds: Int
  ) {
    if loop.turnTime >= wish.deadline || head.method == "HEAD" {
      return answers.replyError(
        slot, to: head, status: 503, code: "unavailable", message: message,
        fields: [.init(name: "Retry-After", value: String(seconds))])
    }
    var wish = wish
    if !wish.hasWaited, wish.request.directives.number != nil { wish.hasWaited = true }
    wish.seen = place.stamp
    shared.hls.figures.wait(1)
    waits[wish.station, default: []].append(wish)
  }

  /// Nanoseconds of a slot of 25 ms in which requests go on: thousands may wait for one piece, and ask again at once.
  private static let wakeNanoseconds: Int64 = 6_000_000

  /// Once a slot: looks once a station whether there is a newer piece. Stations that few wait for come first.
  func serveWaits(now: Int64) {
    if waits.isEmpty { return }
    let stop = MonotonicTime.now().nanoseconds + Self.wakeNanoseconds
    let stations = waits.sorted { $0.value.count < $1.value.count }.map(\.key)
    for station in stations {
      let place = place(of: station)
      var all = waits[station] ?? []
      let due = all.partition { $0.seen != place?.stamp || $0.deadline <= now }
      waits[station] = due == 0 ? nil : Array(all[..<due])
      for index in due..<all.count {
        goOn(all[index], place)
        if MonotonicTime.now().nanoseconds >= stop {
          if index + 1 < all.count { waits[station, default: []] += all[(index + 1)...] }
          return
        }
      }
    }
  }

  private func goOn(_ wish: Wish, _ place: Place?) {
    shared.hls.figures.wait(-1)
    guard let slot = connections.slot(of: wish.token),
      case .answering(let head, _) = connections[slot].state
    else { return }
    if let place, !mayStill(slot, head, wish, place.mount) {
      answers.replyUnavailable(
        slot, to: head, "station \(wish.station) has changed meanwhile; ask again")
    } else {
      go(slot, head, wish, place)
    }
    if connections.slot(of: wish.token) != nil { connections.owner.proceed(slot) }
  }

  /// Whether a request that has waited may still have what it was let in to. Another one is judged anew.
  private func mayStill(
    _ slot: UInt32, _ head: HTTPRequestHead, _ wish: Wish, _ mount: Mount
  ) -> Bool {
    let (settings, client) = (mount.settings, connections.client(slot, head))
    guard settings.hls.isOn,
      settings.allowsShift || (wish.request.offset == nil && wish.request.at == nil)
    else { return false }
    guard case .tcp = client else { return true }
    let gate = shared.gate
    let isUnwelcome =
      gate.isBanned(client)
      || gate.refusal(of: client, agent: head.fields["User-Agent"], at: mount.access) != nil
    if isUnwelcome || mount.authority == nil { return !isUnwelcome }
    return shared.hls.audience.isAdmitted(HLSListener(head, client, at: mount), at: .now())
  }

  /// Answers at once what waits: the server stops.
  func endWaits() {
    let all = waits.values.flatMap(\.self)
    waits = [:]
    for wish in all { goOn(wish, nil) }
  }

  func bear(_ nanoseconds: Int64) {
    for station in waits.keys {
      for index in waits[station]?.indices ?? 0..<0 {
        waits[station]?[index].deadline += nanoseconds
      }
    }
  }
}
