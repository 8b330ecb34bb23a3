import Glibc
import Testing

@testable import Longwave

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
    for path in paths {
      close(open(path, O_CREAT | O_WRONLY, 0o600))
      #expect(truncate(path, .max) == 0)
    }
    #expect(FolderSize(folder).bytes() == .max)
  }
}
