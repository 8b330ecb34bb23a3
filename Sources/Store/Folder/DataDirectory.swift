import Foundation
import Glibc
import Settings
import Synchronization
import Timeshift

/// Why the data folder cannot be used, on one line with the remedy.
package struct DataDirectoryError: Error, Hashable, Sendable, CustomStringConvertible {
  package var description: String
}

/// The folder with everything that a relay keeps: windows, the database, the administration socket.
///
/// One server at a time: it holds a lock (`flock`) on `DATA/lock` until it is released or this object ends. The kernel
/// releases the lock when the process ends, however it ends.
package final class DataDirectory: Sendable {
  package let path: String
  /// Nil when it has been released.
  private let lock: Mutex<Lock?>

  private struct Lock: Sendable {
    var file: Int32
    /// The file itself; nil when the kernel does not tell.
    var identity: Identity?
  }

  private init(path: String, lock: Int32) {
    self.path = path
    self.lock = Mutex(Lock(file: lock, identity: Identity(of: lock)))
  }

  deinit { release() }

  /// Releases the folder for another server.
  package func release() {
    lock.withLock { lock in
      if let lock { Self.unlock(lock.file) }
      lock = nil
    }
  }

  private static func unlock(_ file: Int32) {
    // A child between its fork and its exec still has the descriptor, and would hold the lock by it.
    flock(file, LOCK_UN)
    Glibc.close(file)
  }

  package var databasePath: String { path + "/longwave.db" }
  package var socketPath: String { Self.socketPath(in: path) }

  /// The folder that contains the stations' folders.
  package var logsPath: String { path + "/stations" }

  /// Returns the folder of a station's segments.
  package func logPath(station id: String) -> String { Self.logPath(station: id, in: path) }

  package static func logPath(station id: String, in path: String) -> String {
    path + "/stations/" + id
  }

  package static func socketPath(in path: String) -> String { path + "/longwave.sock" }
}

extension DataDirectory {
  /// Creates the folder, readable only by its owner, if it is missing, and locks it.
  ///
  /// - Parameter group: whose members can reach the administration's socket in the folder; nil for nobody else.
  package static func open(
    _ path: String, group: UInt32? = nil
  ) throws(DataDirectoryError) -> DataDirectory {
    try makeFolder(path + "/stations", of: path)
    if let group { try letThrough(group, to: path) }
    return DataDirectory(path: path, lock: try locked(path))
  }

  /// Creates a folder and all folders above it.
  private static func makeFolder(
    _ folder: String, of path: String
  ) throws(DataDirectoryError) {
    if NamedFile.isFolder(folder) { return }
    let parent = (folder as NSString).deletingLastPathComponent
    if !parent.isEmpty, parent != folder { try makeFolder(parent, of: path) }
    guard mkdir(folder, 0o700) != 0 else { return }
    var code = errno
    if code == EEXIST {
      if NamedFile.isFolder(folder) { return }
      code = ENOTDIR
    }
    throw DataDirectoryError(
      description: "cannot create \(path): \(folder): \(text(of: code)); "
        + DiskAdvice.of(code, at: code == ENOTDIR ? folder : parent)
        + ", or give another folder by --data")
  }

  /// Lets a group pass through the folder, and list or read nothing in it.
  private static func letThrough(
    _ group: UInt32, to path: String
  ) throws(DataDirectoryError) {
    var status = stat()
    guard stat(path, &status) == 0 else { return }
    let mode = status.st_mode & 0o7777
    if mode & S_IXOTH != 0 || (status.st_gid == group && mode & S_IXGRP != 0) { return }
    guard chown(path, .max, group) == 0, chmod(path, mode & ~0o070 | S_IXGRP) == 0 else {
      throw DataDirectoryError(
        description: "admin: socket-group: \(path) cannot be given to the group: "
          + "\(text(of: errno)); let the relay's user be a member of it")
    }
  }

  private static func locked(_ path: String) throws(DataDirectoryError) -> Int32 {
    let file = openLock(path, O_CREAT)
    guard file >= 0 else {
      let code = errno
      let lock = path + "/lock"
      // Without a lock file, the folder is what refuses.
      let (what, place) = access(lock, F_OK) == 0 ? (lock, lock) : ("in \(path)", path)
      throw DataDirectoryError(
        description: "cannot write \(what): \(text(of: code)); "
          + DiskAdvice.of(code, at: place) + ", or give another folder by --data")
    }
    guard locks(file) else {
      let holder = holder(of: file)
      Glibc.close(file)
      throw DataDirectoryError(
        description: "another longwave\(holder) runs on \(path); "
          + "stop it, or give this one a folder of its own by --data")
    }
    let name = "\(getpid())\n"
    _ = ftruncate(file, 0)
    _ = pwrite(file, name, name.utf8.count, 0)
    return file
  }

  /// Locks the file. A command that looks whether a server runs has the lock for an instant, which is waited for.
  private static func locks(_ file: Int32) -> Bool {
    for _ in 0..<5 {
      if flock(file, LOCK_EX | LOCK_NB) == 0 { return true }
      usleep(10_000)
    }
    return false
  }

  /// Opens the lock file, never through a link: the file behind a link would be emptied.
  private static func openLock(_ path: String, _ flags: Int32) -> Int32 {
    Glibc.open(path + "/lock", O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | flags, 0o600)
  }

  private static func holder(of file: Int32) -> String {
    process(namedBy: file).map { " (process \($0))" } ?? ""
  }

