import Foundation
import Glibc
import TestSupport
import Testing

@testable import Longwave
@testable import LongwaveAdmin
@testable import Store

/// What other users of the machine may read of what a relay keeps.
@Suite struct SecrecyTests {
  private let folder: TemporaryDirectory

  init() { folder = TemporaryDirectory() }

  private func mode(_ path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : nil
  }

  @Test func `the database and what SQLite puts beside it are their owner's`() async throws {
    let path = folder.path + "/longwave.db"
    let store = try await StationStore.open(path)
    try await store.save(StationDefinition(id: "a", upstream: ["http://user:secret@a/"]))
    for ending in ["", "-wal", "-shm"] { #expect(mode(path + ending) == 0o600, "\(ending)") }
    await store.close()
  }

  @Test func `a database that an older version left open to all is closed to others`() async throws
  {
    let path = folder.path + "/longwave.db"
    let store = try await StationStore.open(path)
    try await store.save(StationDefinition(id: "a", upstream: ["http://a/"]))
    for ending in ["", "-wal", "-shm"] { chmod(path + ending, 0o644) }
    let other = try await StationStore.open(path)
    for ending in ["", "-wal", "-shm"] { #expect(mode(path + ending) == 0o600, "\(ending)") }
    await other.close()
    await store.close()
  }

  @Test func `a data folder that is made is closed to others, also on the way to the windows`()
    throws
  {
    let path = folder.path + "/a/data"
    let data = try DataDirectory.open(path)
    #expect(mode(path) == 0o700)
    #expect(mode(path + "/stations") == 0o700)
    data.release()
  }

  @Test func `recordings are for the group to read, and for nobody else`() throws {
    let place = folder.path + "/recordings"
    let file = try RecordingFile("one", ending: "mp3", in: place, appends: false)
    #expect(mode(file.path) == 0o640)
    #expect(mode(place) == 0o750)
    file.discard()
  }

  @Test func `doctor sees a folder that others may look into`() {
    chmod(folder.path, 0o755)
    #expect(MachineProbe.data(folder.path).isOpenToOthers)
    chmod(folder.path, 0o750)
    #expect(!MachineProbe.data(folder.path).isOpenToOthers)
    #expect(!MachineProbe.data(folder.path + "/none").isOpenToOthers)
  }
}
