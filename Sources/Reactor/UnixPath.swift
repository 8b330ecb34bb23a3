import Glibc

/// Makes Unix socket paths of any length usable. `sun_path` holds 107 bytes, so a longer path is reached through its
/// directory's descriptor.
public enum UnixPath {
  private static let bytesMax = 107

  /// Calls `body` with a short path to the same file. The path is valid during the call.
  public static func withShortPath<Result>(
    _ path: String, _ body: (String) throws(SystemError) -> Result
  ) throws(SystemError) -> Result {
    if path.utf8.count <= bytesMax { return try body(path) }
    let slash = path.lastIndex(of: "/") ?? path.startIndex
    let directory = String(path[..<slash])
    let fd = open(directory, O_DIRECTORY | O_CLOEXEC)
    if fd < 0 { throw SystemError(call: "open", on: directory, code: errno) }
    defer { close(fd) }
    return try body("/proc/self/fd/\(fd)" + path[slash...])
  }
}
