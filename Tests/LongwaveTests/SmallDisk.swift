import Foundation
import TestSupport

/// A disk of its own; nil: the system makes none for this user.
final class SmallDisk {
  let folder = TemporaryDirectory()
  private var view: TemporaryDirectory?

  init?(kilobytes: Int) {
    guard Self.mount(["-t", "tmpfs", "-o", "size=\(kilobytes)k", "tmpfs", folder.path]) else {
      return nil
    }
  }

  deinit {
    for path in [view?.path, folder.path].compactMap(\.self) {
      _ = Self.run("/bin/umount", ["-l", path])
    }
  }

  /// The same files at another place, where nothing can be written; nil: the system makes none.
  func readOnly() -> String? {
    let view = TemporaryDirectory()
    guard Self.mount(["--bind", folder.path, view.path]) else { return nil }
    self.view = view
    return Self.mount(["-o", "remount,bind,ro", view.path]) ? view.path : nil
  }

  func grow() { _ = Self.mount(["-o", "remount,size=64m", folder.path]) }

  /// Nothing is left.
  func fill() {
    let bytes = [UInt8](repeating: 1, count: 65536)
    let file = open("\(folder.path)/other", O_WRONLY | O_CREAT, 0o600)
    while write(file, bytes, bytes.count) > 0 {}
    while write(file, bytes, 4096) > 0 {}
    close(file)
  }

  private static func mount(_ arguments: [String]) -> Bool { run("/bin/mount", arguments) }

  static func run(_ program: String, _ arguments: [String]) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
