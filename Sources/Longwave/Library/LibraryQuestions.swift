import Library
import Server
import Settings
import Synchronization
import Threads
import Timeshift

/// Reads the library's database on threads of its own, each address in turn. The administration's own socket waits for
/// nobody else.
final class LibraryQuestions: Sendable {
  /// Seconds that the database has to answer.
  private let patience: Double
  private static let waitingMax = 256
  /// Waiting questions of one address: who types asks for each letter.
  private static let waitingPerAddress = 16

  private let lanes = Lanes<AddressBlock>(
    "library", count: 4, waitingMax: waitingMax, waitingPerKey: waitingPerAddress)
  private let ownLane = Lanes<Int>("library.own", count: 1, waitingMax: waitingMax)
  /// Threads for roots' disks: one that hangs keeps two of them, and what waits for it is bounded.
  private let disks = Lanes<String>(
    "library.files", count: 8, waitingMax: 64, waitingPerKey: 8, runningPerGroup: 2)
  private let counts = Mutex(DurationCounts())

  /// - Parameter patience: fewer seconds in a test.
  init(patience: Double = 5) { self.patience = patience }

  /// How long the answers took, from the question on.
  var times: DurationCounts { counts.withLock { $0 } }

  /// Throws `libraryBusy` where there is no answer in time. What is asked ends then, or when the asker is gone: its thread
  /// and its connection to the database are others'.
  func ask<Value: Sendable>(
    _ store: LibraryStore, for origin: Peer,
    _ work: @escaping @Sendable (LibraryStore) throws(LibraryError) -> Value
  ) async throws(RelayError) -> Value {
    let began = MonotonicTime.now()
    let wait = Wait<Result<Value, LibraryError>>()
    let end = ReadEnd()
    let task: @Sendable () -> Void = {
      if end.isOver { return }
      wait.end(Result { () throws(LibraryError) in try work(store.reading(until: end)) })
    }
    let isTaken =
      origin == .unixSocket
      ? ownLane.submit(refused: { wait.end(nil) }, task)
      : lanes.submit(for: AddressBlock(origin), refused: { wait.end(nil) }, task)
    guard isTaken else {
      throw .libraryBusy("too much is asked of the library; ask again in some seconds")
    }
    let answer = await withTaskCancellationHandler {
      await self.answer(wait)
    } onCancel: {
      wait.end(nil)
    }
    end.end()
    counts.withLock { $0.add(nanoseconds: MonotonicTime.now().nanoseconds - began.nanoseconds) }
    switch answer {
    case .success(let value): return value
    case .failure(let error): throw .libraryBusy(error.description)
    case nil:
      throw .libraryBusy(
        "the library does not answer within \(Int(patience)) s; ask again in some seconds")
    }
  }

  /// Returns what a look into a root's folder finds; nil where its disk does not answer in time, or too much waits for it.
  func look<Value: Sendable>(
    in folder: String, _ work: @escaping @Sendable () -> Value
  ) async -> Value? {
    let wait = Wait<Value>()
    let isTaken = disks.submit(for: folder, of: folder, refused: { wait.end(nil) }) {
      wait.end(work())
    }
    return isTaken ? await answer(wait) : nil
  }

  private func answer<Value: Sendable>(_ wait: Wait<Value>) async -> Value? {
    let patience = Task { [patience] in
      try await Task.sleep(for: .seconds(patience))
      wait.end(nil)
    }
    defer { patience.cancel() }
    return await wait.value
  }
}
