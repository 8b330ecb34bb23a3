import Glibc
import Timeshift

/// Lists a folder and the folders below it, within bounds.
///
/// The walk ends however many names there are, and even if folders contain each other.
struct MediaWalk {
  /// The most files listed.
  var entriesMax = 10_000
  /// The most names looked at, wanted or not.
  var seenMax = 200_000
  /// The most bytes of all listed paths together.
  var pathBytesMax = 4 << 20
  var depthMax = 16

  private(set) var entries: [MediaFolder.Entry] = []
  /// The number of names looked at.
  private(set) var seen = 0
  private var pathBytes = 0
  private let hidden: PrivateFolder?
  /// The latest time for the walk, in monotonic nanoseconds.
  private let end: Int64
  private var isLate = false

  init(hidden: PrivateFolder? = nil, until end: Int64 = .max) {
    (self.hidden, self.end) = (hidden, end)
  }

  private var isOver: Bool {
    isLate || entries.count >= entriesMax || seen >= seenMax || pathBytes >= pathBytesMax
  }

  /// Lists one folder and those below it. Takes over the descriptor.
  mutating func collect(
    _ folder: Int32, _ prefix: String, real: String?, depth: Int, _ isWanted: (String) -> Bool
  ) {
    guard let directory = fdopendir(folder) else {
      close(folder)
      return
    }
    defer { closedir(directory) }
    if let real, hidden?.holds(real) == true { return }
    while !isOver, let entry = readdir(directory) {
      seen += 1
      // Reading the clock for every name would cost too much.
      if seen % 256 == 0, MonotonicTime.now().nanoseconds >= end { isLate = true }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(validating: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard let name, MediaFolder.isPlain(name) else { continue }
      switch kind(of: entry, name, in: folder) {
      case S_IFREG: if isWanted(name) { add(name, prefix, in: folder) }
      case S_IFDIR:
        guard depth < depthMax else { continue }
        let below = MediaFolder.openFolder(name, in: folder)
        guard below >= 0 else { continue }
        collect(
          below, prefix + name + "/", real: real.map { $0 == "/" ? "/" + name : $0 + "/" + name },
          depth: depth + 1, isWanted)
      default: break
      }
    }
  }

  /// The kind of an entry as the folder tells it; asks the file only if the file system does not tell.
  private func kind(
    of entry: UnsafeMutablePointer<dirent>, _ name: String, in folder: Int32
  ) -> mode_t {
    switch Int(entry.pointee.d_type) {
    case DT_REG: return S_IFREG
    case DT_DIR: return S_IFDIR
    case DT_UNKNOWN:
      var status = stat()
      let isThere = fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0
      return isThere ? status.st_mode & S_IFMT : 0
    default: return 0
    }
  }

  private mutating func add(_ name: String, _ prefix: String, in folder: Int32) {
    var status = stat()
    guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
      status.isRegularFile
    else { return }
    entries.append(.init(path: prefix + name, identity: .init(status)))
    pathBytes += prefix.utf8.count + name.utf8.count
  }
}
