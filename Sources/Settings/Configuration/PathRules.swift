import Glibc
import Ingest
import Media
import Server
import Timeshift

/// Files and folders of this machine that stations may name.
package struct PathRules: Sendable {
  /// The folder that is the relay's own; nil when it does not exist yet.
  package let hidden: PrivateFolder?
  /// Folders in which requests over the network may name files.
  private let open: [String]
  /// Folders in which they may name music, too.
  private let roots: [String]

  /// Blocks, since it looks at folders.
  package init(_ configuration: Configuration, data: String) {
    hidden = Self.hidden(configuration, data: data)
    open = configuration.server.paths
    roots = configuration.library.roots.map(\.path)
  }

  /// Returns the folder that is the relay's own. Blocks.
  package static func hidden(_ configuration: Configuration, data: String) -> PrivateFolder? {
    let recordings = configuration.recordings.folder(inData: data)
    PathLook.at(recordings)
    return PrivateFolder(data, except: [recordings])
  }

  package struct Problem: Hashable, Sendable {
    /// The key as in the file.
    package var key: String
    package var message: String
    /// Whether the request's origin is the problem, not the path.
    package var isForbidden = false

    package init(key: String, message: String, isForbidden: Bool = false) {
      (self.key, self.message, self.isForbidden) = (key, message, isForbidden)
    }
  }

  /// Returns what is wrong with the paths of a station; nil when nothing is. Blocks.
  ///
  /// - Parameters:
  ///   - before: the station as it was; unchanged paths are not checked.
  ///   - isRemote: whether the station comes over the network.
  ///   - isAsked: whether somebody waits for the answer, and is told of a file that is not there. At a start it may
  ///     still come.
  package func problem(
    of station: StationDefinition, since before: StationDefinition? = nil, isRemote: Bool,
    isAsked: Bool = false
  ) -> Problem? {
    let known = before?.namedPaths ?? [:]
    // In a programme a path may move to another place.
    let played = Set(before?.programme?.places.compactMap(\.source.path) ?? [])
    let moved = station.programme?.places.filter { played.contains($0.source.path ?? "") } ?? []
    let kept = Set(moved.map(\.key))
    for (key, path) in station.namedPaths.sorted(by: { $0.key < $1.key })
    where known[key] != path && !kept.contains(key) {
      PathLook.at(path)
      if isRemote, let message = remoteProblem(with: path, isPlayed: key.hasPrefix("programme.")) {
        return Problem(key: key, message: message, isForbidden: true)
      }
      if let hidden, hidden.holds(Self.meaning(of: path)) {
        return Problem(key: key, message: Self.isOwn)
      }
      if key == Self.caFile, RegularFile.isOther(path) {
        return Problem(key: key, message: Self.notAFile)
      }
      if isAsked, ["auth.htpasswd", Self.caFile].contains(key), let code = Self.refusal(of: path) {
        return Problem(
          key: key, message: "\(Secrecy.pathOfSecret(path)): \(code); name a file that is there")
      }
    }
    return nil
  }

  /// Returns what is wrong with a path that a request over the network names; nil when nothing is. Blocks.
  package func problem(ofRemote path: String, as key: String) -> Problem? {
    PathLook.at(path)
    return remoteProblem(with: path, isPlayed: true).map {
      Problem(key: key, message: $0, isForbidden: true)
    }
  }

  /// Returns what is wrong with the paths of known stations, by id. Blocks.
  package func problems(of stations: [StationDefinition]) -> [String: Problem] {
    var problems: [String: Problem] = [:]
    for station in stations { problems[station.id] = problem(of: station, isRemote: false) }
    return problems
  }

  static let isOwn = "is in the data folder, which is the relay's own; put it elsewhere"
  package static let caFile = "ca-file"
  /// A pipe is refused, since opening it waits for its other end.
  static let notAFile = "is not a regular file; name one in PEM format"

  private static func refusal(of path: String) -> String? {
    if NamedFile.isFolder(path) { return String(cString: strerror(EISDIR)) }
    return access(path, R_OK) == 0 ? nil : String(cString: strerror(errno))
  }

  /// Returns the same words whether the path exists or not: a request over the network is not told what else there is.
  ///
  /// - Parameter isPlayed: whether it is music of a programme, which may lie in a root, too.
  private func remoteProblem(with path: String, isPlayed: Bool) -> String? {
    let roots = isPlayed ? roots : []
    if open.isEmpty, roots.isEmpty {
      return "is a path, and server: paths: allows no paths over the network; "
        + "name a folder there, or use the Unix socket"
    }
    let real = PrivateFolder.real(path)
    let isInside =
      real.map { real in
        (open + roots).contains { folder in
          PrivateFolder.real(folder).map { PrivateFolder.isInside(real, $0) } ?? false
        }
      } ?? false
    if isInside { return nil }
    return "is not there in any of the folders that server: paths: "
      + (roots.isEmpty ? "names" : "and library: roots: name")
  }

  /// Returns the path that the kernel resolves `path` to, also for a file that does not exist yet.
  private static func meaning(of path: String) -> String {
    if let real = PrivateFolder.real(path) { return real }
    var parts = path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
    var missing: [String] = []
    while let last = parts.popLast() {
      missing.insert(last, at: 0)
      let above = "/" + parts.joined(separator: "/")
      guard let real = PrivateFolder.real(above) else { continue }
      return (real == "/" ? "" : real) + "/" + missing.joined(separator: "/")
    }
    return path
  }
}

extension StationDefinition {
  /// The files and folders that the station names, by key.
  package var namedPaths: [String: String] {
    var paths = [
      "files": files?.root, "auth.htpasswd": auth?.passwordFile, "ca-file": connection.caFile,
    ]
    if case .file(let path)? = fallback { paths["fallback"] = path }
    for (key, source) in programme?.places ?? [] { paths[key] = source.path }
    return paths.compactMapValues(\.self)
  }
}

extension Configuration {
  /// Throws when paths that stations name are the relay's own, or CA files are no files. Blocks.
  ///
  /// - Parameter data: the data folder.
  public func requireOwnPaths(data: String) throws(ConfigurationError) {
    let problems = pathProblems(data: data)
    if !problems.isEmpty { throw ConfigurationError(problems: problems) }
  }

  package func pathProblems(data: String) -> [ConfigurationProblem] {
    let rules = PathRules(self, data: data)
    var problems = stations.compactMap { station -> ConfigurationProblem? in
      guard let problem = rules.problem(of: station, isRemote: false) else { return nil }
      return self.problem(of: station, problem.key, problem.message)
    }
    for (index, root) in library.roots.enumerated() {
      // By the path alone: the root's disk may hang.
      guard let hidden = rules.hidden, hidden.holds(root.path) else { continue }
      problems.append(problem("library.roots[\(index)].path", PathRules.isOwn))
    }
    if let path = upstream.caFile, Self.isOther(path) {
      problems.append(problem("upstream.\(PathRules.caFile)", PathRules.notAFile))
    }
    return problems
  }

  private static func isOther(_ path: String) -> Bool {
    PathLook.at(path)
    return RegularFile.isOther(path)
  }

  package func problem(_ key: String, line: Int = 0, _ message: String) -> ConfigurationProblem {
    ConfigurationProblem(file: file ?? "", line: line, key: key, message: message)
  }

  package func problem(
    of station: StationDefinition, _ key: String, _ message: String
  ) -> ConfigurationProblem {
    problem("stations.\(station.id).\(key)", line: stationLines[station.id] ?? 0, message)
  }
}
