import Glibc
import Ingest
import Timeshift

// What a configuration names on this machine, looked at before it runs.
extension ConfigurationReport {
  /// Throws all that is wrong with it. In folders that do not answer nothing is looked at. Blocks.
  ///
  /// A relay that starts refuses only the relay's own paths and too few files: the rest may come and go, as disks do.
  func requireNoProblem() throws(ConfigurationError) {
    var problems = openFilesProblem.map { [$0] } ?? []
    if let folders, folders.silent.isEmpty {
      let eyes = Eyes(data: data)
      problems += configuration.pathProblems(data: data)
      problems += configuration.stations.flatMap { fileProblems(of: $0, eyes) }
      problems += commonProblems(eyes) + configuration.fallbackProblems(data: data)
      problems += recordingProblem(folders).map { [$0] } ?? []
    }
    if problems.isEmpty { return }
    var known: Set<String> = []
    // Of one key the first that was found says most.
    problems = problems.filter { known.insert($0.key).inserted }
    throw ConfigurationError(problems: problems.sorted { ($0.line, $0.key) < ($1.line, $1.key) })
  }

  private var openFilesProblem: ConfigurationProblem? {
    let least = RelayService.leastOpenFiles(configuration.server)
    if openFiles >= least { return nil }
    let said = "serve " + RelayService.tooFewFiles(openFiles, least: least)
    return configuration.problem("server.threads", said + ", or lower it")
  }

  private func recordingProblem(_ folders: Folders) -> ConfigurationProblem? {
    // Who may not write the data folder is not who runs the relay.
    guard !rules.isEmpty, let refusal = folders.recordings.refusal, folders.data.refusal == nil
    else { return nil }
    return configuration.problem(
      "recordings.folder",
      "\(refusal.path) cannot be written: \(refusal.reason); \(refusal.advice)")
  }

  private func fileProblems(
    of station: StationDefinition, _ eyes: Eyes
  ) -> [ConfigurationProblem] {
    var problems: [(String, String)] = []
    if let problem = station.filesProblem { problems.append(("files", problem)) }
    if let path = station.auth?.passwordFile, let problem = eyes.problem(withPasswords: path) {
      problems.append(("auth.htpasswd", problem))
    }
    if let path = station.connection.caFile, let problem = eyes.problem(withAuthorities: path) {
      problems.append((PathRules.caFile, problem))
    }
    return problems.map { configuration.problem(of: station, $0, $1) }
  }

  private func commonProblems(_ eyes: Eyes) -> [ConfigurationProblem] {
    var problems: [(String, String)] = []
    if let path = configuration.upstream.caFile,
      let problem = eyes.problem(withAuthorities: path)
    {
      problems.append(("upstream.\(PathRules.caFile)", problem))
    }
    for (key, path) in [
      ("log.access", configuration.log.access), ("log.playlist", configuration.log.playlist),
    ] {
      if let path, let problem = eyes.problem(appendingTo: path) { problems.append((key, problem)) }
    }
    return problems.map { configuration.problem($0, $1) }
  }
}

/// Looks at files as the relay would. What only the relay's user may see is no problem to others.
private struct Eyes {
  /// The data folder is closed to whoever looks.
  private let isStranger: Bool

  init(data: String) {
    isStranger = DiskAdvice.refusal(data).map(Self.isClosed) ?? false
  }

  private static func isClosed(_ code: Int32) -> Bool { code == EACCES || code == EPERM }

  /// nil: it may be used so; `errno` as by access(2).
  private func refusal(_ path: String, _ use: Int32) -> Int32? {
    if faccessat(AT_FDCWD, path, use, AT_EACCESS) == 0 { return nil }
    return isStranger && Self.isClosed(errno) ? nil : errno
  }

  private func reason(_ code: Int32) -> String { String(cString: strerror(code)) }

  func problem(withPasswords path: String) -> String? {
    if let code = refusal(path, R_OK) {
      return "\(path): \(reason(code)); make it with htpasswd -B, or write where it is"
    }
    if isStranger, refusalAnyhow(path) { return nil }
    do throws(ConfigurationError) {
      let (_, mistakes) = PasswordFile.parse(try NamedFile.contents(ofFile: path))
      return mistakes.isEmpty ? nil : "\(path):" + mistakes.joined(separator: "; ")
    } catch {
      return "\(error)"
    }
  }

  func problem(withAuthorities path: String) -> String? {
    if let code = refusal(path, R_OK) {
      return "\(path): \(reason(code)); name a file of certificates in PEM format"
    }
    if RegularFile.isOther(path) || (isStranger && refusalAnyhow(path)) { return nil }
    do throws(ConfigurationError) {
      let text = String(decoding: try NamedFile.contents(ofFile: path), as: UTF8.self)
      let hasAny = ["-----BEGIN CERTIFICATE-----", "-----BEGIN TRUSTED CERTIFICATE-----"]
        .contains { text.contains($0) }
      return hasAny ? nil : "\(path) has no certificate; name a file of them in PEM format"
    } catch {
      return "\(error)"
    }
  }

  private func refusalAnyhow(_ path: String) -> Bool {
    faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) != 0
  }

  func problem(appendingTo path: String) -> String? {
    if faccessat(AT_FDCWD, path, F_OK, AT_EACCESS) == 0 {
      if let code = refusal(path, W_OK) {
        return "\(path): \(reason(code)); \(DiskAdvice.of(code, at: path))"
      }
      var status = stat()
      let isFolder = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
      return isFolder ? "\(path) is a folder; name a file in it" : nil
    }
    if isStranger, Self.isClosed(errno) { return nil }
    let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? "."
    guard let code = refusal(folder.isEmpty ? "/" : folder, W_OK | X_OK) else { return nil }
    let advice = code == ENOENT ? "make \(folder)" : DiskAdvice.of(code, at: folder)
    return "\(path) cannot be made: \(reason(code)); \(advice)"
  }
}
