import Ingest
import Library
import Longwave
import Server
import Timeshift
import Wire

/// The functions of a relay that the API needs.
protocol RelayControl: BanControl, SessionControl, RecordingControl, ProgrammeControl,
  LibraryControl
{
  var collections: any CollectionControl { get async }
  /// Returns the track of the item that is on air at a programme.
  func trackOnAir(at station: String) async throws(RelayError) -> TrackKey
  func stationSnapshots() async -> [StationSnapshot]
  func stationSnapshot(_ id: String) async throws(RelayError) -> StationSnapshot
  /// Returns the paths of a station's renditions; empty where there is no such station.
  func renditionPaths(of id: String) async -> [String]
  /// Returns the time zone in which times of day are meant for a station.
  func timeZone(of station: String) async -> ZoneOffsets
  /// Returns a station's titles, newest first.
  func history(of id: String, limit: Int) async throws(RelayError) -> [HistoryEntry]
  /// Returns a station's window without its audio.
  func timeline(of id: String) async throws(RelayError) -> StationTimeline
  func waveform(of id: String) async throws(RelayError) -> StationWaveform
  /// Says what the client of a request may hear of a station, or throws why it may not.
  func hearing(
    of id: String, at place: HeardPlace, for request: APIRequest
  ) async throws(HearingRefusal) -> Hearing
  /// Whether sound of one more place in the past may be measured.
  var hasRoomForMoment: Bool { get async }
  /// Returns the web services that are told of events.
  func webhooks() async -> [WebhookState]
  func sound(of id: String, for origin: Peer) async throws(RelayError) -> StationSound
  func replayed(of id: String) async throws(RelayError) -> StationReplays
  /// Returns the picture of the title at a byte of a station's log; of what is on air without one.
  func artwork(of id: String, at position: UInt64?) async throws(RelayError) -> Artwork
  /// Returns the files of a station that may be shown to a requester at `origin`.
  func files(
    of id: String, isAdmin: Bool, for origin: Peer
  ) async throws(RelayError) -> FileList
  /// Returns the definitions of the stations in their order, secrets included.
  func definitions() async -> [JSON]
  /// Adds a station, as far as a requester at `origin` may.
  func add(
    _ station: StationDefinition, from origin: Peer
  ) async throws(RelayError) -> StationSnapshot
  /// Returns what is found at URLs that may become upstreams.
  func check(_ urls: [String]) async throws(RelayError) -> [UpstreamFinding]
  func change(
    _ id: String, by patch: JSON, from origin: Peer
  ) async throws(RelayError) -> StationSnapshot
  func setFallback(of id: String, to other: String, from origin: Peer) async throws(RelayError)
  func remove(_ id: String) async throws(RelayError)
  func perform(_ command: StationCommand, on id: String) async throws(RelayError) -> StationSnapshot
  func listenerSnapshots() async -> [ListenerSnapshot]
  func listenerSnapshot(_ id: UInt64) async throws(RelayError) -> ListenerSnapshot
  func listeners(_ listing: ListenerListing) async -> ListenerPage
  func audience(of id: String) async throws(RelayError) -> StationAudience
  /// Returns the audience in numbers.
  func audience() async -> Audience
  /// Sets the current title of a station until the upstream announces a new one.
  func announce(_ title: Title, on id: String) async throws(RelayError)
  /// Sets the title that a source's request has sent.
  func announce(_ title: SentTitle, on id: String) async throws(RelayError)
  func kick(_ listener: UInt64) async -> Bool
  /// Moves a listener to another station.
  func move(_ listener: UInt64, to station: String) async throws(RelayError)
  func figures() async -> RelayFigures
  /// Returns what supervisors are told, besides the stations.
  func metrics() async -> RelayMetrics
  /// Returns who may read that.
  func metricsSettings() async -> MetricsSettings
  /// Returns the URL of a path, a station's or a page's, as this machine can open it.
  func url(of path: String) async -> String
  /// Returns a station's figures over time.
  func figures(
    of station: String, each step: FigureSeries.Step
  ) async throws(RelayError) -> FigureSeries
  func figures(each step: FigureSeries.Step) async -> FigureSeries
  /// Returns the settings of the pages for browsers.
  func webSettings() async -> WebSettings
  /// Reads the configuration again.
  func reload() async throws(RelayError) -> ReloadReport
  /// Returns what reading the configuration again would do now.
  func configurationChanges() async throws(RelayError) -> ConfigurationChanges
  /// Lets a source push a station's audio, or throws the reason for the refusal.
  func admit(source request: APIRequest) async throws(APIError) -> APIResponse
  /// Lets a source of SHOUTcast's first protocol push, and answers in that protocol.
  func admit(shoutcast login: ShoutcastLogin, from origin: Peer) async -> APIResponse
  /// Returns the station whose source has this password, at the path `mount` or at any path; nil without one.
  func station(ofSource password: [UInt8], at mount: String?) async -> String?
  /// Returns the reasons why the relay is not ready, in words; empty when it is ready.
  func obstacles() async -> [String]
}

