import Glibc
import Wire

/// A folder whose files are never served, whatever paths and links lead to them. A few places inside it are excepted.
public struct PrivateFolder: Hashable, Sendable {
  /// The folder's path with all links resolved. An exception that does not exist stays as given.
  private let path: String
  private let exceptions: [String]

  /// Resolves the paths; nil if the folder does not exist. Blocks.
  public init?(_ path: String, except exceptions: [String] = []) {
    guard let real = Self.real(path) else { return nil }
    self.path = real
    // One that holds the folder itself would leave nothing of it private.
    self.exceptions = exceptions.map { Self.real($0) ?? $0 }
      .filter { $0 != real && Self.isInside($0, real) }
  }

  /// Whether a resolved path is this folder or inside it.
  public func holds(_ real: String) -> Bool {
    Self.isInside(real, path) && !exceptions.contains { Self.isInside(real, $0) }
  }

  /// Whether an open file is in the folder; true where the kernel does not tell. Blocks.
  package func holds(_ descriptor: Int32) -> Bool {
    // The folder's own path is text, so that what is no text behind it does not matter.
    Self.target(of: descriptor).map { holds(String(decoding: $0, as: UTF8.self)) } ?? true
  }

  /// Whether `path` is `folder` or inside it; both are resolved.
  public static func isInside(_ path: String, _ folder: String) -> Bool {
    let (path, folder) = (Array(path.utf8), Array(folder.utf8))
    return path == folder || PathText.below(folder, path) != nil
  }

  /// Resolves all links of a path; nil if nothing is there.
  public static func real(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(validatingCString: found)
  }

  /// The path of an open descriptor; nil if the kernel does not tell.
  package static func real(of descriptor: Int32) -> String? {
    target(of: descriptor).flatMap { String(validating: $0, as: UTF8.self) }
  }

  private static func target(of descriptor: Int32) -> ArraySlice<UInt8>? {
    var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = target.withUnsafeMutableBytes { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        readlink("/proc/self/fd/\(descriptor)", $0.baseAddress!, $0.count)
      }
    }
    guard count > 0, count < target.count else { return nil }
    return target[..<count]
  }
}
