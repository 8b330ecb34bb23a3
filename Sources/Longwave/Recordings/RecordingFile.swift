import Glibc
import Timeshift
import Wire

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
  /// What a write that failed has left behind is none of it.
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
    let made = calls.makeDirectory(folder)
    if made == 0 {
      chmod(folder, 0o750)
    } else if made != -EEXIST {
      throw RecordingError("create", folder, -made)
    }
    let plain = "\(name).\(ending)"
    if appends, let file = try Self.openOlder("\(folder)/\(plain)", calls) {
      (self.name, isContinued, self.file) = (plain, true, file)
      bytes = max(0, calls.size(file))
      return
    }
    self.name = Self.free(name, ending, in: folder, calls)
    (isContinued, bytes) = (false, 0)
    file = calls.open("\(folder)/\(self.name)\(Self.part)", O_WRONLY | O_CREAT | O_EXCL)
    if file < 0 { throw RecordingError("write", "\(folder)/\(plain)", -file) }
    calls.share(file)
  }

  /// nil: there is none, or another recording is in it.
  private static func openOlder(
    _ path: String, _ calls: FileCalls
  ) throws(RecordingError) -> Int32? {
    guard let status = calls.status(path) else { return nil }
    guard status.isRegular else { throw RecordingError("\(path) is not a file") }
    let file = calls.open(path, O_WRONLY | O_APPEND)
    if file < 0 { throw RecordingError("write", path, -file) }
    if calls.lock(file) == 0 { return file }
    calls.close(file)
    return nil
  }

  deinit { calls.close(file) }

  private static let part = ".part"

  var path: String { "\(folder)/\(name)" + (isContinued ? "" : Self.part) }

  /// One of `NAME`, `NAME-2`, `NAME-3`… that nobody has: the first, where they were taken in order. Looked for in steps
  /// that double: there may be thousands.
  private static func free(
    _ name: String, _ ending: String, in folder: String, _ calls: FileCalls
  ) -> String {
    func numbered(_ number: Int) -> String {
      number == 1 ? "\(name).\(ending)" : "\(name)-\(number).\(ending)"
    }
    func isFree(_ number: Int) -> Bool {
      let path = "\(folder)/\(numbered(number))"
      return calls.status(path) == nil && calls.status(path + part) == nil
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
    var (rest, end) = (piece[...], bytes)
    while !rest.isEmpty {
      let part = UnsafeRawBufferPointer(rebasing: rest)
      // Of one that is continued, at its end wherever this is.
      let count = calls.write(file, part, UInt64(end))
      guard count > 0 else {
        throw RecordingError("write", path, count < 0 ? Int32(-count) : ENOSPC)
      }
      end += Int64(count)
      rest = rest.dropFirst(count)
    }
    bytes = end
  }

  /// What was written is on the disk, whatever happens to the machine.
  func sync() throws(RecordingError) {
    let result = calls.sync(file)
    if result < 0 { throw RecordingError("sync", path, -result) }
    if calls.isNamed(file, path) == 0 { throw RecordingError(deleted: path) }
    if !isKnown { calls.syncNames(folder) }
    isKnown = true
  }

  /// It is whole: on the disk, and under its name. When it was changed last, nanoseconds since 1970.
  func finish() throws(RecordingError) -> Int64 {
    try sync()
    let whole = "\(folder)/\(name)"
    if !isContinued {
      let result = calls.rename(path, whole)
      if result < 0 { throw RecordingError("rename", path, -result) }
    }
    calls.syncNames(folder)
    return calls.status(whole)?.modified ?? 0
  }

  /// Nothing of it stays; an older one is as it was.
  func discard() {
    if !isContinued { _ = calls.remove(path) }
  }
}

// Files of recordings that do not run.
extension RecordingFile {
  /// What a server that was killed has left: what is known to be whole of it gets its name. nil: it is gone. Throws where
  /// the disk says no for now.
  ///
  /// - Parameter bytesComing: how much of what is behind that can be had again. Of a file that was whole before a loss of
  ///   power took that from the list, more than that is kept.
  static func rescue(
    _ file: RecordingEntry.File, in folder: String, bytesComing: Int64 = .max,
    calls: FileCalls = .posix
  ) throws(RecordingError) -> RecordingEntry.File? {
    let whole = "\(folder)/\(file.name)"
    let hasName = file.isContinued == true || calls.status(whole + part) == nil
    let path = hasName ? whole : whole + part
    guard let status = calls.status(path), status.isRegular else { return nil }
    let isKept =
      hasName && file.isContinued != true && status.bytes > file.bytes.saturatingAdd(bytesComing)
    // Cut only, never filled up: one that is shorter has been somebody else's since.
    if status.bytes > file.bytes, !isKept { try cut(path, to: file.bytes, calls) }
    var rescued = file
    rescued.isContinued = nil
    if path != whole {
      if calls.status(whole) != nil { return nil }
      let result = calls.rename(path, whole)
      if result < 0 { throw RecordingError("rename", path, -result) }
      calls.syncNames(folder)
    }
    guard let status = calls.status(whole) else { return nil }
    (rescued.bytes, rescued.modified) = (status.bytes, status.modified)
    return rescued
  }

  private static func cut(
    _ path: String, to bytes: Int64, _ calls: FileCalls
  ) throws(RecordingError) {
    let file = calls.open(path, O_WRONLY)
    if file < 0 { throw RecordingError("write", path, -file) }
    defer { calls.close(file) }
    var result = calls.truncate(file, UInt64(max(0, bytes)))
    if result == 0 { result = calls.sync(file) }
    if result < 0 { throw RecordingError("shorten", path, -result) }
  }

  /// Deletes a file that is as the recording left it. False: it is not, or not there.
  static func remove(
    _ file: RecordingEntry.File, in folder: String, calls: FileCalls = .posix
  ) -> Bool {
    let path = "\(folder)/\(file.name)"
    guard !file.name.contains("/"), let known = file.modified, let status = calls.status(path),
      status.isRegular, status.bytes == file.bytes, status.modified == known
    else { return false }
    return calls.remove(path) == 0
  }
}
