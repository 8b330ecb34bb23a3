import Glibc

/// Walks a tree as any look at it must: each folder read once, each name asked for its `stat`, and nothing else.
struct BareWalk {
  private(set) var files = 0
  private(set) var folders = 0

  mutating func walk(_ path: String) throws {
    let fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard fd >= 0 else { throw BenchError("\(path) cannot be opened: errno \(errno)") }
    walk(fd)
  }

  /// Closes the folder.
  private mutating func walk(_ fd: Int32) {
    guard let folder = fdopendir(fd) else { return }
    defer { closedir(folder) }
    folders += 1
    while let entry = readdir(folder) {
      let offset = MemoryLayout<dirent>.offset(of: \.d_name)!
      let name = UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
      if name[0] == CChar(46) { continue }
      var status = stat()
      guard fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        let below = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        if below >= 0 { walk(below) }
      } else {
        files += 1
      }
    }
  }
}
