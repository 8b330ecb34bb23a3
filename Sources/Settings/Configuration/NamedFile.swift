import Foundation
import Glibc
import Timeshift

/// Reads files whose names were given by people.
package enum NamedFile {
  /// Most bytes of a file that is read whole, or of what comes through a pipe.
  package static let bytesMax = 256 << 20

  /// Returns the contents of a file. Blocks. Refuses everything but a file: reading a pipe could wait without end.
  package static func contents(
    ofFile path: String, most: Int = bytesMax
  ) throws(ConfigurationError) -> Data {
    PathLook.at(path)
    if RegularFile.isOther(path), !isFolder(path) {
      throw ConfigurationError(path, "is not a file; name a regular one")
    }
    return try contents(of: path, most: most)
  }

  /// Returns the contents of a file, or all that comes through a pipe. Blocks.
  ///
  /// - Parameter most: bytes; what is larger is refused.
  package static func contents(
    of path: String, most: Int = bytesMax
  ) throws(ConfigurationError) -> Data {
    if path.isEmpty { throw ConfigurationError("\"\"", "names no file; write its path") }
    if isFolder(path) {
      throw ConfigurationError(path, "is a folder, not a file; name the file in it")
    }
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
      guard data.count <= most else {
        throw ConfigurationError(path, "is larger than \(most >> 20) MiB")
      }
    }
  }

  /// Returns the folder of a file, from the root on; the root for a text that is no file's.
  static func folder(of file: String) -> String {
    if file.isEmpty { return "/" }
    let here = file.hasPrefix("/") ? "" : FileManager.default.currentDirectoryPath + "/"
    let path = (here + file).split(separator: "/", omittingEmptySubsequences: false).dropLast()
    return path.count > 1 ? path.joined(separator: "/") : "/"
  }

  package static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  private static func reason(_ code: Int32) -> String {
    switch code {
    case ENOENT, ENOTDIR: "no such file; write where it is"
    case EACCES, EPERM: "cannot be read; check its permissions (ls -l)"
    default: "cannot be read: \(String(cString: strerror(code)))"
    }
  }
}
