import GRDB
import Glibc
import Synchronization
import Threads

/// Device and inode of the database's open files; they show when a file was deleted or replaced. What is written to
/// such a file is lost.
struct DatabaseFiles: Hashable, Sendable {
  private struct File: Hashable, Sendable {
    var disk: UInt64
    var number: UInt64
  }

  private let path: String
  /// The database, and its write-ahead log.
  private let files: [String: File]

  init(_ path: String) {
    self.path = path
    files = [path, path + "-wal"].reduce(into: [:]) { files, path in
      if case .file(let file) = Self.look(path) { files[path] = file }
    }
  }

  /// Whether all files are still there. A file that cannot be looked at counts as there.
  var areThere: Bool { files.allSatisfy { Self.isFound($0.value, at: $0.key) } }

  private static func isFound(_ file: File, at path: String) -> Bool {
    switch look(path) {
    case .file(let found): found == file
    case .none: false
    case .unknown: true
    }
  }

  /// Whether another database has taken its place.
  var isReplaced: Bool {
    guard let file = files[path], case .file(let found) = Self.look(path) else { return false }
    return found != file
  }

  /// What happened to the files, in words.
  var loss: String {
    if isReplaced { return "\(path) was replaced" }
    let lost = files.keys.sorted().first { path in
      files[path].map { !Self.isFound($0, at: path) } ?? false
    }
    return "\(lost ?? path) was deleted"
  }

  /// Deletes the lost database's companions that still exist beside its path: they would damage another database.
  func removeCompanions() {
    if let log = files[path + "-wal"], Self.isFound(log, at: path + "-wal") {
      unlink(path + "-wal")
      unlink(path + "-shm")
    }
  }

  private enum Look {
    case file(File)
    case none
    case unknown
  }

  private static func look(_ path: String) -> Look {
    var status = stat()
    if lstat(path, &status) == 0 {
      return .file(File(disk: UInt64(status.st_dev), number: UInt64(status.st_ino)))
    }
    return [ENOENT, ENOTDIR].contains(errno) ? .none : .unknown
  }
}

extension StationStore {
  /// Returns what happened to the open files and what was done about it, to be reported once.
  func takeLosses() -> [String] {
    losses.withLock { losses in
      defer { losses = [] }
      return losses
    }
  }

  /// Whether the open files were deleted or replaced. Blocks.
  var isLost: Bool { files.withLock { $0.map { !$0.areThere } ?? false } }

  /// Writes everything to a new database if the open one was deleted or replaced, so that answered changes survive.
  /// Checked with each change.
  func writeAgainIfLost() async throws(StoreError) {
    try await Blocking.run { [self] () throws(StoreError) in
      let result = moving.withLock { _ in Result { try writeAgain() } }
      do {
        try result.get()
      } catch {
        throw StoreError(error, doing: "write \(path) again", in: path)
      }
    }
  }

  private func writeAgain() throws {
    // Another thread may have done it while this one waited.
    guard let lost = files.withLock({ $0 }), !lost.areThere else { return }
    let what = lost.loss
    lost.removeCompanions()
    let aside = lost.isReplaced ? try StoreRescue.setAside(path, as: "other") : nil
    let (old, memory) = (current, try DatabaseQueue())
    try old.writeWithoutTransaction { disk in
      try memory.writeWithoutTransaction { try disk.backup(to: $0) }
      refusal.withLock { $0 = .lost("\(what) while it was open, and cannot be written again") }
      files.withLock { $0 = nil }
      database.withLock { $0 = memory }
    }
    // Closed before there is a new database: SQLite deletes its log by name.
    try? old.close()
    let told = "the database \(what) while it was open"
    guard goToDisk() else { return losses.withLock { $0.append(told) } }
    let other = aside.map { "; the other one is now \($0)" } ?? ""
    losses.withLock { $0.append("\(told): it is written again as it was\(other)") }
  }
}
