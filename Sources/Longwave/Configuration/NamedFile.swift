import Foundation
import Timeshift

/// A file that somebody has named.
enum NamedFile {
  /// All of it; this blocks. Nothing but a file will do: a pipe would be waited for without end.
  static func contents(ofFile path: String) throws(ConfigurationError) -> Data {
    if RegularFile.isOther(path) { throw ConfigurationError(path, "is not a file") }
    return try contents(of: path)
  }

  /// All of it, or all that comes through a pipe; this blocks.
  static func contents(of path: String) throws(ConfigurationError) -> Data {
    if let data = FileManager.default.contents(atPath: path) { return data }
    let exists = FileManager.default.fileExists(atPath: path)
    throw ConfigurationError(
      path, exists ? "cannot be read; check its permissions" : "no such file")
  }
}
