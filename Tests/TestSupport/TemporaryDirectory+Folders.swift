import Glibc

extension TemporaryDirectory {
  /// Makes a file some hours old: one that was just written to waits for the next look.
  public func age(_ name: String, hours: Int = 1) {
    let time = timeval(tv_sec: Glibc.time(nil) - 3600 * hours, tv_usec: 0)
    let result = [time, time].withUnsafeBufferPointer { utimes(file(name), $0.baseAddress) }
    precondition(result == 0, "a test can date its own file")
  }

  /// Makes the folders in which a file is to lie.
  public func makeFolders(of name: String) {
    let parts = name.split(separator: "/").dropLast()
    for count in 0..<parts.count {
      mkdir(file(parts.prefix(count + 1).joined(separator: "/")), 0o755)
    }
  }

  /// Removes a folder and all that is in it.
  public static func removeAll(_ path: String) { remove(path) }
}
