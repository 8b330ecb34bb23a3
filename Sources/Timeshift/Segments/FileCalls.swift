import CLinux
import Glibc
import Wire

/// Every call that the log makes on files, so that a test can use a failing disk instead.
///
/// Results are those of the C functions, with `-errno` in place of -1.
public struct FileCalls: Sendable {
  public var open: @Sendable (_ path: String, _ flags: Int32) -> Int32
  public var close: @Sendable (_ descriptor: Int32) -> Void
  public var read:
    @Sendable (_ descriptor: Int32, _ into: UnsafeMutableRawBufferPointer, _ at: UInt64) -> Int
  /// Reads for the scrubber: pages that this call brings into the page cache leave it again.
  public var readBeside:
    @Sendable (_ descriptor: Int32, _ into: UnsafeMutableRawBufferPointer, _ at: UInt64) -> Int
  /// `preadv2` with `RWF_NOWAIT`: -EAGAIN if the bytes are not in the page cache.
  ///
  /// Nil stands for the real call; listeners' reads then make it without a closure between.
  public var readNow:
    (@Sendable (_ descriptor: Int32, _ into: UnsafeMutableRawBufferPointer, _ at: UInt64) -> Int)?
  public var write:
    @Sendable (_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ at: UInt64) -> Int
  public var truncate: @Sendable (_ descriptor: Int32, _ length: UInt64) -> Int32
  /// `fdatasync`.
  public var sync: @Sendable (_ descriptor: Int32) -> Int32
  public var size: @Sendable (_ descriptor: Int32) -> Int64
  /// Whether an open file still stands under its path: 1; 0 if it was removed or another file is there; or `-errno`.
  public var isNamed: @Sendable (_ descriptor: Int32, _ path: String) -> Int32
  /// The status of what is at a path, without following a link; nil if nothing is there or the status is unknown.
  public var status: @Sendable (_ path: String) -> FileStatus?
  /// An exclusive `flock`; -EWOULDBLOCK if another process holds the lock.
  public var lock: @Sendable (_ descriptor: Int32) -> Int32
  /// Lets the group read the file, whatever the process's umask is.
  public var share: @Sendable (_ descriptor: Int32) -> Void
  /// `fsync` of a directory, after which its names are on the disk. Some file systems cannot do this.
  public var syncNames: @Sendable (_ directory: String) -> Void
  /// The device number of a directory's file system, or `-errno`.
  public var disk: @Sendable (_ directory: String) -> Int64
  /// The size of a directory's file system in bytes; `.max` if the file system does not tell.
  public var room: @Sendable (_ directory: String) -> UInt64
  /// The bytes that this user may still fill of a directory's file system; `.max` if the file system does not tell.
  public var free: @Sendable (_ directory: String) -> UInt64
  /// `posix_fadvise` with `POSIX_FADV_WILLNEED`.
  public var willNeed: @Sendable (_ descriptor: Int32, _ at: UInt64, _ count: Int) -> Void
  public var rename: @Sendable (_ from: String, _ to: String) -> Int32
  public var remove: @Sendable (_ path: String) -> Int32
  public var makeDirectory: @Sendable (_ path: String) -> Int32
  /// The names in a directory, without `.` and `..`; or `-errno`.
  public var list: @Sendable (_ directory: String) -> (names: [String], code: Int32)
  /// The clock for repeated attempts.
  public var now: @Sendable () -> MonotonicTime
  /// The id of the machine's current start; nil if unknown.
  public var boot: BootID?

