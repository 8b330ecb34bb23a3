import GRDB
import Settings
import Synchronization
import Threads
import Timeshift

// What is done on the disk, in turn: writes, and bringing rows to a disk that lacks them.
extension StationStore {
  /// What became of a write on the disk.
  enum Outcome<Value: Sendable>: Sendable {
    /// It is on the disk and in memory.
    case done(Value)
    /// The database refuses it, on any disk.
    case refused(any Error)
    /// The disk does not take it, and memory does not have it.
    case noDisk(Refusal)
  }

  /// Whether a call on the disk has not returned for longer than the disk is waited for.
  var isSilent: Bool {
    guard case .silent = refusal else { return false }
    return !turns.isFree(path)
  }

  /// Does work on the disk's thread, and waits as long as the disk is not waited for longer than `patience`. While that
  /// thread waits for memory, who reads there is to blame, and no disk.
  @discardableResult
  func onDisk<Value: Sendable>(
    late: @escaping @Sendable (Value) -> Void = { _ in }, _ work: @escaping @Sendable () -> Value
  ) async -> Value? {
    let began = MonotonicTime.now().nanoseconds - memoryWaits.nanoseconds
    return await turns.run(
      in: path,
      unless: { [self] in
        let waited = MonotonicTime.now().nanoseconds - memoryWaits.nanoseconds - began
        return Double(waited) / 1e9 >= patience
      }, late: late, work)
  }

  /// Works on memory, on the disk's thread.
  func inMemory<Value>(_ work: (DatabaseQueue) throws -> Value) rethrows -> Value {
    memoryWaits.begin()
    defer { memoryWaits.end() }
    return try work(memory)
  }

  /// Writes to the disk and to memory; waits no longer than `patience`.
  func writeOnDisk<Value: Sendable>(
    _ work: @escaping @Sendable (Database) throws -> Value
  ) async -> Outcome<Value> {
    let ticket = StoreTicket<Value>()
    let told = await onDisk { [self] in
      write(work, ticket)
      return true
    }
    if told == nil, ticket.giveUp() { return .noDisk(fallSilent()) }
    if let outcome = ticket.outcome { return outcome }
    // The disk has answered at the last moment; what is left to do is in memory.
    let late = await turns.run(in: path, within: nil) { ticket.outcome }
    return (late ?? nil) ?? .noDisk(fallSilent())
  }

  /// On the disk's thread.
  private func write<Value: Sendable>(
    _ work: (Database) throws -> Value, _ ticket: StoreTicket<Value>
  ) {
    if ticket.isGivenUp { return }
    if let refusal = settle() { return ticket.end(.noDisk(refusal)) }
    guard let pool = state.withLock({ $0.disk?.pool }) else {
      return ticket.end(.noDisk(fallSilent()))
    }
    let value: Value
    do {
      value = try pool.write(work)
    } catch {
      guard Self.isOfDisk(error) else { return ticket.end(.refused(error)) }
      let refusal = fall(.failed(StoreError.reason(error, in: path)))
      return ticket.end(.noDisk(refusal))
    }
    guard ticket.claim() else {
      // Whoever asked for it was told that it is not done.
      fallSilent()
      try? catchUp(pool)
      return
    }
    do {
      _ = try inMemory { try $0.write(work) }
    } catch {
      // Both have the same rows, so what the one takes the other takes; this is for want of memory.
      try? pool.backup(to: memory)
    }
    ticket.end(.done(value))
  }

  /// Makes a change in memory only. Nil when the disk has all rows by now: then it is to be made there.
  func writeInMemory<Value: Sendable>(
    _ what: String, _ work: @escaping @Sendable (Database) throws -> Value
  ) async throws(StoreError) -> Value? {
    do {
      return try await memory.write { [self] db in
        // Counted with the look, so that a copy that is being made lacks no counted change.
        let isRefused = state.withLock { state in
          state.changes &+= 1
          return state.refusal != nil
        }
        return isRefused ? try work(db) : nil
      }
    } catch {
      throw StoreError(error, doing: what, in: path)
    }
  }

