import Glibc
import Timeshift

/// Why a recording ended before its time.
struct RecordingError: Error, Hashable, CustomStringConvertible {
  var description: String
  /// It is worth trying again: whatever a disk says for a while.
  var mayPass = false
  /// Somebody deleted the file while it was written.
  var isGone = false

  init(_ description: String) { self.description = description }

  /// Wrong names and wrong arguments stay wrong.
  private static let lasting: Set<Int32> = [
    EINVAL, EBADF, EFAULT, ENAMETOOLONG, ELOOP, ENOTDIR, EISDIR, ENXIO,
  ]

  fileprivate init(deleted path: String) {
    description = "\(path) was deleted"
    (mayPass, isGone) = (true, true)
  }

  fileprivate init(_ what: String, _ path: String, _ code: Int32) {
    description = "cannot \(what) \(path): \(String(cString: strerror(code)))"
    mayPass = !Self.lasting.contains(code)
  }
}

/// A file being recorded: `NAME.part` until it is whole, unless an older one is continued. Blocks.
final class RecordingFile {
  /// In its folder.
  let name: String
  private(set) var bytes: Int64
  private let folder: String
  let isContinued: Bool
  private let file: Int32
  private let calls: FileCalls
  /// Its name is on the disk.
  private var isKnown = false

  /// - Parameters:
  ///   - name: without its ending; a number is added where it is taken, unless `appends`.
  init(
    _ name: String, ending: String, in folder: String, appends: Bool, calls: FileCalls = .posix
  ) throws(RecordingError) {
    self.folder = folder
    self.calls = calls
    // Whatever the process's mask is, the group may fetch recordings, and nobody else.
    if mkdir(folder, 0o750) == 0 {
      chmod(folder, 0o750)
    } else if errno != EEXIST {
      throw RecordingError("create", folder, errno)
    }
    let plain = "\(name).\(ending)"
    if appends, access("\(folder)/\(plain)", F_OK) == 0 {
      let file = open(
        "\(folder)/\(plain)", O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
      if file < 0 { throw RecordingError("write", "\(folder)/\(plain)", errno) }
      guard RegularFile.isBehind(file) else {
        close(file)
        throw RecordingError("\(folder)/\(plain) is not a file")
      }
      // What another recording is in is taken.
      if flock(file, LOCK_EX | LOCK_NB) == 0 {
        (self.name, isContinued, self.file) = (plain, true, file)
        bytes = Int64(lseek(file, 0, SEEK_END))
        return
      }
      close(file)
    }
    self.name = Self.free(name, ending, in: folder)
    (isContinued, bytes) = (false, 0)
    file = open(
      "\(folder)/\(self.name)\(Self.part)", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
      Self.mode)
    if file < 0 { throw RecordingError("write", "\(folder)/\(plain)", errno) }
    fchmod(file, Self.mode)
  }

  deinit { close(file) }

  private static let part = ".part"
  private static let mode: mode_t = 0o640

  var path: String { "\(folder)/\(name)" + (isContinued ? "" : Self.part) }

  /// One of `NAME`, `NAME-2`, `NAME-3`… that nobody has: the first, where they were taken in order. Looked for in steps
  /// that double: there may be thousands.
  private static func free(_ name: String, _ ending: String, in folder: String) -> String {
    func numbered(_ number: Int) -> String {
      number == 1 ? "\(name).\(ending)" : "\(name)-\(number).\(ending)"
    }
    func isFree(_ number: Int) -> Bool {
      var status = stat()
      let path = "\(folder)/\(numbered(number))"
      return lstat(path, &status) != 0 && lstat(path + part, &status) != 0
    }
    var (taken, found) = (0, 1)
    while !isFree(found) { (taken, found) = (found, found * 2) }
    while taken + 1 < found {
      let middle = (taken + found) / 2
      if isFree(middle) { found = middle } else { taken = middle }
    }
    return numbered(found)
  }

  func write(_ piece: UnsafeRawBufferPointer) throws(RecordingError) {
    var rest = piece[...]
    while !rest.isEmpty {
      let part = UnsafeRawBufferPointer(rebasing: rest)
      // Of one that is continued, at its end wherever this is.
      let count = calls.write(file, part, UInt64(bytes))
      guard count > 0 else {
        throw RecordingError("write", path, count < 0 ? Int32(-count) : ENOSPC)
      }
      bytes += Int64(count)
      rest = rest.dropFirst(count)
    }
  }

  /// What was written is on the disk, whatever happens to the machine.
  func sync() throws(RecordingError) {
    let result = calls.sync(file)
    if result < 0 { throw RecordingError("sync", path, -result) }
    var status = stat()
    if fstat(file, &status) == 0, status.st_nlink == 0 { throw RecordingError(deleted: path) }
    if !isKnown { syncFolder() }
    isKnown = true
  }

  /// Its name, too. Not every file system can.
  private func syncFolder() {
    let folder = open(self.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if folder < 0 { return }
    fsync(folder)
    close(folder)
  }

  /// It is whole: on the disk, and under its name. When it was changed last, nanoseconds since 1970.
  func finish() throws(RecordingError) -> Int64 {
    var status = stat()
    try sync()
    guard fstat(file, &status) == 0 else { throw RecordingError("write", path, errno) }
    if !isContinued, rename(path, "\(folder)/\(name)") != 0 {
      throw RecordingError("rename", path, errno)
    }
    syncFolder()
    return Self.modified(status)
  }

  /// Nothing of it stays; an older one is as it was.
  func discard() {
    if !isContinued { unlink(path) }
  }

  private static func modified(_ status: stat) -> Int64 {
    Moment.nanoseconds(of: status.st_mtim)
  }
}

// Files of recordings that do not run.
extension RecordingFile {
  /// What a server that was killed has left: what is known to be whole of it gets its name. nil: it is gone.
  static func rescue(_ file: RecordingEntry.File, in folder: String) -> RecordingEntry.File? {
    let whole = "\(folder)/\(file.name)"
    let path = file.isContinued == true ? whole : whole + part
    var status = stat()
    guard lstat(path, &status) == 0, status.isRegularFile else { return nil }
    // Cut only, never filled up: one that is shorter has been somebody else's since.
    if status.st_size > file.bytes, truncate(path, off_t(file.bytes)) != 0 { return nil }
    var rescued = file
    rescued.isContinued = nil
    if path != whole {
      var taken = stat()
      guard lstat(whole, &taken) != 0, rename(path, whole) == 0 else { return nil }
    }
    guard lstat(whole, &status) == 0 else { return nil }
    (rescued.bytes, rescued.modified) = (Int64(status.st_size), modified(status))
    return rescued
  }

  /// Deletes a file that is as the recording left it. False: it is not, or not there.
  static func remove(_ file: RecordingEntry.File, in folder: String) -> Bool {
    var status = stat()
    let path = "\(folder)/\(file.name)"
    guard !file.name.contains("/"), let known = file.modified, lstat(path, &status) == 0,
      status.isRegularFile, Int64(status.st_size) == file.bytes,
      modified(status) == known
    else { return false }
    return unlink(path) == 0
  }
}
