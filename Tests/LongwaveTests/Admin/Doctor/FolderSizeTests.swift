import Glibc
import TestSupport
import Testing

@testable import Longwave
@testable import LongwaveAdmin

struct FolderSizeTests {
  /// On a disk in memory a file without content may be as long as a number can say.
  @Test func `files that are longer than any disk come to no more than can be counted`() {
    let folder = "/dev/shm/longwave-test-\(getpid())"
    mkdir(folder, 0o700)
    let paths = (0..<3).map { "\(folder)/\($0)" }
    defer {
      for path in paths { unlink(path) }
      rmdir(folder)
    }
    for path in paths { write(.max, to: path) }
    #expect(FolderSize(folder).bytes() == .max)
  }

  private func write(_ count: Int, to path: String) {
    close(open(path, O_CREAT | O_WRONLY, 0o600))
    #expect(truncate(path, count) == 0)
  }

  /// `recordings: {folder: /}` would walk the whole machine else.
  @Test func `folders below the folder of recordings are not looked into`() {
    let folder = TemporaryDirectory()
    mkdir(folder.path + "/below", 0o700)
    write(1000, to: folder.path + "/one.mp3")
    write(2000, to: folder.path + "/below/two.mp3")
    #expect(MachineProbe.recordings(folder.path, data: folder.path).bytesUsed == 1000)
  }

  @Test func `a data folder's size is that of its stations' logs`() {
    let folder = TemporaryDirectory()
    for path in ["/stations", "/stations/jazz", "/stations/rock", "/recordings"] {
      mkdir(folder.path + path, 0o700)
    }
    write(1000, to: folder.path + "/stations/jazz/0.mp3")
    write(200, to: folder.path + "/stations/jazz/0.idx")
    write(30, to: folder.path + "/stations/rock/0.mp3")
    write(4, to: folder.path + "/recordings/one.mp3")
    #expect(MachineProbe.data(folder.path).bytesUsed == 1230)
  }
}
