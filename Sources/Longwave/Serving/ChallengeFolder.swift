import Glibc
import Media
import Server
import Threads
import Timeshift

/// The folder in which an ACME client leaves what a certificate authority asks for (RFC 8555, section 8.3).
final class ChallengeFolder: ChallengeAnswering {
  private let root: String
  /// One read at a time: who asks for answers that are not there must not take the relay's threads.
  private let turnstile = Turnstile()

  /// Bytes of an answer: a token and the thumbprint of a key.
  private static let bytesMax = 1024

  init(_ root: String) { self.root = root }

  func answer(to token: String) async -> [UInt8]? {
    await turnstile.enter()
    defer { turnstile.leave() }
    return await Blocking.run { [root] in Self.read(token, in: root) }
  }

  /// Reads the file of a token below the folder, wherever links lead. Blocks.
  private static func read(_ token: String, in root: String) -> [UInt8]? {
    let folder = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return nil }
    defer { close(folder) }
    let file = MediaFolder.descriptor(
      of: Array((ChallengePath.prefix + token).utf8), beneath: folder)
    guard file >= 0 else { return nil }
    defer { close(file) }
    guard RegularFile.isBehind(file) else { return nil }
    var count = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: bytesMax + 1) { buffer, filled in
      count = pread(file, buffer.baseAddress, buffer.count, 0)
      filled = max(0, count)
    }
    return count > 0 && count <= bytesMax ? bytes : nil
  }
}
