import Glibc

/// Files that may be opened without waiting for somebody: no pipe, no device, no folder.
public enum RegularFile {
  /// Whether there is something else. The corresponding C function is `stat`.
  public static func isOther(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && !status.isRegularFile
  }

  /// Whether an open descriptor is of one; false also where that cannot be known.
  public static func isBehind(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.isRegularFile
  }
}

extension stat {
  public var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }
}
