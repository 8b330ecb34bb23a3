import GRDB
import Glibc
import Synchronization

// A database whose files are gone, or are others, while it is open: its disk was pulled, or somebody took them away.
extension StationStore {
  /// Most databases that are remembered as lost.
  private static let formerMax = 8

  /// Returns what happened to the database and what was done about it, to be reported once.
  package func popLosses() -> [String] {
    state.withLock { state in
      defer { state.losses = [] }
      return state.losses
    }
  }

  /// Whether what was reported is over, to be reported once.
  package func popRestored() -> Bool {
    state.withLock { state in
      defer { state.isRestored = false }
      return state.isRestored && state.refusal == nil
    }
  }

  /// Closes files that are deleted or replaced. On the disk's thread.
  func lose(_ disk: Disk) {
    let what = disk.files.loss
    disk.files.removeCompanions()
    state.withLock { state in
      state.disk = nil
      state.former = state.former.suffix(Self.formerMax - 1) + [disk.files]
      if state.refusal == nil {
        state.refusal = .lost("\(what) while it was open, and cannot be written again")
      }
    }
    // Closed before there is a new database: SQLite deletes its log by name.
    try? disk.pool.close()
    withExtendedLifetime(disk) {}
  }

  /// Closes the database that another relay has now. What it does there is not this one's.
  func giveUp(because reason: String) {
    let disk = state.withLock { state in
      let disk = state.disk
      (state.disk, state.former) = (nil, [])
      if case .taken = state.refusal { return disk }
      state.refusal = nil
      return disk
    }
    fall(.taken(reason))
    try? disk?.pool.close()
    withExtendedLifetime(disk) {}
  }

  /// Reports that files were lost, unless that was reported; returns the refusal.
  func tellLoss() -> Refusal? {
    state.withLock { state in
      if case .lost(let reason) = state.refusal, !state.isTold {
        state.losses.append("the database \(Self.loss(in: reason))")
        state.isTold = true
      }
      return state.refusal
    }
  }

  private static func loss(in reason: String) -> String {
    reason.replacing(", and cannot be written again", with: "")
  }

  /// Writes all rows to the database that stands there if it is this one's, else to a new one. On the disk's thread.
  func goToDisk() throws {
    let standing = DatabaseFiles(path)
    let aside =
      standing.isAny && !isOurs(standing) ? try StoreRescue.setAside(path, as: "other") : nil
    do {
      try writeAll(told: loss(aside: aside))
    } catch {
      if let aside {
        StoreRescue.putBack(aside, as: path)
      } else if !standing.isAny {
        StoreRescue.remove(path)
      }
      throw error
    }
  }

  func writeAll(told loss: String?) throws {
    try SecretFile.guardDatabase(path)
    let pool: DatabasePool
    do {
      pool = try Self.openPool(path)
    } catch let error as DatabaseError where StoreRescue.isDamage(error) {
      // Its rows are in memory.
      _ = try StoreRescue.setAside(path, as: "bad")
      try SecretFile.guardDatabase(path)
      pool = try Self.openPool(path)
    }
    do {
      try catchUp(pool, told: loss)
    } catch {
      try? pool.close()
      throw error
    }
  }

  /// Whether it is a database that this relay had open before its disk went.
  private func isOurs(_ standing: DatabaseFiles) -> Bool {
    let (former, refusal) = state.withLock { ($0.former, $0.refusal) }
    // It was read at the start, and has stayed where it is since; an older one has no number yet.
    if case .full = refusal { return former.contains { standing.isSame(as: $0) } }
    guard former.contains(where: { standing.isBack($0) }),
      let mark = DatabaseMark.mark(at: path), mark != 0
    else { return false }
    return (try? inMemory { try $0.read(DatabaseMark.mark) }) == mark
  }

  /// What is told when the rows are written again; nil where there is nothing to tell.
  private func loss(aside: String?) -> String? {
    let other = aside.map { "; the other one is now \($0)" } ?? ""
    return state.withLock { state in
      switch state.refusal {
      case .lost(let reason) where !state.isTold:
        "the database \(Self.loss(in: reason)): it is written again as it was\(other)"
      default:
        aside.map { "the database is written again as it was; another one there is now \($0)" }
      }
    }
  }
}
