import GRDB
import Glibc
import Synchronization
import Threads

/// The files of a database that is open, by what they are and not by what they are called: what is written to one that
/// was deleted, or that another one was put in the place of, nobody finds again.
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

  /// False: one of them is not there any more. What cannot be looked at counts as there.
  var areThere: Bool { files.allSatisfy { Self.isFound($0.value, at: $0.key) } }

  private static func isFound(_ file: File, at path: String) -> Bool {
    switch look(path) {
    case .file(let found): found == file
    case .none: false
    case .unknown: true
    }
  }

  /// Another database stands in its place.
  var isReplaced: Bool {
    guard let file = files[path], case .file(let found) = Self.look(path) else { return false }
    return found != file
  }

  /// Words for it.
  var loss: String {
    if isReplaced { return "\(path) was replaced" }
    let lost = files.keys.sorted().first { path in
      files[path].map { !Self.isFound($0, at: path) } ?? false
    }
    return "\(lost ?? path) was deleted"
  }

  /// Deletes those of its companions that still stand beside where it was: to another database they would be poison.
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
  /// What somebody did to its files while they were open, and what became of that: to be told once.
  func takeLosses() -> [String] {
    losses.withLock { losses in
      defer { losses = [] }
      return losses
    }
  }

  /// Somebody has deleted the files that are open, or put others in their place. Blocks.
  var isLost: Bool { files.withLock { $0.map { !$0.areThere } ?? false } }

  /// Writes all there is to a new database, where somebody has taken away the one that is open: what was answered
  /// survives. Looked at with each change.
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
    // Somebody else may have done it while this waited.
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
    // Before there is a new one: SQLite deletes its log by name.
    try? old.close()
    let told = "the database \(what) while it was open"
    guard goToDisk() else { return losses.withLock { $0.append(told) } }
    let other = aside.map { "; the other one is now \($0)" } ?? ""
    losses.withLock { $0.append("\(told): it is written again as it was\(other)") }
  }
}
