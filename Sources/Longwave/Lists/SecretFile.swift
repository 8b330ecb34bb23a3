import Foundation
import Glibc

/// A file that its owner alone may read, from its first byte on, whatever was there before under its name.
enum SecretFile {
  /// Writes it at once or not at all.
  static func write(_ bytes: [UInt8], to path: String) throws {
    let draft = "\(path).\(UUID().uuidString)"
    let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw error() }
    do {
      let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
      try handle.write(contentsOf: Data(bytes))
      try handle.synchronize()
      guard rename(draft, path) == 0 else { throw error() }
    } catch {
      unlink(draft)
      throw error
    }
  }

  private static func error() -> any Error { POSIXError(.init(rawValue: errno) ?? .EIO) }
}
