import Foundation

/// A file that somebody has named.
enum NamedFile {
  /// All of it; this blocks.
  static func contents(of path: String) throws(ConfigurationError) -> Data {
    if let data = FileManager.default.contents(atPath: path) { return data }
    let exists = FileManager.default.fileExists(atPath: path)
    throw ConfigurationError(
      path, exists ? "cannot be read; check its permissions" : "no such file")
  }
}
