import Glibc
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
  /// Why the station's files cannot be served; nil when they can, or the station has none. Blocks.
  package var filesProblem: String? {
    guard let root = files?.root else { return nil }
    PathLook.at(root)
    let kind = Self.kind(root)
    let isFolder = kind == S_IFDIR || kind == S_IFREG
    if isFolder, Glibc.access(root, R_OK) == 0 { return nil }
    let reason =
      isFolder || kind == nil ? String(cString: strerror(errno)) : "neither a folder nor a file"
    return "\(Secrecy.path(root)): \(reason); make the folder, or write where it is"
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
