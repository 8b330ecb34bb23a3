import Logging
import Server
import Threads

/// Checks the files and folders of this machine that stations name.
struct StationPaths {
  let stations: StationTable
  /// The data folder, which is the relay's own.
  let data: String
  let paths: NamedPaths
  let logger: Logger

  func refuseBad(
    _ station: StationDefinition, since before: StationDefinition?, from origin: Peer
  ) async throws(RelayError) {
    if station.namedPaths.isEmpty { return }
    guard let problem = try await problem(of: station, since: before, from: origin) else { return }
    let field = problem.key.split(separator: ".").map { SettingKey.json(String($0)) }
      .joined(separator: ".")
    if !problem.isForbidden { throw RelayError.badField(field, problem.message) }
    throw RelayError.pathNotAllowed(field: field, problem.message)
  }

  /// Refuses a path that a request over the network may not name.
  func refuseRemote(_ path: String, as field: String) async throws(RelayError) {
    let (configuration, data) = (stations.configuration, data)
    let problem: PathRules.Problem?
    do throws(SilentPath) {
      problem = try await paths.look(path) { () -> PathRules.Problem? in
        PathRules(configuration, data: data).problem(ofRemote: path, as: field)
      }
    } catch {
      throw .silent(error, field: field)
    }
    if let problem { throw .pathNotAllowed(field: field, problem.message) }
  }

  private func problem(
    of station: StationDefinition, since before: StationDefinition?, from origin: Peer
  ) async throws(RelayError) -> PathRules.Problem? {
    let (configuration, data) = (stations.configuration, data)
    let isRemote = origin != .unixSocket
    let name = station.namedPaths.values.sorted().joined(separator: ", ")
    do throws(SilentPath) {
      return try await paths.look(name) { () -> PathRules.Problem? in
        let rules = PathRules(configuration, data: data)
        if let problem = rules.problem(
          of: station, since: before, isRemote: isRemote, isAsked: true)
        {
          return problem
        }
        // Checked last: a request that may not name a path is not told whether the path exists.
        guard station.playedPaths != before?.playedPaths ?? [:] else { return nil }
        return station.filesProblem.map { PathRules.Problem(key: $0.key, message: $0.message) }
      }
    } catch {
      throw .silent(error)
    }
  }

  /// Warns once of stations whose files are missing. A folder that does not exist yet is no reason to play nothing.
  func warnOfFiles() {
    let configuration = stations.configuration
    Task.detached { [logger] in
      await Blocking.run {
        for station in configuration.stations {
          guard let problem = station.filesProblem else { continue }
          logger.warning("\(configuration.problem(of: station, problem.key, problem.message))")
        }
      }
    }
  }
}
