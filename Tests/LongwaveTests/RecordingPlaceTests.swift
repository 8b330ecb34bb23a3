import Foundation
import GRDB
import TestSupport
import Testing

@testable import Longwave

/// Where a recording is, and goes on, when what is around it changes.
@Suite struct RecordingPlaceTests {
  private let data = TemporaryDirectory()

  private func entry(_ folder: String) -> RecordingEntry {
    var entry = RecordingEntry(
      id: 0, options: RecordingEntry.Options(station: "jazz", name: "show"), startedAt: 1)
    entry.folder = folder
    return entry
  }

  @Test
  func `in a copy of the data folder a recording is in the copy, and one outside where it was`()
    async throws
  {
    let copy = TemporaryDirectory()
    var store = try await StationStore.open(data.path + "/longwave.db")
    let folders = [data.path + "/recordings", data.path + "/a/b", "/srv/shows", data.path + "-2"]
    for folder in folders {
      var kept = entry(folder)
      kept.id = try await store.add(kept)
      kept.seconds = 7
      try await store.save(kept)
    }
    // As older versions have them.
    let old = String(decoding: try JSONEncoder().encode(entry(folders[0])), as: UTF8.self)
    try await store.write("as before") { db in
      try db.execute(sql: "INSERT INTO recording (entry) VALUES (?)", arguments: [old])
    }
    #expect(try await store.recordings().map(\.folder) == folders + [folders[0]])
    await store.close()
    try FileManager.default.copyItem(
      atPath: data.path + "/longwave.db", toPath: copy.path + "/longwave.db")
    store = try await StationStore.open(copy.path + "/longwave.db")
    #expect(
      try await store.recordings().map(\.folder) == [
        copy.path + "/recordings", copy.path + "/a/b", folders[2], folders[3], folders[0],
      ])
    await store.close()
  }
}
