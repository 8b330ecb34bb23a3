import Foundation
import Library
import Logging
import Programmes
import Reactor
import Server
import Synchronization
import Testing
import Timeshift
import Wire

@testable import Ingest
@testable import Longwave
@testable import LongwaveAPI
@testable import LongwaveAdmin

/// Has the collection `hot` with its member 5.
struct FakeCollections: CollectionControl {
  private static let hot = CollectionView(
    id: "hot", name: nil, rule: nil, tracks: 1, seconds: 60, missing: 0,
    changed: WallTime(unixSeconds: 0), usedBy: [], members: nil, next: nil)

  private func require(_ id: String) throws(RelayError) {
    if id != "hot" { throw .unknownCollection(id, near: nil) }
  }

  private func require(_ member: Int64, of id: String) throws(RelayError) {
    try require(id)
    if member != 5 { throw .unknownMember(member, of: id) }
  }

  func list() async throws(RelayError) -> [CollectionView] { [Self.hot] }

  func show(_ id: String, limit: Int, after: MemberMark?) async throws(RelayError) -> CollectionView
  {
    try require(id)
    return Self.hot
  }

  func create(
    _ id: String, name: String?, rule: String?
  ) async throws(RelayError) -> CollectionView {
    if id == "hot" { throw .collectionExists(id) }
    return Self.hot
  }

  func change(
    _ id: String, name: String??, rule: String?
  ) async throws(RelayError) -> CollectionView {
    try require(id)
    return Self.hot
  }

  func remove(_ id: String) async throws(RelayError) { try require(id) }

  func add(
    _ new: CollectionDesk.NewMembers, to id: String
  ) async throws(RelayError) -> CollectionView {
    try require(id)
    return Self.hot
  }

  func remove(member: Int64, of id: String) async throws(RelayError) {
    try require(member, of: id)
  }

  func move(
    member: Int64, of id: String, before: Int64?
  ) async throws(RelayError) -> CollectionView {
    try require(member, of: id)
    return Self.hot
  }

  func importList(
    _ bytes: [UInt8], name: String, base: String?, to id: String
  ) async throws(RelayError) -> CollectionImport {
    try require(id)
    return CollectionImport(added: 0, missing: [])
  }

  func export(
    _ id: String, as format: CollectionDesk.Format, paths: CollectionDesk.Paths, base: String?
  ) async throws(RelayError) -> [UInt8] {
    try require(id)
    return Array("#EXTM3U\n".utf8)
  }
}

/// A relay that has one station, unless it is told otherwise, and remembers what it was asked to do.
final class FakeRelay: RelayControl {
  let stations: [StationSnapshot]
  /// Told as the history in place of one title.
  let played: [HistoryEntry]?
  init(_ stations: [StationSnapshot] = [Sample.station], played: [HistoryEntry]? = nil) {
    self.stations = stations
    self.played = played
  }
  /// Settings of the pages.
  let web = Mutex(WebSettings())
  private let asked = Mutex<[String]>([])
  var done: [String] { asked.withLock(\.self) }
  private func note(_ text: String) { asked.withLock { $0.append(text) } }

  func stationSnapshots() async -> [StationSnapshot] { stations }

  func stationSnapshot(_ id: String) async throws(RelayError) -> StationSnapshot {
    guard id == "jazz" else { throw RelayError.unknownStation(id) }
    return Sample.station
  }

  func timeZone(of station: String) async -> ZoneOffsets { .utc }

  func history(of id: String, limit: Int) async throws(RelayError) -> [HistoryEntry] {
    note("history \(limit)")
    let playing = try await stationSnapshot(id).nowPlaying
    if let played { return played }
    return [HistoryEntry(playing: playing, end: nil, seconds: 12.5, isInWindow: true)]
  }

  func timeline(of id: String) async throws(RelayError) -> StationTimeline {
    _ = try await stationSnapshot(id)
    return Sample.timeline
  }

