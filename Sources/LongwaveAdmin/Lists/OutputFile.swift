import Foundation
import Glibc
import Longwave
import Synchronization
import Timeshift

/// The file that a command writes for `-o`. A plain file is replaced whole or not at all; anything else at the path (a
/// device, a pipe, a link's target) is opened and written.
///
/// A plain file that is never finished leaves nothing behind. A caller that gives up calls `discard`, since a program
/// may end before the last holder has let go.
public final class OutputFile: Sendable {
  private let path: String
  private let file: Int32
  /// The path of the draft, beside the final path until the file is whole; nil when the path itself is written.
  private let draft: String?
  private let state = Mutex(State())

  private struct State {
    var isBegun = false
    var isOver = false
  }

  /// - Parameter isSecret: Whether only the owner may read the file, from the first byte on.
  public init(_ path: String, isSecret: Bool = false) throws(AdminError) {
    self.path = path
    var status = stat()
    let isThere = lstat(path, &status) == 0
    if isThere, !status.isRegularFile {
      draft = nil
      file = try Self.opened(path, isSecret: isSecret)
      return
    }
    let draft = "\(path).part-\(UUID().uuidString)"
    file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, Self.mode(isSecret))
    self.draft = draft
    guard file >= 0 else { throw Self.refused(path) }
    if isThere, !isSecret { fchmod(file, status.st_mode & 0o777) }
  }

  deinit {
    discard()
    close(file)
  }

  /// Gives up a file that is not finished.
  public func discard() {
    let isOver = state.withLock { state in
      defer { state.isOver = true }
      return state.isOver
    }
    if let draft, !isOver { unlink(draft) }
  }

  /// Writes bytes. The call blocks, at a pipe until it has a reader.
  public func write(_ bytes: Span<UInt8>) throws(AdminError) {
    try begin()
    try bytes.withUnsafeBytes { (bytes) throws(AdminError) in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Glibc.write(
          file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw Self.refused(path) }
        rest = rest.dropFirst(count)
      }
    }
  }

  /// Ends the file: its bytes are on the disk, and it has its name.
  public func finish() throws(AdminError) {
    try begin()
    if RegularFile.isBehind(file), fsync(file) != 0 { throw Self.refused(path) }
    if let draft, rename(draft, path) != 0 { throw Self.refused(path) }
    state.withLock { $0.isOver = true }
  }

  /// Empties the target of a link when the first bytes arrive, not before.
  private func begin() throws(AdminError) {
    let isFirst = state.withLock { state in
      defer { state.isBegun = true }
      return !state.isBegun
    }
    guard isFirst, draft == nil, RegularFile.isBehind(file) else { return }
    if ftruncate(file, 0) != 0 { throw Self.refused(path) }
  }

  private static func mode(_ isSecret: Bool) -> mode_t { isSecret ? 0o600 : 0o666 }

  private static func opened(_ path: String, isSecret: Bool) throws(AdminError) -> Int32 {
    let flags = O_WRONLY | O_CLOEXEC | O_NOCTTY
    var file = open(path, flags)
    // The link's target does not exist yet.
    if file < 0, errno == ENOENT { file = open(path, flags | O_CREAT, mode(isSecret)) }
    guard file >= 0 else { throw refused(path) }
    var status = stat()
    // A writable file of another user keeps its mode, because its owner must guard it.
    guard isSecret, fstat(file, &status) == 0, status.isRegularFile, status.st_uid == geteuid(),
      fchmod(file, mode(isSecret)) != 0
    else { return file }
    defer { close(file) }
    throw refused(path)
  }

  private static func refused(_ path: String) -> AdminError {
    let (code, folder) = (errno, DiskAdvice.folder(of: path))
    let advice =
      switch code {
      case EISDIR: "name a file in it"
      case ENOENT, ENOTDIR: "make the folder \(folder) first"
      default: DiskAdvice.of(code, at: folder)
      }
    return AdminError("cannot write \(path): \(String(cString: strerror(code))); \(advice)")
  }
}
