import Foundation
import Glibc
import Settings
import TestSupport
import Testing

@testable import Store

/// A database whose files somebody takes away while the relay runs.
@Suite struct StoreLossTests {
  private let folder = TemporaryDirectory()
  private var path: String { folder.path + "/longwave.db" }

  private func save(_ id: String, in store: StationStore) async throws {
    try await store.save(StationDefinition(id: id, upstream: ["http://example.org/\(id)"]))
  }

  private func stored(_ path: String) async throws -> [String] {
    let store = try await StationStore.open(path)
    let ids = try await store.definitions().map(\.id)
    await store.close()
    return ids
  }

  @Test(arguments: [["", "-wal", "-shm"], [""], ["-wal"], ["-wal", "-shm"]])
  func `a stored change survives that the database is deleted, and that is told`(endings: [String])
    async throws
  {
    let store = try await StationStore.open(path)
    try await save("before", in: store)
    for ending in endings { #expect(unlink(path + ending) == 0) }
    try await save("after", in: store)
    #expect(try await store.definitions().map(\.id) == ["before", "after"])
    let told = store.popLosses()
    #expect(
      told == [
        "the database \(path)\(endings[0]) was deleted while it was open: it is written again as it was"
      ])
    try await save("later", in: store)
    #expect(store.popLosses().isEmpty && store.whyInMemory == nil)
    // As if killed: what is there now is all there is.
    let copy = TemporaryDirectory()
    for ending in ["", "-wal"] {
      try FileManager.default.copyItem(
        atPath: path + ending, toPath: copy.path + "/longwave.db" + ending)
    }
    #expect(try await stored(copy.path + "/longwave.db") == ["before", "after", "later"])
    await store.close()
    #expect(try await stored(path) == ["before", "after", "later"])
  }

  /// What another program does to a file where it is.
  enum Change: CaseIterable { case emptied, cut, zeroed, replaced, logEmptied, logCut, logZeroed }

  private func write(_ bytes: [UInt8], to path: String, cutting: Bool = false) {
    let file = open(path, O_WRONLY | O_CLOEXEC | (cutting ? O_TRUNC : 0))
    defer { close(file) }
    #expect(Glibc.write(file, bytes, bytes.count) == bytes.count)
  }

  private func make(_ change: Change) async throws {
    switch change {
    case .emptied: #expect(truncate(path, 0) == 0)
    case .cut: #expect(truncate(path, 4096) == 0)
    case .zeroed: write([UInt8](repeating: 0, count: 4096), to: path)
    case .replaced:
      let other = TemporaryDirectory()
      let second = try await StationStore.open(other.path + "/longwave.db")
      try await save("other", in: second)
      await second.close()
      write(other.read("longwave.db"), to: path, cutting: true)
    case .logEmptied: #expect(truncate(path + "-wal", 0) == 0)
    case .logCut: #expect(truncate(path + "-wal", 5000) == 0)
    case .logZeroed: write([UInt8](repeating: 0, count: 64), to: path + "-wal")
    }
  }

  @Test(arguments: Change.allCases, [true, false])
  func `a stored change survives that a file is changed in place, and that is told`(
    change: Change, isStopped: Bool
  ) async throws {
    var store = try await StationStore.open(path)
    try await save("first", in: store)
    await store.close()
    store = try await StationStore.open(path)
    try await save("before", in: store)
    #expect(await store.moveToDisk() && store.popLosses().isEmpty)
    try await make(change)
    #expect(await store.moveToDisk())
    let told = store.popLosses()
    #expect(
      told.count == 1
        && told[0].hasPrefix(
          "the database \(path) was changed by another program while it was open"),
      "\(told)")
    try await save("after", in: store)
    #expect(store.popLosses().isEmpty && store.whyInMemory == nil)
    let wanted = ["first", "before", "after"]
    if !isStopped {
      // As if killed.
      let copy = TemporaryDirectory()
      for ending in ["", "-wal"] {
        try FileManager.default.copyItem(
          atPath: path + ending, toPath: copy.path + "/longwave.db" + ending)
      }
      #expect(try await stored(copy.path + "/longwave.db") == wanted)
    }
    await store.close()
    #expect(try await stored(path) == wanted)
  }

  @Test func `pages that another program has overwritten are written again at the end`()
    async throws
  {
    var store = try await StationStore.open(path)
    for number in 0..<50 { try await save("station-\(number)", in: store) }
    await store.close()
    store = try await StationStore.open(path)
    let bytes = folder.read("longwave.db").count
    #expect(bytes > 8192)
    var all = Array(folder.read("longwave.db"))
    for place in 4096..<bytes { all[place] = 0 }
    write(all, to: path)
    await store.close()
    #expect(store.popLosses().count == 1)
    #expect(try await stored(path).count == 50)
  }

  @Test func `a program that reads, checkpoints and closes is no loss`() async throws {
    let store = try await StationStore.open(path)
    try await save("before", in: store)
    for mode in ["PASSIVE", "RESTART", "TRUNCATE"] {
      let result = try await ChildProcess.run(
        [
          "python3", "-c",
          "import sqlite3; d = sqlite3.connect('\(path)'); "
            + "d.execute('PRAGMA wal_checkpoint(\(mode))').fetchall(); "
            + "d.execute('SELECT * FROM station').fetchall(); d.close()",
        ], within: 60)
      #expect(result.status == 0, "\(result)")
      #expect(await store.moveToDisk() && store.popLosses().isEmpty, "\(mode)")
      try await save("behind-\(mode.lowercased())", in: store)
      #expect(await store.moveToDisk() && store.popLosses().isEmpty, "\(mode)")
    }
    await store.close()
    #expect(store.popLosses().isEmpty)
    #expect(
      try await stored(path) == ["before", "behind-passive", "behind-restart", "behind-truncate"])
  }

  @Test func `a database put in our database's place is set aside, and neither loses anything`()
    async throws
  {
    let (store, other) = (try await StationStore.open(path), TemporaryDirectory())
    try await save("before", in: store)
    let second = try await StationStore.open(other.path + "/longwave.db")
    try await save("other", in: second)
    await second.close()
    #expect(rename(other.path + "/longwave.db", path) == 0)
    try await save("after", in: store)
    #expect(store.popLosses().first?.hasSuffix("the other one is now \(path).1.other") == true)
    await store.close()
    #expect(try await stored(path) == ["before", "after"])
    #expect(try await stored(path + ".1.other") == ["other"])
  }

  @Test func `a change is refused while the database cannot be written again`() async throws {
    let inner = folder.path + "/data"
    mkdir(inner, 0o700)
    let path = inner + "/longwave.db"
    let store = try await StationStore.open(path)
    try await save("before", in: store)
    try FileManager.default.removeItem(atPath: inner)
    do {
      try await save("refused", in: store)
      Issue.record("it was stored")
    } catch {
      #expect(
        "\(error)"
          == "cannot store refused: \(path) was deleted while it was open, and cannot be written again"
      )
    }
    #expect(store.whyInMemory != nil && store.popLosses().count == 1)
    #expect(await !store.moveToDisk())
    mkdir(inner, 0o700)
    #expect(await store.moveToDisk())
    try await save("after", in: store)
    await store.close()
    #expect(try await stored(path) == ["before", "after"])
  }

  @Test func `a database deleted before the relay stops is there when it starts`() async throws {
    let store = try await StationStore.open(path)
    try await save("before", in: store)
    for ending in ["", "-wal", "-shm"] { unlink(path + ending) }
    await store.close()
    #expect(try await stored(path) == ["before"])
  }
}
