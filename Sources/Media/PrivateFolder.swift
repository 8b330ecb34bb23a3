import Glibc

/// A folder whose files are nobody's to ask for, whatever paths and links lead there, but for a few places in it.
public struct PrivateFolder: Hashable, Sendable {
  /// As the kernel has them.
  private let path: String
  private let exceptions: [String]

  /// Blocks. nil: there is no such folder.
  public init?(_ path: String, except exceptions: [String] = []) {
    guard let real = Self.real(path) else { return nil }
    self.path = real
    self.exceptions = exceptions.map { Self.real($0) ?? $0 }
  }

  /// Whether a path, as the kernel has it, is this folder or something in it.
  public func holds(_ real: String) -> Bool {
    Self.isInside(real, path) && !exceptions.contains { Self.isInside(real, $0) }
  }

  /// Whether a path, as the kernel has it, leads through the folder or into it.
  public func touches(_ real: String) -> Bool { holds(real) || Self.isInside(path, real) }

  /// Whether `path` is `folder` or in it; both as the kernel has them.
  public static func isInside(_ path: String, _ folder: String) -> Bool {
    if folder == "/" { return path.utf8.first == UInt8(ascii: "/") }
    guard path.utf8.starts(with: folder.utf8) else { return false }
    let rest = path.utf8.dropFirst(folder.utf8.count)
    return rest.isEmpty || rest.first == UInt8(ascii: "/")
  }

  /// What a path means, through all links; nil: nothing that is there.
  public static func real(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(validatingCString: found)
  }

  /// What is open under a descriptor; nil: the kernel does not say.
  static func real(of descriptor: Int32) -> String? {
    var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = target.withUnsafeMutableBytes { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        readlink("/proc/self/fd/\(descriptor)", $0.baseAddress!, $0.count)
      }
    }
    guard count > 0, count < target.count else { return nil }
    return String(validating: target[..<count], as: UTF8.self)
  }
}
