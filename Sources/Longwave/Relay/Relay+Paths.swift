import Logging
import Server
import Threads

// Files and folders of this machine that stations name.
extension Relay {
  func refusePaths(
    of station: StationDefinition, since before: StationDefinition?,
    from origin: APIRequest.Origin
  ) async throws(APIError) {
    if station.namedPaths.isEmpty { return }
    let (configuration, data) = (configuration, dataPath)
    let isRemote = origin != .unixSocket
    let name = station.namedPaths.values.sorted().joined(separator: ", ")
    let found: PathRules.Problem?
    do throws(SilentPath) {
      found = try await paths.look(name) { () -> PathRules.Problem? in
        let rules = PathRules(configuration, data: data)
        if let problem = rules.problem(of: station, since: before, isRemote: isRemote) {
          return problem
        }
        // Looked at last: who may not name it is not told whether it is there.
        guard station.files?.root != before?.files?.root else { return nil }
        return station.filesProblem.map { PathRules.Problem(key: "files", message: $0) }
      }
    } catch {
      throw .silent(error)
    }
    guard let problem = found else { return }
    let field = problem.key.split(separator: ".").map { SettingKey.json(String($0)) }
      .joined(separator: ".")
    if !problem.isForbidden { throw APIError.badField(field, problem.message) }
    throw APIError(
      403, "path-not-allowed", "\(field): \(problem.message)", field: field)
  }

  /// A folder that is not there yet is no reason to play nothing; that the files are missing is told once.
  func warnOfFiles() {
    let configuration = configuration
    Task.detached { [logger] in
      await Blocking.run {
        for station in configuration.stations {
          guard let problem = station.filesProblem else { continue }
          logger.warning("\(configuration.problem(of: station, "files", problem))")
        }
      }
    }
  }
}
