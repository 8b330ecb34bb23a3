import Logging
import Timeshift
import Wire

// Fallbacks that could never be heard are refused when they are written down.
extension Relay {
  /// What the file has that a station is to fall back to; nil: it is none, or the one that it was.
  func newFallbackFormat(of station: StationDefinition) async throws(APIError) -> AudioFormat? {
    guard case .file(let path)? = station.fallback,
      station.fallback != stations[station.id]?.definition.fallback
    else { return nil }
    let format: Result<AudioFormat, FallbackFile.Failure>
    do throws(SilentPath) {
      format = try await paths.look(path) { FallbackFile(path: path).probed }
    } catch {
      throw .silent(error, field: "fallback")
    }
    switch format {
    case .success(let format): return format
    case .failure(let error): throw .badField("fallback", "\(error)")
    }
  }

  /// Refuses a station's fallback, or a change that another station's fallback could not follow.
  ///
  /// - Parameter file: what the file has that it names.
  func refuseBadFallback(_ station: StationDefinition, file: AudioFormat?) throws(APIError) {
    let known = stations.mapValues(\.definition)
    func other(_ id: String) -> StationDefinition? { id == station.id ? station : known[id] }
    if let problem = station.fallbackProblem(among: other) {
      throw APIError.badField("fallback", problem)
    }
    if station.fallback == known[station.id]?.fallback { return }
    if let problem = formatProblem(of: station, file: file) {
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
  ///
  /// - Parameter file: what the file has that it names, if it can be read.
  private func formatProblem(of station: StationDefinition, file: AudioFormat?) -> String? {
    guard let fallback = station.fallback, let own = stations[station.id]?.log?.snapshot().format
    else { return nil }
    let format: AudioFormat? =
      switch fallback {
      case .silence: nil
      case .station(let id): stations[id]?.log?.snapshot().format
      case .file: file
      }
    return fallback.problem(with: format, for: own)
  }

  /// What a new configuration says, against the formats of what runs; nil: nothing is wrong.
  func fallbackProblem(of new: Configuration, _ files: [String: AudioFormat]) -> String? {
    for station in new.stations {
      let file = station.fallback?.path.flatMap { files[$0] }
      guard let problem = formatProblem(of: station, file: file) else { continue }
      return "\(fallbackPlace(of: station.id, in: new)): \(problem)"
    }
    return nil
  }

  /// At the start a fallback that does not fit is no reason to play nothing at all: the upstream may have changed
  /// since. It is looked at again when it would begin.
  func warnOfFallbacks() {
    let own = order.compactMap { stations[$0]?.definition }.filter { $0.fallback != nil }
    for station in own where station.fallback?.path == nil {
      warnOfFallback(of: station, file: nil)
    }
    Task { [weak self, paths] in
      for station in own {
        guard let path = station.fallback?.path else { continue }
        let format = try? await paths.wait(path) { try? FallbackFile(path: path).format() }
        await self?.warnOfFallback(of: station, file: format)
      }
    }
  }

  private func warnOfFallback(of station: StationDefinition, file: AudioFormat?) {
    guard let problem = formatProblem(of: station, file: file) else { return }
    logger.error("\(fallbackPlace(of: station.id, in: configuration)): \(problem)")
  }

  private func fallbackPlace(of id: String, in configuration: Configuration) -> String {
    guard let file = configuration.file, let line = configuration.stationLines[id] else {
      return "stations.\(id).fallback"
    }
    return "\(file):\(line): stations.\(id).fallback"
  }
}
