import Longwave
import Server

// Icecast's status, and the pages of its administration.
extension MonitorAnswers {
  func status() async throws -> APIResponse {
    let base = base
    if let kept, query["mount"] == nil {
      let page = await kept.status()
      return .made(page.key("status \(base)"), "application/json") {
        page.value.bytes(base: base) + [10]
      }
    }
    let all = await stations().value
    let shown = try query["mount"].map { mount in [try Self.find(mount, in: all)] }
    let status = IcecastStatus(
      stations: shown ?? all.list, figures: await figures(), base: base,
      host: WebURL.parts(of: base).host)
    return .madeJSON { status.json }
  }

  func mounts() async -> APIResponse {
    let admin = await admin()
    return answer { admin.mounts }
  }

  func clients() async throws -> APIResponse {
    let admin = await admin()
    let station = try await station()
    let listeners = await listeners(of: station)
    return answer { admin.clients(of: station, listeners) }
  }

  func streamList() async -> APIResponse {
    let admin = await admin()
    return .made(nil, "text/plain; charset=utf-8") { Array(admin.streamList.utf8) }
  }

  /// Answers `/admin/stats` for one station or for all.
  func serverFigures() async throws -> APIResponse {
    let (all, admin) = (await stations().value, await admin())
    let shown = try query["mount"].map { (mount) in [try Self.find(mount, in: all)] }
    return answer { admin.stats(of: shown ?? admin.stations.filter(\.isConnected)) }
  }

  /// Answers with a form for a title.
  func titleForm() async throws -> APIResponse {
    let mount = try await station().mount
    return .page(Self.html, IcecastAdminPage.titleForm(mount))
  }

  func killSource() async throws -> APIResponse {
    _ = try await relay.perform(.stop, on: try await station().snapshot.id)
    return reply("Source Removed")
  }

  func killClient() async throws -> APIResponse {
    let listeners = await listeners(of: try await station())
    guard let id = query["id"] else { throw APIError.badParameter("id", "say which listener") }
    // Scripts for Icecast look at `return`, not at the status.
    guard let listener = listeners.first(where: { String($0.id) == id }),
      await relay.kick(listener.id)
    else { return reply("Client \(id) not found", isDone: false) }
    return reply("Client \(id) removed")
  }

  func moveClients() async throws -> APIResponse {
    let from = try await station()
    if isPage, query["destination"] == nil {
      let admin = await admin()
      return answer { admin.targets(from: from) }
    }
    guard let destination = query["destination"] else {
      throw APIError.badParameter("destination", "name a station, such as /rock")
    }
    let target = try Self.find(destination, in: await stations().value)
    var moving = await listeners(of: from)
    if query["id"] != nil { moving = [try listener(in: moving)] }
    for listener in moving { try await relay.move(listener.id, to: target.snapshot.id) }
    return reply("Clients moved from \(from.mount) to \(target.mount)")
  }

  /// Sets a station's fallback to the station that `fallback` names.
  func setFallback() async throws -> APIResponse {
    let station = try await station()
    guard let fallback = query["fallback"] else {
      throw APIError.badParameter("fallback", "name a station, such as /rock")
    }
    let other = try Self.find(fallback, in: await stations().value)
    try await relay.setFallback(of: station.snapshot.id, to: other.snapshot.id, from: origin)
    return reply("Fallback configured")
  }

  /// Answers `/status.xsl`.
  func statusPage() async throws -> APIResponse {
    let all = await stations()
    let shown = try query["mount"].map { mount in [try Self.find(mount, in: all.value)] }
    let page = IcecastStatusPage(stations: shown ?? all.value.list)
    let key = query["mount"] == nil ? all.key("status page") : nil
    return .made(key, "text/html; charset=utf-8") { Array(page.html.utf8) }
  }

  private static let html = "text/html; charset=utf-8"

  /// Answers in XML for scripts, or with a page for people.
  private func answer(_ content: @escaping @Sendable () -> XMLElement) -> APIResponse {
    if isPage { return .made(nil, Self.html) { Array(IcecastAdminPage.page(of: content()).utf8) } }
    return .madeXML { content().document }
  }

  /// Answers a call that does something.
  func reply(_ message: String, isDone: Bool = true) -> APIResponse {
    let content = IcecastAdmin.reply(message, isDone: isDone)
    return isPage
      ? .page(Self.html, IcecastAdminPage.page(of: content)) : .xml(content.document)
  }

  private func admin() async -> IcecastAdmin {
    IcecastAdmin(
      stations: await stations().value.list, figures: await figures(), base: base)
  }

  /// Returns the station that `mount` names.
  private func station() async throws -> MonitoredStation {
    guard let mount = query["mount"] else {
      throw APIError.badParameter("mount", "name the station, such as /jazz")
    }
    return try Self.find(mount, in: await stations().value)
  }

  func listeners(of station: MonitoredStation) async -> [ListenerSnapshot] {
    await relay.listenerSnapshots().filter { $0.station == station.snapshot.id }
  }

  /// Returns the listener that `id` names.
  private func listener(in listeners: [ListenerSnapshot]) throws -> ListenerSnapshot {
    guard let id = query["id"] else { throw APIError.badParameter("id", "say which listener") }
    guard let listener = listeners.first(where: { String($0.id) == id }) else {
      throw APIError.unknownListener(id)
    }
    return listener
  }
}