  /// The real calls.
  public static let posix = FileCalls(
    open: openPlain,
    close: { _ = Glibc.close($0) },
    read: { descriptor, buffer, offset in
      checked { pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)) }
    },
    readBeside: { descriptor, buffer, offset in
      checked { linux_pread_beside(descriptor, buffer.baseAddress, buffer.count, Int64(offset)) }
    },
    readNow: nil,
    write: { descriptor, bytes, offset in
      checked { pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset)) }
    },
    truncate: { descriptor, length in checked { ftruncate(descriptor, off_t(length)) } },
    sync: { descriptor in checked { linux_fdatasync(descriptor) } },
    size: { descriptor in
      var status = stat()
      let result = checked { fstat(descriptor, &status) }
      return result < 0 ? Int64(result) : Int64(status.st_size)
    },
    isNamed: standsUnder,
    status: { path in
      var status = stat()
      return lstat(path, &status) == 0 ? FileStatus(status) : nil
    },
    lock: { descriptor in checked { flock(descriptor, LOCK_EX | LOCK_NB) } },
    share: { fchmod($0, fileMode) },
    syncNames: syncDirectory,
    disk: { path in
      var status = stat()
      let result = checked { stat(path, &status) }
      return result < 0 ? Int64(result) : Int64(clamping: status.st_dev)
    },
    room: { path in
      var status = statvfs()
      guard statvfs(path, &status) == 0, status.f_blocks > 0 else { return .max }
      return UInt64(status.f_blocks).saturatingMultiply(UInt64(status.f_frsize))
    },
    free: { path in
      var status = statvfs()
      guard statvfs(path, &status) == 0, status.f_blocks > 0 else { return .max }
      return UInt64(status.f_bavail).saturatingMultiply(UInt64(status.f_frsize))
    },
    willNeed: { descriptor, offset, count in
      _ = posix_fadvise(descriptor, off_t(offset), off_t(count), Int32(POSIX_FADV_WILLNEED))
    },
    rename: { from, to in checked { Glibc.rename(from, to) } },
    remove: { path in checked { unlink(path) } },
    makeDirectory: { path in checked { mkdir(path, 0o750) } },
    list: listDirectory, now: { .now() }, boot: .current)
}

/// A file's size, time and kind, as found under its path.
public struct FileStatus: Hashable, Sendable {
  public var bytes: Int64
  /// When the file last changed, in nanoseconds since 1970.
  public var modified: Int64
  public var isRegular: Bool

  public init(bytes: Int64, modified: Int64, isRegular: Bool = true) {
    (self.bytes, self.modified, self.isRegular) = (bytes, modified, isRegular)
  }

  init(_ status: stat) {
    bytes = Int64(status.st_size)
    modified = Moment.nanoseconds(of: status.st_mtim)
    isRegular = status.isRegularFile
  }
}

private let fileMode: mode_t = 0o640

@Sendable private func syncDirectory(_ path: String) {
  let directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  if directory < 0 { return }
  fsync(directory)
  close(directory)
}

/// Returns the result, or `-errno` in place of -1; calls again after EINTR.
public func checked<Result: SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    if result != -1 { return result }
    if errno != EINTR { return Result(-errno) }
  }
}

/// Opens regular files only. A pipe would make its opener wait, and a link may lead to another user's file.
@Sendable private func openPlain(_ path: String, _ flags: Int32) -> Int32 {
  let kept = flags & ~O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
  let file = checked { linux_unless_spare(Glibc.open(path, kept, fileMode)) }
  if file < 0 { return file }
  var status = stat()
  let code: Int32
  if fstat(file, &status) != 0 {
    code = errno
  } else if !status.isRegularFile {
    code = EINVAL
  } else if flags & O_TRUNC != 0, ftruncate(file, 0) != 0 {
    code = errno
  } else {
    return file
  }
  close(file)
  return -code
}

/// Compares inode and device. Where a file system changes inode numbers, name and length decide.
///
/// The open file must have a name, and the file at the path its length. The open file may have grown between the two
/// looks.
@Sendable private func standsUnder(_ descriptor: Int32, _ path: String) -> Int32 {
  var (before, named, opened) = (stat(), stat(), stat())
  let asked = checked { fstat(descriptor, &before) }
  if asked < 0 { return asked }
  let found = checked { lstat(path, &named) }
  if found == -ENOENT || found == -ENOTDIR { return 0 }
  if found < 0 { return found }
  let result = checked { fstat(descriptor, &opened) }
  if result < 0 { return result }
  if named.st_ino == opened.st_ino && named.st_dev == opened.st_dev { return 1 }
  let sizes = min(before.st_size, opened.st_size)...max(before.st_size, opened.st_size)
  return opened.st_nlink > 0 && sizes.contains(named.st_size) ? 1 : 0
}

@Sendable private func listDirectory(_ path: String) -> (names: [String], code: Int32) {
  guard let directory = opendir(path) else { return ([], -errno) }
  defer { closedir(directory) }
  var names: [String] = []
  while let entry = readdir(directory) {
    let name = withUnsafeBytes(of: &entry.pointee.d_name) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    if name != "." && name != ".." { names.append(name) }
  }
  return (names, 0)
}
