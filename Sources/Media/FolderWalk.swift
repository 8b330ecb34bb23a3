import Glibc
import Timeshift

/// Looks through a folder and the folders below it, within bounds. Names are bytes, as the kernel has them.
///
/// The walk follows no link, and ends however many names there are.
package struct FolderWalk {
  /// The most names looked at, wanted or not.
  package var seenMax: Int
  package var depthMax: Int
  /// The number of names looked at.
  package private(set) var seen = 0
  /// Whether a bound, the time or `take` ended the walk.
  package private(set) var isOver = false
  /// Number of folders that could not be read to their end, though they may be there.
  package private(set) var failures = 0
  private let hidden: PrivateFolder?
  /// The latest time for the walk, in monotonic nanoseconds.
  private let end: Int64
  private let isWanted: (_ name: [UInt8], _ isFolder: Bool) -> Bool
  private let enter: (_ path: [UInt8]) -> Bool
  private let take: (_ path: [UInt8], MediaFile.Identity) -> Bool

  /// Errors of a machine that is short of something, or of a disk that is away.
  private static let mayPass: Set<Int32> = Shortage.codes.union([
    EIO, ESTALE, ETIMEDOUT, ENOTCONN, EHOSTDOWN, EHOSTUNREACH,
  ])

  /// - Parameters:
  ///   - hidden: the folder of the relay's own files, which is left out.
  ///   - isWanted: whether a file or folder of this name is looked at.
  ///   - enter: called with the path of each folder before it is read, the first one's too; false leaves it out.
  ///   - take: gets each regular file with its path below the folder; false ends the walk.
  package init(
    seenMax: Int, depthMax: Int, hidden: PrivateFolder? = nil, until end: Int64 = .max,
    isWanted: @escaping (_ name: [UInt8], _ isFolder: Bool) -> Bool,
    enter: @escaping (_ path: [UInt8]) -> Bool = { _ in true },
    take: @escaping (_ path: [UInt8], MediaFile.Identity) -> Bool
  ) {
    (self.seenMax, self.depthMax, self.hidden, self.end) = (seenMax, depthMax, hidden, end)
    (self.isWanted, self.enter, self.take) = (isWanted, enter, take)
  }

  /// Walks through an open folder. Takes over the descriptor.
  ///
  /// - Parameters:
  ///   - path: where it lies below the folder from which paths are told.
  ///   - real: the folder's path without links; nil where it is unknown.
  package mutating func walk(_ folder: Int32, _ path: [UInt8] = [], real: String?) {
    let slash = UInt8(ascii: "/")
    let depth = path.isEmpty ? 0 : path.count { $0 == slash } + 1
    walk(folder, path, real: real, depth: depth)
  }

  private mutating func walk(_ folder: Int32, _ path: [UInt8], real: String?, depth: Int) {
    guard let directory = fdopendir(folder) else {
      failures += 1
      close(folder)
      return
    }
    defer { closedir(directory) }
    if let real, hidden?.holds(real) == true { return }
    if !enter(path) { return }
    let prefix = path.isEmpty ? [] : path + [UInt8(ascii: "/")]
    while !isOver {
      errno = 0
      guard let entry = readdir(directory) else {
        if errno != 0 { failures += 1 }
        return
      }
      if seen >= seenMax { return isOver = true }
      seen += 1
      // Reading the clock for every name would cost too much.
      if seen % 256 == 0, MonotonicTime.now().nanoseconds >= end { return isOver = true }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if name == [UInt8(ascii: ".")] || name == [UInt8(ascii: "."), UInt8(ascii: ".")] { continue }
      switch kind(of: entry, in: folder) {
      case S_IFREG: if isWanted(name, false) { add(entry, prefix + name, in: folder) }
      case S_IFDIR:
        guard depth < depthMax, isWanted(name, true) else { continue }
        let below = withUnsafePointer(to: &entry.pointee.d_name.0) {
          openat(folder, $0, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        }
        guard below >= 0 else {
          if Self.mayPass.contains(errno) { failures += 1 }
          continue
        }
        let text = String(decoding: name, as: UTF8.self)
        walk(
          below, prefix + name,
          real: real.map { $0 == "/" ? "/" + text : $0 + "/" + text }, depth: depth + 1)
      default: break
      }
    }
  }

  /// The kind of an entry as the folder tells it; asks the file only if the file system does not tell.
  private mutating func kind(of entry: UnsafeMutablePointer<dirent>, in folder: Int32) -> mode_t {
    switch Int(entry.pointee.d_type) {
    case DT_REG: return S_IFREG
    case DT_DIR: return S_IFDIR
    case DT_UNKNOWN: return status(of: entry, in: folder).map { $0.st_mode & S_IFMT } ?? 0
    default: return 0
    }
  }

  private mutating func status(of entry: UnsafeMutablePointer<dirent>, in folder: Int32) -> stat? {
    var status = stat()
    let isThere = withUnsafePointer(to: &entry.pointee.d_name.0) {
      fstatat(folder, $0, &status, AT_SYMLINK_NOFOLLOW) == 0
    }
    if !isThere, Self.mayPass.contains(errno) { failures += 1 }
    return isThere ? status : nil
  }

  private mutating func add(
    _ entry: UnsafeMutablePointer<dirent>, _ path: [UInt8], in folder: Int32
  ) {
    guard let status = status(of: entry, in: folder), status.isRegularFile else { return }
    if !take(path, MediaFile.Identity(status)) { isOver = true }
  }
}
