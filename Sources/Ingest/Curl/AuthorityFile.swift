import Glibc
import Reactor
import Timeshift

/// Why a file of authorities cannot be used: which, why, and what to do.
struct AuthorityError: Error, Hashable, Sendable, CustomStringConvertible {
  var description: String

  static func noFile(_ path: String) -> AuthorityError {
    AuthorityError(description: "\(path) is not a regular file; name one in PEM format")
  }

  static func unusable(_ path: String, _ reason: String) -> AuthorityError {
    AuthorityError(
      description: "\(path): \(reason); name a file of certificates in PEM format")
  }

  static func noCertificate(_ path: String) -> AuthorityError {
    AuthorityError(description: "\(path) has no certificate; name a file of them in PEM format")
  }

  static func silent(_ path: String) -> AuthorityError {
    AuthorityError(
      description: "\(path) has not come in time; look at its disk, or at the network that it is on"
    )
  }
}

/// A file in PEM of the authorities that are trusted in place of the system's.
enum AuthorityFile {
  /// The most bytes of a file. libcurl takes 8 MB; all authorities that browsers trust are a quarter of a mebibyte.
  static let bytesMax = 4 << 20

  /// Reads the whole file. Blocks.
  ///
  /// - Parameter takesPipes: whether pipes and the like are read as well, to their end.
  static func read(_ path: String, takesPipes: Bool = false) throws(AuthorityError) -> [UInt8] {
    let waits = takesPipes ? 0 : O_NONBLOCK
    let file = SpareDescriptors.refuse(open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | waits))
    guard file >= 0 else { throw .unusable(path, reason(errno)) }
    defer { close(file) }
    if !takesPipes, !RegularFile.isBehind(file) { throw .noFile(path) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(file, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .unusable(path, reason(errno)) }
      if count == 0 { break }
      bytes += piece[..<count]
      if bytes.count > bytesMax { throw .unusable(path, "larger than \(bytesMax >> 20) MiB") }
    }
    if bytes.isEmpty { throw .noCertificate(path) }
    return bytes
  }

  private static func reason(_ code: Int32) -> String {
    Shortage.reason(code) ?? String(cString: strerror(code))
  }
}
