import Wire

/// One station of a relay by its id; each method asks the relay anew.
///
/// A handle may be made before the station exists, and stays good when the station is changed.
public struct StationHandle: Sendable {
  public let id: String
  let relay: Relay

  /// Returns the station's properties and state as they are now.
  public func snapshot() async throws(RelayError) -> StationSnapshot {
    try await relay.stationSnapshot(id)
  }

  /// Returns the titles that have been played, newest first.
  public func titles(limit: Int = 100) async throws(RelayError) -> [HistoryEntry] {
    try await relay.history(of: id, limit: limit)
  }

  /// Shows a title from now on, until the upstream sends another one.
  public func announce(_ title: Title) async throws(RelayError) {
    try await relay.announce(title, on: id)
  }

  /// The station's definition, passwords included.
  public var definition: StationDefinition {
    get async throws(RelayError) { try await relay.definition(of: id) }
  }

  /// Changes the station's definition: `try await jazz.change { $0.genre = "Jazz" }`.
  ///
  /// The relay takes over only what `edit` has changed; listeners stay connected. Throws `RelayError.stationOfFile` for
  /// a station of the configuration file, and `RelayError.badField` for an invalid value.
  @discardableResult
  public func change(
    _ edit: (inout StationDefinition) -> Void
  ) async throws(RelayError) -> StationSnapshot {
    let before = try await definition
    var after = before
    edit(&after)
    return try await relay.change(id, by: StationBody.patch(from: before, to: after))
  }

  /// Changes the station's definition by fields as in `PATCH /api/v1/stations/ID`; `null` removes a value.
  @discardableResult
  public func change(by patch: JSON) async throws(RelayError) -> StationSnapshot {
    try await relay.change(id, by: patch)
  }

  /// Starts, stops or restarts the station.
  @discardableResult
  public func perform(_ command: StationCommand) async throws(RelayError) -> StationSnapshot {
    try await relay.perform(command, on: id)
  }

  /// Removes the station, and deletes its log from the disk.
  public func remove() async throws(RelayError) { try await relay.remove(id) }

  /// The URL of the station's stream, as this machine can open it.
  public var url: String {
    get async { await relay.url(of: id) }
  }
}

extension Relay {
  /// Returns a handle for the station `id`, whether or not the station exists yet.
  public nonisolated func station(_ id: String) -> StationHandle {
    StationHandle(id: id, relay: self)
  }
}
