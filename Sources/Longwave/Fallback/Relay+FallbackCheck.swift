import Logging
import Timeshift
import Wire

// Fallbacks that could never be heard are refused when they are written down.
extension Relay {
  /// Refuses a station's fallback, or a change that another station's fallback could not follow.
  func refuseBadFallback(_ station: StationDefinition) async throws(APIError) {
    let known = stations.mapValues(\.definition)
    func other(_ id: String) -> StationDefinition? { id == station.id ? station : known[id] }
    if let problem = station.fallbackProblem(among: other) {
      throw APIError.badField("fallback", problem)
    }
    if station.fallback == known[station.id]?.fallback { return }
    if case .file(let path)? = station.fallback {
      _ = try await Self.format(of: FallbackFile(path: path))
    }
    if let problem = await formatProblem(of: station) {
      throw APIError.badField("fallback", problem)
    }
  }

  /// Refuses to take away what another station falls back to.
  func refuseFallbackTarget(_ id: String) throws(APIError) {
    let user = order.first { stations[$0]?.definition.fallback == .station(id) }
    guard let user else { return }
    throw APIError(
      409, "station-in-use", "\"\(id)\" is the fallback of \"\(user)\"; change that one first.",
      field: "id")
  }

  /// Why what is known of both formats says that listeners could not take the fallback; nil: nothing says so.
  func formatProblem(of station: StationDefinition) async -> String? {
    guard let fallback = station.fallback, let log = stations[station.id]?.log,
      let own = log.snapshot().format
    else { return nil }
    var format: AudioFormat?
    switch fallback {
    case .silence: break
    case .station(let id): format = stations[id]?.log.snapshot().format
    case .file(let path): format = try? await Self.format(of: FallbackFile(path: path))
    }
    return fallback.problem(with: format, for: own)
  }

  /// What a new configuration says, against the formats of what runs.
  func refuseBadFallbacks(of new: Configuration) async throws(APIError) {
    for station in new.stations {
      guard let problem = await formatProblem(of: station) else { continue }
      let place = fallbackPlace(of: station.id, in: new)
      logger.error("the configuration is not taken over: \(place): \(problem)")
      throw APIError(400, "bad-configuration", "\(place): \(problem)")
    }
  }

  /// At the start a fallback that does not fit is no reason to play nothing at all: the upstream may have changed
  /// since. It is looked at again when it would begin.
  func warnOfFallbacks() async {
    for id in order {
      guard let station = stations[id], let problem = await formatProblem(of: station.definition)
      else { continue }
      logger.error("\(fallbackPlace(of: id, in: configuration)): \(problem)")
    }
  }

  private func fallbackPlace(of id: String, in configuration: Configuration) -> String {
    guard let file = configuration.file, let line = configuration.stationLines[id] else {
      return "stations.\(id).fallback"
    }
    return "\(file):\(line): stations.\(id).fallback"
  }
}
