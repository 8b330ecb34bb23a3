import Server
import Timeshift
import Wire

/// What the API needs of a relay.
protocol RelayControl: BanControl, SessionControl, RecordingControl {
  func stationSnapshots() async -> [StationSnapshot]
  func stationSnapshot(_ id: String) async throws(APIError) -> StationSnapshot
  /// Of the times of day that somebody asks a station for.
  func timeZone(of station: String) async -> ZoneOffsets
  /// Newest first.
  func history(of id: String, limit: Int) async throws(APIError) -> [HistoryEntry]
  /// The files of a station, for whoever asks from there.
  func files(
    of id: String, isAdmin: Bool, for origin: APIRequest.Origin
  ) async throws(APIError) -> FileList
  /// What the stations were told to be, in their order, secrets and all.
  func definitions() async -> [JSON]
  func add(_ station: StationDefinition) async throws(APIError) -> StationSnapshot
  func change(_ id: String, by patch: JSON) async throws(APIError) -> StationSnapshot
  /// The same, as far as somebody there may.
  func add(
    _ station: StationDefinition, from origin: APIRequest.Origin
  ) async throws(APIError) -> StationSnapshot
  func change(
    _ id: String, by patch: JSON, from origin: APIRequest.Origin
  ) async throws(APIError) -> StationSnapshot
  func remove(_ id: String) async throws(APIError)
  func perform(_ command: StationCommand, on id: String) async throws(APIError) -> StationSnapshot
  func listenerSnapshots() async -> [ListenerSnapshot]
  /// Who listens, in numbers.
  func audience() async -> Audience
  /// Says what is playing, until the upstream says something new.
  func announce(_ title: Title, on id: String) async throws(APIError)
  func kick(_ listener: UInt64) async -> Bool
  /// Lets a listener go on with another station.
  func move(_ listener: UInt64, to station: String) async throws(APIError)
  func figures() async -> RelayFigures
  /// Reads the configuration again.
  func reload() async throws(APIError) -> ReloadReport
  /// Lets a source push a station's audio.
  func admit(source request: APIRequest) async throws(APIError) -> APIResponse
  /// The same for a source of SHOUTcast's first protocol, answered in that protocol.
  func admit(shoutcast login: ShoutcastLogin, from origin: APIRequest.Origin) async -> APIResponse
  /// The station whose source has this password, at a path or anywhere.
  func station(ofSource password: [UInt8], at mount: String?) async -> String?
  /// What keeps the relay from being ready, in words; empty when it is.
  func obstacles() async -> [String]
}

extension RelayControl {
  func add(
    _ station: StationDefinition, from origin: APIRequest.Origin
  ) async throws(APIError) -> StationSnapshot { try await add(station) }

  func change(
    _ id: String, by patch: JSON, from origin: APIRequest.Origin
  ) async throws(APIError) -> StationSnapshot { try await change(id, by: patch) }
}
