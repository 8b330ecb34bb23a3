import Foundation
import Glibc
import Timeshift

/// A file that somebody has named.
enum NamedFile {
  /// Of files that are read whole, and of what comes through a pipe.
  static let bytesMax = 256 << 20

  /// All of it; this blocks. Nothing but a file will do: a pipe would be waited for without end.
  static func contents(ofFile path: String) throws(ConfigurationError) -> Data {
    PathLook.at(path)
    if RegularFile.isOther(path), !isFolder(path) {
      throw ConfigurationError(path, "is not a file")
    }
    return try contents(of: path)
  }

  /// All of it, or all that comes through a pipe; this blocks.
  static func contents(of path: String) throws(ConfigurationError) -> Data {
    if isFolder(path) { throw ConfigurationError(path, "is a folder, not a file") }
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard file >= 0 else { throw ConfigurationError(path, reason(errno)) }
    defer { close(file) }
    var data = Data()
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(file, &piece, piece.count)
      if count == 0 { return data }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw ConfigurationError(path, reason(errno)) }
      data.append(contentsOf: piece[..<count])
      guard data.count <= bytesMax else {
        throw ConfigurationError(path, "is larger than \(bytesMax >> 20) MiB")
      }
    }
  }

  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  private static func reason(_ code: Int32) -> String {
    switch code {
    case ENOENT, ENOTDIR: "no such file"
    case EACCES, EPERM: "cannot be read; check its permissions"
    default: "cannot be read: \(String(cString: strerror(code)))"
    }
  }
}
