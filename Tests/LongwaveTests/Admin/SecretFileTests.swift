import LongwaveAdmin
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
    // A thousand syncs take a busy disk minutes.
    let folder = TemporaryDirectory(in: "/dev/shm")
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

  @Test func `a secret file takes the place of a public one, and leaves nothing beside it`()
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

  @Test func `a secret file behind a link is closed to others before anything is in it`() throws {
    let folder = TemporaryDirectory()
    folder.write("theirs", Array("a longer text than before".utf8))
    chmod(folder.path + "/theirs", 0o644)
    symlink("theirs", folder.path + "/stations.yml")
    symlink("nothing", folder.path + "/empty.yml")
    for (link, target) in [("stations.yml", "theirs"), ("empty.yml", "nothing")] {
      try export().write(to: folder.path + "/" + link)
      var status = stat()
      #expect(lstat(folder.path + "/" + link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
      #expect(folder.read(target) == Array(export().text.utf8))
      #expect(stat(folder.path + "/" + target, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }
  }

  @Test func `a list for a device is given to the device`() throws {
    let folder = TemporaryDirectory()
    let path = folder.path + "/full"
    // A node of our own that says what /dev/full says; only root makes one.
    guard mknod(path, S_IFCHR | 0o666, dev_t(1 << 8 | 7)) == 0 else { return }
    var (before, after) = (stat(), stat())
    #expect(lstat(path, &before) == 0)
    #expect(throws: AdminError.self) { try export().write(to: path) }
    #expect(lstat(path, &after) == 0 && after.st_mode == before.st_mode)
    #expect(after.st_mode & S_IFMT == S_IFCHR)
  }

  @Test func `a secret file without its folder is refused with the folder's name`() throws {
    let error = #expect(throws: AdminError.self) { try export().write(to: "/nowhere/at/all.yml") }
    #expect(
      error?.description == "cannot write /nowhere/at/all.yml: \(String(cString: strerror(ENOENT)))"
        + "; make the folder /nowhere/at first"
    )
    #expect(throws: AdminError.self) { try export().write(to: "/proc/stations.yml") }
  }
}
