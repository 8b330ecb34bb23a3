import Glibc

/// Recognises files that open without waiting for another process: no pipe, no device, no folder.
public enum RegularFile {
  /// Whether something other than a regular file is at the path. The corresponding C function is `stat`.
  public static func isOther(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && !status.isRegularFile
  }

  /// Whether an open descriptor is a regular file's; false also if that is unknown.
  public static func isBehind(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.isRegularFile
  }
}

extension stat {
  public var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }
}