  private static func process(namedBy file: Int32) -> pid_t? {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = pread(file, &bytes, bytes.count, 0)
    let digits = bytes.prefix(max(count, 0)).prefix { (48...57).contains($0) }
    return pid_t(String(decoding: digits, as: UTF8.self))
  }

  private static func text(of code: Int32) -> String { String(cString: strerror(code)) }
}

extension DataDirectory {
  /// Device and inode of a file.
  private struct Identity: Hashable, Sendable {
    var disk: UInt64
    var number: UInt64

    private init(_ status: stat) {
      (disk, number) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }

    init?(of file: Int32) {
      var status = stat()
      guard fstat(file, &status) == 0 else { return nil }
      self.init(status)
    }

    init?(at path: String) {
      var status = stat()
      guard lstat(path, &status) == 0 else { return nil }
      self.init(status)
    }
  }

  /// Locks the folder that has the path now, where that is another folder than before: its disk was pulled and plugged
  /// in again, or the lock was deleted. Blocks.
  ///
  /// - Throws: when another server has that lock.
  package func hold() throws(DataDirectoryError) {
    guard let held = lock.withLock({ $0 }),
      held.identity == nil || Identity(at: path + "/lock") != held.identity
    else { return }
    let file = Self.openLock(path, O_CREAT)
    // A folder in which this server can make no lock is one in which none can be started.
    if file < 0 { return }
    Glibc.close(file)
    let fresh = Lock(file: try Self.locked(path))
    let old = lock.withLock { lock in
      // The lock may have been released meanwhile.
      guard let old = lock else { return fresh }
      lock = Lock(file: fresh.file, identity: Identity(of: fresh.file))
      return old
    }
    Self.unlock(old.file)
  }

  /// Makes the folder for a user, and those above it, as far as they are missing. Existing files keep their owner.
  package static func give(_ path: String, to user: uid_t, _ group: gid_t) {
    let missing = missing(path)
    // What has been made is given even where the rest could not be: root's own would stand in the way for ever.
    try? makeFolder(path, of: path)
    for folder in missing {
      let made = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      guard made >= 0 else { continue }
      _ = fchown(made, user, group)
      Glibc.close(made)
    }
  }

  /// Returns those of a folder and the folders above it that are missing.
  private static func missing(_ folder: String) -> [String] {
    let parent = (folder as NSString).deletingLastPathComponent
    var status = stat()
    guard !folder.isEmpty, parent != folder, lstat(folder, &status) != 0 else { return [] }
    return missing(parent) + [folder]
  }
}

extension DataDirectory {
  /// Whether a server runs on a folder.
  package enum Use: Hashable, Sendable {
    case inUse
    /// No server runs on the folder, or it was never used.
    case free
    /// The lock cannot be looked at; the text is the kernel's reason.
    case unknown(String)
  }

  /// Returns whether a server runs on a folder. Only reads, so it works on a disk that accepts no writes.
  package static func use(of path: String) -> Use {
    let file = Glibc.open(
      path + "/lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else {
      return [ENOENT, ENOTDIR].contains(errno) ? .free : .unknown(text(of: errno))
    }
    // Closing the file releases the lock.
    defer { Glibc.close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.isRegularFile else {
      return .unknown("\(path)/lock is not a file")
    }
    if flock(file, LOCK_SH | LOCK_NB) == 0 { return .free }
    return errno == EWOULDBLOCK ? .inUse : .unknown(text(of: errno))
  }

  /// Returns the process of the server that runs on a folder, as it says in there; nil where none runs or none is named.
  package static func process(on path: String) -> pid_t? {
    guard use(of: path) == .inUse else { return nil }
    let file = Glibc.open(path + "/lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { Glibc.close(file) }
    return process(namedBy: file)
  }
}

extension DataDirectory {
  /// The folder of a relay that serves a whole machine.
  package static let systemPath = "/var/lib/longwave"

  /// Returns the folder that commands and servers mean: `--data`, `LONGWAVE_DATA`, `server.data`, then
  /// `/var/lib/longwave` if it is writable, then the user's own data folder.
  package static func resolve(
    option: String? = nil, configured: String? = nil,
    environment: [String: String] = ProcessInfo.processInfo.environment,
    isOurs: (String) -> Bool = DataDirectory.isWritable
  ) -> String {
    let given = [option, environment["LONGWAVE_DATA"], configured]
    if let path = given.compactMap(\.self).first(where: { !$0.isEmpty }) {
      return absolute(path)
    }
    if isOurs(systemPath) { return systemPath }
    if let home = environment["XDG_DATA_HOME"], isAbsolute(home) { return home + "/longwave" }
    return (environment["HOME"] ?? "/tmp") + "/.local/share/longwave"
  }

  /// Whether a folder is writable, or could be created if it is missing.
  package static func isWritable(_ path: String) -> Bool {
    if access(path, F_OK) == 0 { return access(path, W_OK) == 0 }
    let parent = (path as NSString).deletingLastPathComponent
    return access(parent, W_OK) == 0
  }

  /// Whether the first byte is a slash, as for the kernel: an accent that follows makes no other character of it.
  private static func isAbsolute(_ path: String) -> Bool { path.utf8.first == UInt8(ascii: "/") }

  private static func absolute(_ path: String) -> String {
    let whole = isAbsolute(path) ? path : FileManager.default.currentDirectoryPath + "/" + path
    return (whole as NSString).standardizingPath
  }
}