  var hasRoomForMoment: Bool { true }

  func hearing(
    of id: String, at place: HeardPlace, for request: APIRequest
  ) async throws(HearingRefusal) -> Hearing { Hearing() }

  func sound(of id: String, for origin: Peer) async throws(RelayError) -> StationSound {
    _ = try await stationSnapshot(id)
    return Sample.sound
  }

  func waveform(of id: String) async throws(RelayError) -> StationWaveform {
    _ = try await stationSnapshot(id)
    return Sample.waveform
  }

  func replayed(of id: String) async throws(RelayError) -> StationReplays {
    StationReplays(station: try await stationSnapshot(id).id)
  }

  func artwork(of id: String, at position: UInt64?) async throws(RelayError) -> Artwork {
    _ = try await stationSnapshot(id)
    let picture = FetchedPicture(mediaType: "image/png", bytes: [0x89])
    return Artwork(
      url: "http://x/\(position ?? 0).png", isOfTitle: position != nil, picture: picture)
  }

  var collections: any CollectionControl { FakeCollections() }
  var library: LibraryDesk {
    get async { await FakeLibrary.shared.desk }
  }
  func note(of track: TrackKey) -> TrackNote { TrackNote() }
  func change(_ track: TrackKey, by change: TrackNote.Change) async throws(RelayError) {
    note("change \(track) by \(change)")
  }
  func trackOnAir(at station: String) async throws(RelayError) -> TrackKey {
    throw RelayError.noTrackOnAir(try await stationSnapshot(station).id)
  }

  func webSettings() async -> WebSettings { web.withLock(\.self) }
  /// Who may read the metrics.
  let allowed = Mutex(MetricsSettings())
  func metricsSettings() async -> MetricsSettings { allowed.withLock(\.self) }
  func metrics() async -> RelayMetrics { RelayMetrics(figures: Sample.figures) }

  func files(
    of id: String, isAdmin: Bool, for origin: Peer
  ) async throws(RelayError) -> FileList {
    _ = try await stationSnapshot(id)
    let file = FileEntry(
      path: "a.mp3", bytes: 5, seconds: nil, mediaType: "audio/mpeg",
      modified: WallTime(nanoseconds: 0))
    return FileList(entries: [file], version: 1)
  }

  func definitions() async -> [JSON] {
    let jazz = StationDefinition(
      id: "jazz", name: "All Jazz", upstream: ["http://u:p@upstream/?key=1"])
    return [jazz.json]
  }

  func add(
    _ station: StationDefinition, from origin: Peer
  ) async throws(RelayError) -> StationSnapshot {
    if station.id == "jazz" { throw RelayError.stationExists("jazz", place: nil) }
    note("add \(station.id)")
    return Sample.station
  }

  func change(
    _ id: String, by patch: JSON, from origin: Peer
  ) async throws(RelayError) -> StationSnapshot {
    note("change \(id) \(patch.text)")
    return try await stationSnapshot(id)
  }

  func setFallback(of id: String, to other: String, from origin: Peer) async throws(RelayError) {
    note("fallback of \(id) \(other)")
    _ = try await stationSnapshot(id)
  }

  func check(_ urls: [String]) async throws(RelayError) -> [UpstreamFinding] { [] }

  func remove(_ id: String) async throws(RelayError) {
    _ = try await stationSnapshot(id)
    note("remove \(id)")
  }

  func perform(_ command: StationCommand, on id: String) async throws(RelayError) -> StationSnapshot
  {
    note("\(command.rawValue) \(id)")
    return try await stationSnapshot(id)
  }

  func renditionPaths(of id: String) async -> [String] { [] }

  func reload() async throws(RelayError) -> ReloadReport {
    note("reload")
    return ReloadReport(added: ["a"], removed: ["b"], needRestart: ["server.listen"])
  }

  func url(of path: String) async -> String { "http://localhost:8000/" + path }

