import Foundation
import Glibc
import TestSupport

/// A disk with a file system in a file, as one that can be pulled; nil: the system makes none for this user.
final class LoopDisk {
  let folder = TemporaryDirectory()
  private let images = TemporaryDirectory()
  private var image = 0
  private var path: String { "\(images.path)/\(image)" }

  init?() {
    guard let file = fopen(path, "w") else { return nil }
    ftruncate(fileno(file), 32 << 20)
    fclose(file)
    guard SmallDisk.run(["/usr/sbin/mkfs.ext4", "-q", "-F", path]), mount() else { return nil }
  }

  deinit {
    _ = SmallDisk.run(["/bin/umount", "-l", folder.path])
  }

  private func mount() -> Bool { SmallDisk.run(["/bin/mount", "-o", "loop", path, folder.path]) }

  /// Takes the disk away. What this process has open of it gives nothing and takes nothing from now on.
  func pull() throws {
    let none = open("/", O_RDONLY | O_CLOEXEC)
    defer { close(none) }
    _ = SmallDisk.run(["/bin/sync", "-f", folder.path])
    for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
      guard let descriptor = Int32(name),
        let file = try? FileManager.default.destinationOfSymbolicLink(
          atPath: "/proc/self/fd/\(name)"), file.hasPrefix(folder.path + "/longwave.db")
      else { continue }
      dup2(none, descriptor)
    }
    try FileManager.default.copyItem(atPath: path, toPath: "\(images.path)/\(image + 1)")
    _ = SmallDisk.run(["/bin/umount", "-l", folder.path])
  }

  /// The same files are there again, on another device.
  func plugIn() -> Bool {
    image += 1
    return mount()
  }
}
