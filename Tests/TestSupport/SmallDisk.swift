import Glibc

/// A disk of its own; nil: the system makes none for this user.
public final class SmallDisk {
  public let folder = TemporaryDirectory()
  private var view: TemporaryDirectory?

  public init?(kilobytes: Int) {
    guard Self.mount(["-t", "tmpfs", "-o", "size=\(kilobytes)k", "tmpfs", folder.path]) else {
      return nil
    }
  }

  deinit {
    for path in [view?.path, folder.path].compactMap(\.self) {
      _ = Self.run(["/bin/umount", "-l", path])
    }
  }

  /// The same files at another place, where nothing can be written; nil: the system makes none.
  public func readOnly() -> String? {
    let view = TemporaryDirectory()
    guard Self.mount(["--bind", folder.path, view.path]) else { return nil }
    self.view = view
    return Self.mount(["-o", "remount,bind,ro", view.path]) ? view.path : nil
  }

  public func grow() { _ = Self.mount(["-o", "remount,size=64m", folder.path]) }

  /// Nothing is left.
  public func fill() {
    let bytes = [UInt8](repeating: 1, count: 65536)
    let file = open("\(folder.path)/other", O_WRONLY | O_CREAT, 0o600)
    while write(file, bytes, bytes.count) > 0 {}
    while write(file, bytes, 4096) > 0 {}
    close(file)
  }

  /// No file more can be made, whatever room there is.
  public func useFiles() { _ = Self.mount(["-o", "remount,nr_inodes=1", folder.path]) }

  /// Files can be made again.
  public func freeFiles() { _ = Self.mount(["-o", "remount,nr_inodes=1000", folder.path]) }

  private static func mount(_ arguments: [String]) -> Bool { run(["/bin/mount"] + arguments) }

  /// Runs a program of the system to its end; false where it cannot be run, or fails.
  public static func run(_ command: [String]) -> Bool {
    (try? Tool.run(command, in: TemporaryDirectory()))?.status == 0
  }
}
