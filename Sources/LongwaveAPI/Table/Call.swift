import Longwave
import Server
import Wire

/// An admitted request on its way to its answer.
struct Call: Sendable {
  typealias Handler = @Sendable (Call) async throws -> APIResponse

  let request: APIRequest
  let right: Right
  let admission: Admission
  /// The figures that everybody may see.
  let shared: PublicFigures

  var relay: any RelayControl { admission.relay }
  var isAdmin: Bool { right == .administrator }
  var query: HTTPQuery { request.head.query }

  var json: JSON {
    get throws(APIError) { try request.json }
  }
}

// Values that are current for administrators, and up to a second old for others.
extension Call {
  func stations() async -> Versioned<[StationSnapshot]> {
    isAdmin ? Versioned(value: await relay.stationSnapshots()) : await shared.stations()
  }

  /// Returns the stations that lists have: all of them for administrators.
  func listedStations() async -> Versioned<[StationSnapshot]> {
    let shown = await stations()
    return isAdmin ? shown : Versioned(value: shown.value.listed, version: shown.version)
  }

  func figures() async -> Versioned<RelayFigures> {
    isAdmin ? Versioned(value: await relay.figures()) : await shared.figures()
  }

  func metrics() async -> Versioned<RelayMetrics> {
    isAdmin ? Versioned(value: await relay.metrics()) : await shared.metrics()
  }

  func obstacles() async -> [String] {
    isAdmin ? await relay.obstacles() : await shared.obstacles()
  }

  func timeline(of station: String) async throws -> Versioned<StationTimeline> {
    isAdmin
      ? Versioned(value: try await relay.timeline(of: station))
      : try await shared.timeline(of: station)
  }

  func waveform(of station: String) async throws -> Versioned<StationWaveform> {
    isAdmin
      ? Versioned(value: try await relay.waveform(of: station))
      : try await shared.waveform(of: station)
  }

  func replayed(of station: String) async throws -> Versioned<StationReplays> {
    isAdmin
      ? Versioned(value: try await relay.replayed(of: station))
      : try await shared.replayed(of: station)
  }

  func shows(of station: String) async throws -> Versioned<StationShows> {
    isAdmin
      ? Versioned(value: try await relay.shows(of: station))
      : try await shared.shows(of: station)
  }

  func programme(of station: String) async throws -> Versioned<ProgrammeSnapshot> {
    isAdmin
      ? Versioned(value: try await relay.programme(of: station))
      : try await shared.programme(of: station)
  }

  /// - Parameter limit: The number of titles wanted; the public history may have more.
  func history(of station: String, limit: Int) async throws -> Versioned<[HistoryEntry]> {
    isAdmin
      ? Versioned(value: try await relay.history(of: station, limit: limit))
      : try await shared.history(of: station)
  }
}

extension [StationSnapshot] {
  /// The stations that lists for everybody have.
  var listed: [StationSnapshot] { filter(\.isListed) }
}