  func configurationChanges() async throws(RelayError) -> ConfigurationChanges {
    ConfigurationChanges()
  }

  func admit(source request: APIRequest) async throws(APIError) -> APIResponse {
    note("admit \(request.head.path)")
    return .whole(status: 200, mediaType: "", body: [])
  }

  func admit(shoutcast login: ShoutcastLogin, from origin: Peer) async -> APIResponse {
    note("admit a source from \(origin.host)")
    return .whole(status: 401, mediaType: "", body: ShoutcastLogin.refused())
  }

  func station(ofSource password: [UInt8], at mount: String?) async -> String? {
    password.elementsEqual("push-it!".utf8) && (mount ?? "/jazz") == "/jazz" ? "jazz" : nil
  }

  func announce(_ title: Title, on id: String) async throws(RelayError) {
    _ = try await stationSnapshot(id)
    note("announce \(id) \(title.text) \(title.url)")
  }

  func announce(_ title: SentTitle, on id: String) async throws(RelayError) {
    try await announce(title.title { Charset.decode($0) }, on: id)
  }

  func move(_ listener: UInt64, to station: String) async throws(RelayError) {
    _ = try await stationSnapshot(station)
    guard listener == 7 else { throw RelayError.unknownListener(listener) }
    note("move \(listener) \(station)")
  }

  func familiarity(
    of token: SessionToken, to origin: Peer
  ) async -> SessionFamiliarity {
    token.text == "known-token" ? .others : .unknown
  }

  func show(session token: SessionToken, at origin: Peer) async {}

  func steer(
    session token: SessionToken, _ steering: Steering?
  ) async throws(RelayError) -> SessionSnapshot {
    guard token.text == "known-token" else { throw RelayError.unknownSession }
    if let steering { note("session \(steering)") }
    return Sample.session
  }

  func begin(
    session token: SessionToken, at station: String, for origin: Peer
  ) async throws(RelayError) {
    _ = try await stationSnapshot(station)
    note("begin \(token.text) at \(station)")
  }

  func forgetSessions() async throws(RelayError) {}

  func steer(listener id: UInt64, _ steering: Steering) async throws(RelayError) {
    guard id == 7 else { throw RelayError.unknownListener(id) }
    note("listener \(steering)")
  }

  func listenerSnapshots() async -> [ListenerSnapshot] { [Sample.listener] }

  func listenerSnapshot(_ id: UInt64) async throws(RelayError) -> ListenerSnapshot {
    guard id == Sample.listener.id else { throw RelayError.unknownListener(id) }
    return Sample.listener
  }

  func listeners(_ listing: ListenerListing) async -> ListenerPage {
    var page = ListenerPage()
    page.listeners = [Sample.listener]
    page.total = 1
    return page
  }

  func audience(of id: String) async throws(RelayError) -> StationAudience {
    _ = try await stationSnapshot(id)
    return StationAudience(window: 60)
  }

  func figures(
    of station: String, each step: FigureSeries.Step
  ) async throws(RelayError) -> FigureSeries {
    _ = try await stationSnapshot(station)
    return await figures(each: step)
  }

  func figures(each step: FigureSeries.Step) async -> FigureSeries {
    FigureSeries(from: Sample.time, step: step, samples: [FigureSample()])
  }

  func audience() async -> Audience {
    var crowd = Audience.Crowd()
    crowd.add(Sample.listener.address, seconds: Sample.listener.seconds)
    var audience = Audience()
    audience.add(crowd, at: Sample.listener.station)
    return audience
  }

  func programme(of id: String) async throws(RelayError) -> ProgrammeSnapshot {
    _ = try await stationSnapshot(id)
    return Sample.programme
  }

  func perform(
    _ command: ProgrammeCommand, onProgramme id: String, from origin: Peer
  ) async throws(RelayError) -> ProgrammeSnapshot {
    note("programme \(id) \(command)")
    return try await programme(of: id)
  }

