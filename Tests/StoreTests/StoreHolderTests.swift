import Glibc
import Settings
import TestSupport
import Testing

@testable import Store

/// A database that another program holds, as a backup does.
@Suite struct StoreHolderTests {
  private let folder = TemporaryDirectory()
  private var path: String { folder.path + "/longwave.db" }

  /// Locks all that SQLite locks of a database, as another process would: F_OFD_SETLK, which is not this process's.
  private func hold() throws -> Int32 {
    let file = open(path, O_RDWR | O_CLOEXEC)
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    // Where SQLite has them (sqlite.org/src, os.h: PENDING_BYTE).
    (lock.l_start, lock.l_len) = (0x4000_0000, 512)
    let result = fcntl(file, 37, &lock)
    try #require(result == 0, "\(errno)")
    return file
  }

  private func stored() async throws {
    let store = try await StationStore.open(path)
    try await store.save(StationDefinition(id: "jazz", upstream: ["http://example.org/"]))
    await store.close()
  }

  @Test func `a start waits for a program that holds the database`() async throws {
    try await stored()
    let file = try hold()
    let release = Task {
      try await Task.sleep(for: .seconds(1))
      close(file)
    }
    let store = try await StationStore.open(path)
    try await release.value
    #expect(try await store.definitions().map(\.id) == ["jazz"])
    await store.close()
  }

  @Test func `a start that waits in vain says what holds the database`() async throws {
    try await stored()
    let file = try hold()
    defer { close(file) }
    var options = StationStore.Options()
    options.patience = 0.2
    do {
      _ = try await StationStore.open(path, options)
      Issue.record("it was opened")
    } catch {
      #expect(
        "\(error)".hasSuffix(
          "another program holds it, as a backup does: let it finish, or end it"),
        "\(error)")
    }
    #expect(folder.names.filter { $0.hasSuffix(".bad") }.isEmpty)
  }

  @Test func `programs are known by the kernel's list of locks`() {
    let locks = """
      1: POSIX  ADVISORY  READ  812 fe:00:1234 1073741826 1073742335
      1: -> POSIX  ADVISORY  WRITE 900 fe:00:1234 1073741826 1073742335
      2: FLOCK  ADVISORY  WRITE 813 fe:00:1234 0 EOF
      3: OFDLCK ADVISORY  WRITE -1 fe:00:1234 0 EOF
      4: POSIX  ADVISORY  WRITE 814 fe:00:12345 0 EOF
      5: POSIX  ADVISORY  WRITE 815 fe:00:1234 128 128

      """
    #expect(StoreHolders.processes(in: locks, holding: "fe:00:1234") == [812, 815])
    #expect(StoreHolders.processes(in: "", holding: "fe:00:1234").isEmpty)
  }
}
