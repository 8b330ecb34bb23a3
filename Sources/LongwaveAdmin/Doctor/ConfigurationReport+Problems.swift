import Foundation
import Glibc
import Ingest
import Longwave
import Timeshift

// Checks the files and folders that a configuration names, before the configuration runs.
extension ConfigurationReport {
  /// Throws all problems of the configuration. If a folder does not answer, no file is checked. The call blocks.
  ///
  /// A starting relay refuses only bad paths of its own and too few open files; other files may come and go, as disks
  /// do.
  func requireNoProblem() throws(ConfigurationError) {
    var problems = openFilesProblem.map { [$0] } ?? []
    if let folders, folders.silent.isEmpty {
      let eyes = Eyes(data: data)
      problems += configuration.pathProblems(data: data)
      problems += configuration.stations.flatMap { fileProblems(of: $0, eyes) }
      problems += commonProblems(eyes)
      problems += recordingProblem(folders).map { [$0] } ?? []
    }
    if problems.isEmpty { return }
    var known: Set<String> = []
    // For each key only the first problem is kept, because it says most.
    problems = problems.filter { known.insert($0.key).inserted }
    throw ConfigurationError(problems: problems.sorted { ($0.line, $0.key) < ($1.line, $1.key) })
  }

  private var openFilesProblem: ConfigurationProblem? {
    let least = OpenFiles.least(configuration.server)
    if openFiles >= least { return nil }
    let said = "serve " + OpenFiles.tooFew(openFiles, least: least)
    return configuration.problem("server.threads", said + ", or lower it")
  }

  private func recordingProblem(_ folders: Folders) -> ConfigurationProblem? {
    // A user that may not write the data folder is not the relay's user, so the check would tell nothing.
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
    // A programme waits for its folders; that is a remark.
    if station.programme == nil, let problem = station.filesProblem { problems.append(problem) }
    if let problem = station.programProblem { problems.append(("command", problem)) }
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
    if let path = configuration.server.data, !NamedFile.isFolder(path),
      faccessat(AT_FDCWD, path, F_OK, AT_EACCESS) == 0
    {
      problems.append(("server.data", "\(path) is no folder; name one, which may not exist yet"))
    }
    for path in configuration.server.paths {
      guard let problem = eyes.problem(lookingInto: path) else { continue }
      problems.append(("server.paths", problem))
    }
    return problems.map { configuration.problem($0, $1) }
  }
}

/// Checks files as the relay would. Files that only the relay's user may see are no problem for other users.
private struct Eyes {
  private enum View {
    case fine
    /// Only the relay's user may see the file.
    case hidden
    /// The access fails, with `errno` as from access(2).
    case refused(Int32)
  }

  /// Whether the data folder is closed to the current user.
  private let isStranger: Bool

  init(data: String) {
    isStranger = DiskAdvice.refusal(data).map(Self.isClosed) ?? false
  }

  func problem(withPasswords path: String) -> String? {
    problem(reading: path, "make it with htpasswd -B, or write where it is") {
      let (_, mistakes) = PasswordFile.parse($0)
      return mistakes.isEmpty
        ? nil : "\(Secrecy.pathOfSecret(path)):" + mistakes.joined(separator: "; ")
    }
  }

  func problem(withAuthorities path: String) -> String? {
    problem(reading: path, "name a file of certificates in PEM format") {
      PEMText.certificates(in: String(decoding: $0, as: UTF8.self)) > 0
        ? nil
        : "\(Secrecy.pathOfSecret(path)) has no certificate; name a file of them in PEM format"
    }
  }

  func problem(appendingTo path: String) -> String? {
    switch view(path, W_OK) {
    case .hidden: return nil
    case .fine:
      return NamedFile.isFolder(path) ? "\(path) is a folder; name a file in it" : nil
    case .refused(let code) where code != ENOENT:
      return "\(path): \(reason(code)); \(DiskAdvice.of(code, at: path))"
    case .refused:
      let folder = DiskAdvice.folder(of: path)
      guard case .refused(let code) = view(folder, W_OK | X_OK) else { return nil }
      let advice = code == ENOENT ? "make \(folder)" : DiskAdvice.of(code, at: folder)
      return "\(path) cannot be made: \(reason(code)); \(advice)"
    }
  }

  func problem(lookingInto folder: String) -> String? {
    switch view(folder, X_OK) {
    case .hidden: nil
    case .fine: NamedFile.isFolder(folder) ? nil : "\(folder) is no folder; name the one it is in"
    case .refused(let code): "\(folder): \(reason(code)); make the folder, or write where it is"
    }
  }

  private func problem(
    reading path: String, _ advice: String, _ problem: (Data) -> String?
  ) -> String? {
    switch view(path, R_OK) {
    case .hidden: return nil
    case .refused(let code): return "\(Secrecy.pathOfSecret(path)): \(reason(code)); \(advice)"
    case .fine:
      do throws(ConfigurationError) {
        return problem(try NamedFile.contents(ofFile: path))
      } catch {
        let reasons = error.problems.map(\.message).joined(separator: "; ")
        return "\(Secrecy.pathOfSecret(path)): \(reasons)"
      }
    }
  }

  private func view(_ path: String, _ use: Int32) -> View {
    if faccessat(AT_FDCWD, path, use, AT_EACCESS) == 0 { return .fine }
    return isStranger && Self.isClosed(errno) ? .hidden : .refused(errno)
  }

  private static func isClosed(_ code: Int32) -> Bool { code == EACCES || code == EPERM }

  private func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}