  func changeRules(of id: String, by body: JSON) async throws(RelayError) -> ProgrammeSnapshot {
    note("rules \(id) \(body.text)")
    return try await programme(of: id)
  }

  func rehearsal(
    of id: String, from: WallTime?, seconds: Double
  ) async throws(RelayError) -> ProgrammeRehearsal {
    _ = try await stationSnapshot(id)
    let plan = Plan(
      Programme(playing: .folder("/srv")), Stock(), in: .utc, state: ProgrammeState(seed: 1))
    let view = ProgrammeFeed.View(
      report: ProgrammeFeed.Report(), plan: plan, shelf: MusicShelf(), end: 0, part: nil,
      played: [], passThrough: nil)
    return ProgrammeRehearsal(view, from: 0, seconds: 60)
  }

  /// Two pages of one play each.
  func plays(_ query: PlayQuery) async throws(RelayError) -> PlayPage {
    if let station = query.station { _ = try await stationSnapshot(station) }
    note("plays \(query.limit)")
    let item: UInt64 = query.after == nil ? 8 : 7
    var play = Play(
      Play.Key(station: "jazz", item: item, at: Int64(item) * 1000), kind: .track, ended: 0,
      seconds: 200, isWhole: true)
    (play.title, play.why) = ("a, b", "order")
    return PlayPage(plays: [play], next: query.after == nil ? PlayQuery.Place("8000-1") : nil)
  }

  func kick(_ listener: UInt64) async -> Bool { listener == 7 }
  func bans() async -> [BanRecord] { [Sample.ban] }
  func webhooks() async -> [WebhookState] { Sample.figures.webhooks }

  func ban(
    _ target: BanTarget, until: WallTime?, reason: String?
  ) async throws(RelayError) -> BanRecord {
    if case .listener(let id) = target, id != 7 { throw RelayError.unknownListener(id) }
    note("ban \(target) \(reason ?? "-")")
    return Sample.ban
  }

  func liftBan(_ id: Int64) async throws(RelayError) -> Bool { id == Sample.ban.id }

  func recordings() async -> [RecordingEntry] { [Sample.recording] }
  func plannedRecordings() async -> [PlannedRecording] { [] }

  func shows(of id: String) async throws(RelayError) -> StationShows {
    _ = try await stationSnapshot(id)
    return StationShows(
      station: id, plan: ShowPlan(shows: [], zone: .utc), zoneSeconds: 0, airings: [],
      recordings: [])
  }

  func recordedShow(
    _ id: Int64, of station: String
  ) async throws(RelayError) -> RecordedShow? {
    _ = try await stationSnapshot(station)
    var (entry, rule) = (Sample.recording, RecordingRule(from: 0, to: 3600))
    rule.show = "Late"
    entry.schedule = RecordingEntry.Schedule(rule, Airing(start: 0, end: 3600))
    entry.firstAir = 0
    return entry.id == id ? RecordedShow(entry) : nil
  }

  func artwork(ofShow name: String, of id: String) async throws(RelayError) -> Artwork {
    throw RelayError.noArtwork(id, reason: nil)
  }

  func recordingCalendar(
    of station: String?, from first: WallTime?, days: Int
  ) async throws(RelayError) -> RecordingCalendar {
    if let station { _ = try await stationSnapshot(station) }
    let now = Sample.time.unixSeconds
    return RecordingCalendar(zone: .utc, now: now, first: first?.unixSeconds ?? now, days: days)
  }

  func record(_ options: RecordingEntry.Options) async throws(RelayError) -> RecordingEntry {
    guard options.station == "jazz" else { throw RelayError.unknownStation(options.station) }
    note("record \(options.splits) \(options.name)")
    return Sample.recording
  }

  func stopRecording(_ id: Int64) async throws(RelayError) -> Bool { id == Sample.recording.id }

  func figures() async -> RelayFigures { Sample.figures }
  func obstacles() async -> [String] { [] }
}