  /// Whether a disk is the cause, or a program that holds the database.
  private static func isOfDisk(_ error: any Error) -> Bool {
    guard let error = error as? DatabaseError else { return false }
    return switch error.resultCode {
    case .SQLITE_IOERR, .SQLITE_FULL, .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_BUSY,
      .SQLITE_LOCKED, .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_PROTOCOL, .SQLITE_PERM:
      true
    default: false
    }
  }

  // MARK: Refusals

  /// Notes that the disk lacks rows; the first reason stays, until the disk has all.
  @discardableResult func fall(_ refusal: Refusal) -> Refusal {
    state.withLock { state in
      if let first = state.refusal { return first }
      state.refusal = refusal
      state.isTold = true
      state.losses.append("the database: \(refusal.reason)")
      return refusal
    }
  }

  @discardableResult func fallSilent() -> Refusal {
    fall(.silent(SilentPath(path: path, seconds: patience).description))
  }

  // MARK: The disk that lacks rows

  /// Looks whether the folder is this relay's and the open files are there, and writes to the disk what it lacks.
  ///
  /// - Returns: whether the disk has all rows now.
  package func moveToDisk() async -> Bool {
    // While a call hangs there, another would only wait behind it.
    if isSilent, !turns.isFree(path) { return false }
    let isDone = await onDisk(late: { [self] _ in _ = settle() }) { [self] in
      isClaimed() && settle() == nil
    }
    if isDone == nil { fallSilent() }
    return isDone ?? false
  }

  /// Whether the data folder is this relay's as of the last look, and its disk answers.
  package var hasFolder: Bool {
    switch refusal {
    case .taken, .silent: false
    case .full, .lost, .failed, nil: true
    }
  }

  /// Writes to the disk what it lacks. On the disk's thread.
  ///
  /// - Returns: why the disk lacks rows still; nil when it has all.
  func settle() -> Refusal? {
    let disk = state.withLock(\.disk)
    if let disk, !areKept(disk) { lose(disk) }
    guard let refusal = refusal else { return nil }
    guard isClaimed() else { return self.refusal }
    do {
      if let pool = state.withLock({ $0.disk?.pool }) {
        try catchUp(pool)
      } else {
        try goToDisk()
      }
      return nil
    } catch {
      return tellLoss() ?? refusal
    }
  }

  /// Whether the open files are there and are as SQLite left them.
  private func areKept(_ disk: Disk) -> Bool {
    let mark = (try? inMemory { try $0.read(DatabaseMark.mark) }) ?? 0
    return disk.files.areThere && disk.sight.areWhole(mark: mark)
  }

  /// Writes all rows to the disk. They are copied first: nobody waits for a disk in order to read them.
  func catchUp(_ pool: DatabasePool, told loss: String? = nil) throws {
    let open = state.withLock { $0.disk.flatMap { $0.pool === pool ? $0.sight : nil } }
    let sight = open ?? DatabaseSight(path)
    while true {
      let copy = try DatabaseQueue()
      let changes = try inMemory { memory in
        try memory.writeWithoutTransaction { memory in
          try copy.writeWithoutTransaction { try memory.backup(to: $0) }
          return state.withLock(\.changes)
        }
      }
      try copy.backup(to: pool)
      // From the write-ahead log to the file, which then has the number that memory has.
      _ = try? pool.writeWithoutTransaction { try $0.checkpoint(.passive) }
      let files = DatabaseFiles(path)
      let isWhole = state.withLock { state in
        guard state.changes == changes else { return false }
        state.disk = Disk(pool: pool, files: files, sight: sight)
        if state.isTold { state.isRestored = true }
        if let loss { state.losses.append(loss) }
        (state.refusal, state.isTold) = (nil, false)
        return true
      }
      if isWhole { return }
    }
  }
}
