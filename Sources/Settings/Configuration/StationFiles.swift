import Glibc
import Programmes
import Reactor
import Server

extension ValueRule where Value == String {
  /// The rule for a path of this machine that does not depend on where the relay was started.
  static var absolutePath: ValueRule {
    let wanted = "a path that begins with a slash"
    return ValueRule(wanted: wanted) { text throws(InvalidValue) in
      guard text.utf8.first == UInt8(ascii: "/"), text.utf8.count <= 4095,
        !text.utf8.contains(where: { $0 < 32 || $0 == 127 })
      else { throw InvalidValue(quoting: text, "is not \(wanted)") }
      return text
    }
  }
}

extension StationDefinition {
  /// The files and folders that the station serves or plays, by key.
  package var playedPaths: [String: String] {
    namedPaths.filter { $0.key == "files" || $0.key.hasPrefix("programme.") }
  }

  /// The first of the station's files that cannot be served or played, and why; nil when all can. Blocks.
  package var filesProblem: (key: String, message: String)? {
    if let root = files?.root, let problem = Self.problem(with: root, S_IFDIR, S_IFREG) {
      return ("files", problem)
    }
    for (key, source) in programme?.places ?? [] {
      guard let path = source.path else { continue }
      let kind =
        switch source {
        case .folder: S_IFDIR
        case .collection, .list, .url, .station: S_IFREG
        }
      if let problem = Self.problem(with: path, kind) { return (key, problem) }
    }
    return nil
  }

  /// Returns why a folder cannot be looked into; nil when it can. Blocks.
  static func problemWithFolder(_ path: String) -> String? { problem(with: path, S_IFDIR) }

  private static func problem(with path: String, _ kinds: mode_t...) -> String? {
    PathLook.at(path)
    let kind = kind(path)
    let isRight = kind.map(kinds.contains) ?? false
    if isRight, Glibc.access(path, R_OK) == 0 { return nil }
    let code = errno
    let wrong = kinds.count > 1 ? "neither a folder nor a file" : "is another kind of file"
    let reason = isRight || kind == nil ? String(cString: strerror(code)) : wrong
    let advice =
      kinds.contains(S_IFDIR) ? "make the folder, or write where it is" : "write where it is"
    return "\(Secrecy.path(path)): \(reason); \(advice)"
  }

  /// Why the station's program cannot be run; nil when it can, or the station has none. Blocks.
  package var programProblem: String? {
    guard let program else { return nil }
    do throws(ProgramError) {
      _ = try program.path()
      return nil
    } catch {
      return "\(error)"
    }
  }

  private static func kind(_ path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }
}
