import GRDB
import Server
import TestSupport
import Testing

@testable import Library
@testable import Longwave

/// Questions that nobody waits for give their threads back.
@Suite struct LibraryQuestionsTests {
  private let folder = TemporaryDirectory()

  /// Has no end by itself.
  private static let endless = """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n
    """

  private func ask(
    _ questions: LibraryQuestions, _ store: LibraryStore, _ began: Flag
  ) async -> Bool {
    do {
      let work: @Sendable (LibraryStore) throws(LibraryError) -> Int? = {
        store throws(LibraryError) in
        try store.read { db in
          began.set()
          return try Int.fetchOne(db, sql: Self.endless)
        }
      }
      _ = try await questions.ask(store, for: .unixSocket, work)
      return true
    } catch {
      return false
    }
  }

  @Test func `a question ends when its asker is gone, or was told that there is no answer`()
    async throws
  {
    let store = LibraryStore(folder.path + "/library.db")
    try store.open()
    // The socket has one thread, which the next question needs.
    let patient = LibraryQuestions(patience: 600)
    let began = Flag()
    let asking = Task { await ask(patient, store, began) }
    try await eventually("it is asked") { began.isSet }
    asking.cancel()
    #expect(await asking.value == false)
    let count = try await patient.ask(store, for: .unixSocket) { store throws(LibraryError) in
      try store.count().tracks
    }
    #expect(count == 0)

    let hasty = LibraryQuestions(patience: 0.2)
    #expect(await ask(hasty, store, Flag()) == false)
    // Each of these has as little time, and one that waits for a thread none.
    try await eventually("the thread is free") {
      let free = try? await hasty.ask(store, for: .unixSocket) { store throws(LibraryError) in
        try store.count().tracks
      }
      return free == 0
    }
    store.close()
  }
}
