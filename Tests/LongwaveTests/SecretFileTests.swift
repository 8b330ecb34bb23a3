import Foundation
import Glibc
import Longwave
import Synchronization
import TestSupport
import Testing

@Suite struct SecretFileTests {
  private func export() -> StationExport {
    var station = StationDefinition(id: "live", upstream: ["push:"])
    station.sourcePassword = "a-good-secret"
    return StationExport([station], as: .yaml)
  }

  @Test func `a file with secrets is its owner's from the first moment on`() async throws {
    let folder = TemporaryDirectory()
    let path = folder.path + "/stations.yml"
    let isOver = Atomic<Bool>(false)
    let seen = Atomic<UInt32>(0)
    // Looks at everything in the folder all the time.
    let watcher = Thread {
      while !isOver.load(ordering: .relaxed) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] {
          var status = stat()
          guard stat(folder.path + "/" + name, &status) == 0 else { continue }
          seen.bitwiseOr(status.st_mode & 0o777, ordering: .relaxed)
        }
      }
    }
    watcher.start()
    for _ in 0..<1000 {
      try export().write(to: path)
      unlink(path)
    }
    isOver.store(true, ordering: .relaxed)
    #expect(seen.load(ordering: .relaxed) & 0o077 == 0)
  }

  @Test func `it takes the place of one that everybody may read, and leaves nothing beside it`()
    throws
  {
    let folder = TemporaryDirectory()
    let path = folder.path + "/stations.yml"
    try "old".write(toFile: path, atomically: true, encoding: .utf8)
    chmod(path, 0o644)
    try export().write(to: path)
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == export().text)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["stations.yml"])
  }

  @Test func `where there is no folder, that is said`() throws {
    #expect(throws: AdminError.self) { try export().write(to: "/nowhere/at/all.yml") }
    #expect(throws: AdminError.self) { try export().write(to: "/proc/stations.yml") }
  }
}