/// The functions of a relay that the API needs for bans.
protocol BanControl: Sendable {
  /// Returns the bans that have not ended, in the order in which they were made.
  func bans() async -> [BanRecord]
  func ban(
    _ target: BanTarget, until: WallTime?, reason: String?
  ) async throws(RelayError) -> BanRecord
  /// Lifts a ban. Returns false when there is no ban with that number.
  func liftBan(_ id: Int64) async throws(RelayError) -> Bool
}

/// The functions of a relay that the API needs for the music library.
protocol LibraryControl: Sendable {
  var library: LibraryDesk { get async }
  /// What people have said of a track.
  func note(of track: TrackKey) -> TrackNote
  func change(_ track: TrackKey, by change: TrackNote.Change) async throws(RelayError)
}

/// The functions of a relay that the API needs for recordings.
protocol RecordingControl: Sendable {
  /// Returns a station's shows: when they are on air, and what was recorded of them.
  func shows(of id: String) async throws(RelayError) -> StationShows
  /// Returns a recording of a station's show; nil without one that listeners may go back to.
  func recordedShow(_ id: Int64, of station: String) async throws(RelayError) -> RecordedShow?
  /// Returns the picture of a station's show.
  func artwork(ofShow name: String, of id: String) async throws(RelayError) -> Artwork
  func recordings() async -> [RecordingEntry]
  /// Returns the next recording of each entry of the schedules, the soonest first.
  func plannedRecordings() async -> [PlannedRecording]
  /// Returns the recordings to come on some days, of one station or of all.
  ///
  /// - Parameter first: a moment on the first day; nil for now.
  func recordingCalendar(
    of station: String?, from first: WallTime?, days: Int
  ) async throws(RelayError) -> RecordingCalendar
  func record(_ options: RecordingEntry.Options) async throws(RelayError) -> RecordingEntry
  /// Ends a recording. Returns false when there is no recording with that number.
  func stopRecording(_ id: Int64) async throws(RelayError) -> Bool
}

/// The functions of a relay that the API needs to move listeners in time.
protocol SessionControl: Sendable {
  func familiarity(
    of token: SessionToken, to origin: Peer
  ) async -> SessionFamiliarity
  /// Notes that the client at `origin` has shown that it knows the token.
  func show(session token: SessionToken, at origin: Peer) async
  /// Begins a session at a station's live edge, before its listener comes.
  func begin(
    session token: SessionToken, at station: String, for origin: Peer
  ) async throws(RelayError)
  /// Steers a session, and returns its new state; without `steering` only its current state.
  func steer(
    session token: SessionToken, _ steering: Steering?
  ) async throws(RelayError) -> SessionSnapshot
  func steer(listener id: UInt64, _ steering: Steering) async throws(RelayError)
  /// Forgets all sessions without a connection.
  func forgetSessions() async throws(RelayError)
}

/// The functions of a relay's collections that the API needs.
protocol CollectionControl: Sendable {
  func list() async throws(RelayError) -> [CollectionView]
  func show(_ id: String, limit: Int, after: MemberMark?) async throws(RelayError) -> CollectionView
  func create(
    _ id: String, name: String?, rule: String?
  ) async throws(RelayError) -> CollectionView
  func change(
    _ id: String, name: String??, rule: String?
  ) async throws(RelayError) -> CollectionView
  func remove(_ id: String) async throws(RelayError)
  func add(
    _ new: CollectionDesk.NewMembers, to id: String
  ) async throws(RelayError) -> CollectionView
  func remove(member: Int64, of id: String) async throws(RelayError)
  func move(
    member: Int64, of id: String, before: Int64?
  ) async throws(RelayError) -> CollectionView
  func importList(
    _ bytes: [UInt8], name: String, base: String?, to id: String
  ) async throws(RelayError) -> CollectionImport
  func export(
    _ id: String, as format: CollectionDesk.Format, paths: CollectionDesk.Paths, base: String?
  ) async throws(RelayError) -> [UInt8]
}

extension CollectionDesk: CollectionControl {}

/// The functions of a relay that the API needs for programmes.
protocol ProgrammeControl: Sendable {
  func programme(of id: String) async throws(RelayError) -> ProgrammeSnapshot
  func perform(
    _ command: ProgrammeCommand, onProgramme id: String, from origin: Peer
  ) async throws(RelayError) -> ProgrammeSnapshot
  func changeRules(of id: String, by body: JSON) async throws(RelayError) -> ProgrammeSnapshot
  func rehearsal(
    of id: String, from: WallTime?, seconds: Double
  ) async throws(RelayError) -> ProgrammeRehearsal
  /// Returns what was played, the newest first.
  func plays(_ query: PlayQuery) async throws(RelayError) -> PlayPage
}