extension AdminRights {
  /// Of a configuration that has nothing but a token.
  static func forTests(token: String) -> AdminRights {
    var configuration = Configuration()
    configuration.admin.token = token
    return AdminRights(configuration)
  }
}

@Suite struct APIRouterTests {
  private let relay = FakeRelay()

  private struct Answer {
    var status = 0
    var body = ""
    var fields: [HTTPFields.Field] = []
    var json: JSON? { JSON.parse(Array(body.utf8)) }
    func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }
  }

  private static let stranger = Peer.tcp(.ipv4(0x0102_0304, port: 5))

  private func response(
    _ method: String, _ target: String, body: String = "", origin: Peer = stranger,
    token: String = "", headers: [(name: String, value: String)] = [], of asked: FakeRelay? = nil
  ) async throws -> APIResponse {
    var text = "\(method) \(target) HTTP/1.1\r\nHost: x\r\n"
    for header in headers { text += "\(header.name): \(header.value)\r\n" }
    let bytes = Array((text + "\r\n").utf8)
    let parsed = try HTTPRequestParser.parse(bytes.span)
    let head = try #require(parsed).head
    let router = APIRouter(
      relay: asked ?? relay, rights: .forTests(token: token),
      limits: GuessLimits(logger: Logger(label: "test")))
    return await router.respond(
      to: APIRequest(head: head, body: Array(body.utf8), origin: origin))
  }

  private func answer(
    _ method: String, _ target: String, body: String = "", origin: Peer = stranger,
    token: String = "", headers: [(name: String, value: String)] = [], of asked: FakeRelay? = nil
  ) async throws -> Answer {
    let response = try await response(
      method, target, body: body, origin: origin, token: token, headers: headers, of: asked)
    guard case .whole(let status, _, let body, let fields) = response.whole else {
      Issue.record("an event stream where a body was expected")
      return Answer()
    }
    return Answer(status: status, body: String(decoding: body, as: UTF8.self), fields: fields)
  }

  @Test func `lists are members of an object`() async throws {
    let stations = try await answer("GET", "/api/v1/stations")
    #expect(stations.status == 200)
    #expect(stations.body == "{\"stations\":[\(Sample.station.json(identified: false).text)]}\n")
    let listeners = try await answer("GET", "/api/v1/listeners", origin: .unixSocket)
    #expect(
      listeners.body
        == "{\"listeners\":[\(Sample.listener.json.text)],\"total\":1,\"next\":null}\n")
  }

  @Test(arguments: [
    ("GET", "/api/v1/stations/rock", 404, "unknown-station"),
    ("GET", "/api/v1/nothing", 404, "not-found"), ("GET", "/api/v2/stations", 404, "not-found"),
    ("GET", "/nothing", 404, "not-found"), ("PUT", "/api/v1/stations", 405, "method-not-allowed"),
    ("POST", "/metrics", 405, "method-not-allowed"),
    ("GET", "/events?kinds=levles", 400, "bad-parameter"),
    ("GET", "/events?session=short", 400, "bad-parameter"),
    ("GET", "/api/v1/events?session=unknown-token", 404, "unknown-session"),
    ("GET", "/events?station=rock", 404, "unknown-station"),
    ("GET", "/api/v1/stations/jazz/history?limit=0", 400, "bad-parameter"),
  ])
  func `a request that cannot be answered is an error of the API's shape`(
    method: String, target: String, status: Int, code: String
  ) async throws {
    let answer = try await answer(method, target, origin: .unixSocket)
    #expect(answer.status == status)
    #expect(answer.json?["error"]?["code"] == .string(code))
  }

  @Test func `a wrong method is told the right ones`() async throws {
    let answer = try await answer("PUT", "/api/v1/stations/jazz")
    #expect(answer.field("Allow") == "GET, PATCH, DELETE")
  }

  @Test(arguments: [
    ("POST", "/api/v1/stations"), ("PATCH", "/api/v1/stations/jazz"),
    ("DELETE", "/api/v1/stations/jazz"), ("POST", "/api/v1/stations/jazz/stop"),
    ("GET", "/api/v1/listeners"), ("DELETE", "/api/v1/listeners/7"),
  ])
  func `a request over TCP changes nothing without the token`(method: String, target: String)
    async throws
  {
    #expect(try await answer(method, target).status == 403)
    #expect(try await answer(method, target, headers: [("Authorization", "Bearer ")]).status == 403)
    let refused = try await answer(method, target, token: "right-token")
    #expect(refused.status == 401)
    #expect(refused.field("WWW-Authenticate") != nil)
    for wrong in ["Bearer right-tokem", "Bearer right-token1", "Bearer right-toke", "Basic !", "x"]
    {
      let answer = try await answer(
        method, target, token: "right-token", headers: [("Authorization", wrong)])
      #expect(answer.status == 401)
    }
    #expect(relay.done.isEmpty)
  }

  @Test func `Bearer, and Basic with any user, are the administrator`() async throws {
    let basic = "Basic " + Data("anybody:right:token".utf8).base64EncodedString()
    for value in ["Bearer right:token", "bearer  right:token", basic] {
      let answer = try await answer(
        "POST", "/api/v1/stations/jazz/stop", token: "right:token",
        headers: [("Authorization", value)])
      #expect(answer.status == 200)
    }
    #expect(relay.done == ["stop jazz", "stop jazz", "stop jazz"])
  }

  @Test func `stations are added, changed and removed`() async throws {
    let added = try await answer(
      "POST", "/api/v1/stations", body: #"{"id":"rock","upstream":["http://x/"]}"#,
      origin: .unixSocket)
    #expect(added.status == 201)
    #expect(added.json?["id"] == "jazz")
    let changed = try await answer(
      "PATCH", "/api/v1/stations/jazz", body: #"{"name":"J"}"#, origin: .unixSocket)
    #expect(changed.status == 200)
    let removed = try await answer("DELETE", "/api/v1/stations/jazz", origin: .unixSocket)
    #expect(removed.status == 204)
    #expect(removed.body.isEmpty)
    #expect(relay.done == ["add rock", #"change jazz {"name":"J"}"#, "remove jazz"])
  }

  @Test(arguments: [
    (#"{"id":"jazz","upstream":["http://x/"]}"#, 409, "id"),
    (#"{"id":"rock"}"#, 400, "upstream"),
    (#"{"id":"rock","upstream":["http://x/"],"colour":"red"}"#, 400, "colour"),
  ])
  func `a station that cannot be added names the field`(
    body: String, status: Int, field: String
  ) async throws {
    let answer = try await answer("POST", "/api/v1/stations", body: body, origin: .unixSocket)
    #expect(answer.status == status)
    #expect(answer.json?["error"]?["field"] == .string(field))
  }

  @Test func `a body that is no JSON is refused`() async throws {
    let answer = try await answer("POST", "/api/v1/stations", body: "id=a", origin: .unixSocket)
    #expect(answer.status == 400)
    #expect(answer.json?["error"]?["code"] == "bad-json")
  }

  @Test func `events are filtered, resumed, and identified for administrators`() async throws {
    guard
      case .events(let filter, let after, nil) = try await response(
        "GET", "/events?station=jazz&kinds=state,metadata-live",
        headers: [("Last-Event-ID", "42")])
    else {
      Issue.record("no event stream")
      return
    }
    #expect(
      filter
        == EventFilter(station: "jazz", kinds: ["state", "metadata-live"], isIdentified: false)
    )
    #expect(after == 42)
    guard
      case .events(let all, nil, nil) = try await response("GET", "/events", origin: .unixSocket)
    else {
      Issue.record("no event stream")
      return
    }
    #expect(all == EventFilter(isIdentified: true))
    guard
      case .events(let own, nil, nil) = try await response(
        "GET", "/api/v1/events?session=known-token&kinds=moved")
    else {
      Issue.record("no event stream")
      return
    }
    #expect(own == EventFilter(kinds: ["moved"], session: SessionToken("known-token")))
  }

  @Test func `supervisors and Prometheus get text`() async throws {
    #expect(try await answer("GET", "/healthz").body == "ok\n")
    #expect(try await answer("GET", "/readyz").body == "ready\n")
    #expect(try await answer("GET", "/metrics").body.hasPrefix("# HELP longwave_info "))
    #expect(try await answer("HEAD", "/metrics").status == 200)
    let own = try await answer("GET", "/metrics?station=jazz").body
    #expect(own.contains("longwave_listeners{station=\"jazz\"}") && !own.contains("uptime"))
    #expect(try await answer("GET", "/metrics?station=rock").status == 404)
  }

  @Test func `the history is as long as asked for`() async throws {
    let answer = try await answer("GET", "/api/v1/stations/jazz/history?limit=5")
    #expect(relay.done == ["history 3000"])
    guard case .array(let titles)? = answer.json?["history"] else {
      Issue.record("no list")
      return
    }
    #expect(titles.first?["title"] == "Sinnerman")
    #expect(titles.first?["position"] == .integer(500))
    #expect(answer.json?["truncated"] == .bool(false))
  }

  @Test func `a history of the longest titles is cut at a mebibyte, and says so`() async throws {
    let played = (0..<1000).map { number in
      var playing = NowPlaying()
      playing.title = "\(number) " + String(repeating: "x", count: 3_700)
      return HistoryEntry(playing: playing, end: nil, seconds: 1, isInWindow: true)
    }
    let relay = FakeRelay(played: played)
    for origin in [APIRouterTests.stranger, .unixSocket] {
      let answer = try await answer(
        "GET", "/api/v1/stations/jazz/history?limit=1000", origin: origin, of: relay)
      #expect(answer.body.utf8.count <= HistoryEntry.bytesMax + 100)
      #expect(answer.json?["truncated"] == .bool(true))
      guard case .array(let titles)? = answer.json?["history"] else {
        Issue.record("no list")
        return
      }
      #expect((200..<300).contains(titles.count))
      #expect(titles.first?["title"] == .string(played[0].playing.title!))
      let some = try await self.answer(
        "GET", "/api/v1/stations/jazz/history?limit=5", origin: origin, of: relay)
      #expect(some.json?["truncated"] == .bool(false))
    }
  }

  @Test func `answers that grow with stations, titles or listeners are made beside the pool`()
    async throws
  {
    for (target, origin) in [
      "/api/v1/stations", "/api/v1/stations/jazz/history", "/api/v1/stations/jazz/files",
      "/metrics", "/status-json.xsl", "/status.xsl", "/statistics", "/statistics?json=1", "/played",
      "/api/v1/openapi.json",
    ].flatMap({ [($0, APIRouterTests.stranger), ($0, .unixSocket)] })
      + [
        "/api/v1/listeners", "/api/v1/definitions", "/api/v1/recordings", "/api/v1/bans",
        "/admin/stats", "/admin/listmounts", "/admin/listclients?mount=/jazz",
        "/admin/streamlist.txt",
      ].map({ ($0, Peer.unixSocket) })
    {
      guard case .made(let order) = try await response("GET", target, origin: origin) else {
        Issue.record("\(target) is made at once")
        continue
      }
      // Strangers share what is made; administrators are told what is so now.
      if origin != .unixSocket { #expect(order.key != nil, "\(target)") }
    }
  }
}

extension APIResponse {
  /// With what is to be made made now.
  var whole: APIResponse {
    guard case .made(let order) = self else { return self }
    return .whole(
      status: order.status, mediaType: order.mediaType, body: order.body { true },
      fields: order.fields)
  }
}
