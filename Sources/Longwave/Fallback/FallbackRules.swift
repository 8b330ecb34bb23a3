import Logging
import Timeshift
import Wire

/// Refuses fallbacks that could never be heard, at the time they are set.
struct FallbackRules {
  let stations: StationTable
  let paths: NamedPaths
  let logger: Logger

  /// Returns the format of the file that a station is to fall back to; nil when that is no file, or the same one as
  /// before.
  func newFormat(of station: StationDefinition) async throws(RelayError) -> AudioFormat? {
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
  /// - Parameter file: the format of the fallback's file.
  func refuseBad(_ station: StationDefinition, file: AudioFormat?) throws(RelayError) {
    let known = stations.byID.mapValues(\.definition)
    func other(_ id: String) -> StationDefinition? { id == station.id ? station : known[id] }
    if let problem = station.fallbackProblem(among: other) {
      throw RelayError.badField("fallback", problem)
    }
    if station.fallback == known[station.id]?.fallback { return }
    if let problem = formatProblem(of: station, file: file) {
      throw RelayError.badField("fallback", problem)
    }
  }

  /// Refuses to remove a station that is another station's fallback.
  func refuseTarget(_ id: String) throws(RelayError) {
    let user = stations.order.first { stations[$0]?.definition.fallback == .station(id) }
    guard let user else { return }
    throw RelayError.isFallback(id, of: user)
  }

  /// Returns why listeners could not play the fallback, from what is known of both formats; nil when no reason is
  /// known.
  ///
  /// - Parameter file: the format of the fallback's file, if it can be read.
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

  /// Logs fallbacks that do not fit after a reload, beside the formats of what runs. They are no reason to refuse it:
  /// what sources send is not the file's, and a restart takes it too. Each fallback is checked again when it would begin.
  ///
  /// - Parameter files: the formats of files, by path.
  func warn(besides files: [String: AudioFormat]) {
    for station in stations.inOrder {
      let file = station.definition.fallback?.path.flatMap { files[$0] }
      guard let problem = formatProblem(of: station.definition, file: file) else { continue }
      Self.warn(Self.place(of: station.id, in: stations.configuration), problem, logger)
    }
  }

  private static func warn(_ place: String, _ problem: String, _ logger: Logger) {
    logger.warning("\(place): \(problem), so it is not heard while that is so")
  }

  /// Logs fallbacks that do not fit at the start. They are no reason to play nothing at all: the upstream may have
  /// changed since, and each fallback is checked again when it would begin.
  func warn() {
    var files: [NamedFallback] = []
    for station in stations.inOrder {
      guard let fallback = station.definition.fallback else { continue }
      let place = Self.place(of: station.id, in: stations.configuration)
      if let path = fallback.path, let log = station.log {
        files.append(NamedFallback(fallback: fallback, path: path, own: log, place: place))
      } else if let problem = formatProblem(of: station.definition, file: nil) {
        Self.warn(place, problem, logger)
      }
    }
    warn(of: files)
  }

  /// A file that a station falls back to.
  private struct NamedFallback: Sendable {
    var fallback: FallbackSetting
    var path: String
    /// The station's own log.
    var own: PacketLog
    var place: String
  }

  /// Checks one file after the other, since their disks may hang.
  private func warn(of files: [NamedFallback]) {
    Task { [paths, logger] in
      for file in files {
        let path = file.path
        let format = try? await paths.wait(path) { try? FallbackFile(path: path).format() }
        guard let own = file.own.snapshot().format,
          let problem = file.fallback.problem(with: format ?? nil, for: own)
        else { continue }
        Self.warn(file.place, problem, logger)
      }
    }
  }

  private static func place(of id: String, in configuration: Configuration) -> String {
    guard let file = configuration.file, let line = configuration.stationLines[id] else {
      return "stations.\(id).fallback"
    }
    return "\(file):\(line): stations.\(id).fallback"
  }
}
