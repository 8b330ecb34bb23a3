import Ingest

/// Fills the logs of one kind of station, each for as long as somebody wants it.
///
/// `StationKind` names it. It knows a station from `begin` to `end`; what it is told of others does nothing.
protocol Filler {
  /// Begins a station that has a log of its own; with `isPaused` it rests until `resume`.
  func begin(_ station: RelayStation, isPaused: Bool) async
  /// Takes over what the station has become, or what it is made of.
  func update(_ station: RelayStation) async
  func pause(_ id: String) async
  func resume(_ id: String) async
  func end(_ id: String) async
  /// Status of the station's incoming side.
  func status(of id: String) async -> IngestStatus?
}
