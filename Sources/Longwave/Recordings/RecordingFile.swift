import Glibc
import Timeshift
import Wire

/// Why a recording ended before its time.
struct RecordingError: Error, Hashable, CustomStringConvertible {
  var description: String
  /// Whether trying again may help: the disk may report the error only for a while.
  var mayPass = false
  /// Whether the file was deleted while it was written.
  var isGone = false

  init(_ description: String) { self.description = description }

  /// Errors that last: wrong names and wrong arguments.
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

/// A file being recorded: `NAME.part` until it is whole; an older file that is continued keeps its name. Blocks.
final class RecordingFile {
  /// Name in the folder, without `.part`.
  let name: String
  /// Bytes of the file, without what a failed write has left behind.
  private(set) var bytes: Int64
  private let folder: String
  let isContinued: Bool
  private let file: Int32
  private let calls: FileCalls
  /// Whether the file's name is on the disk.
  private var isKnown = false

  /// - Parameters:
  ///   - name: without its ending; a number is added when the name is taken, unless `appends`.
  init(
    _ name: String, ending: String, in folder: String, appends: Bool, calls: FileCalls = .posix
  ) throws(RecordingError) {
    self.folder = folder
    self.calls = calls
    // Whatever the process's mask is, the group may fetch recordings, and others may not.
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

  /// Opens an older file to append to it; nil when there is none, or another recording writes it.
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

  static let part = ".part"

  var path: String { "\(folder)/\(name)" + (isContinued ? "" : Self.part) }

  /// Returns a free name of `NAME`, `NAME-2`, `NAME-3`…: the first one, if they were taken in order. Searches in steps
  /// that double, since there may be thousands.
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
      // A continued file is written at its end, wherever that is.
      let count = calls.write(file, part, UInt64(end))
      guard count > 0 else {
        throw RecordingError("write", path, count < 0 ? Int32(-count) : ENOSPC)
      }
      end += Int64(count)
      rest = rest.dropFirst(count)
    }
    bytes = end
  }

  /// Syncs the file: what was written is on the disk, whatever happens to the machine.
  func sync() throws(RecordingError) {
    let result = calls.sync(file)
    if result < 0 { throw RecordingError("sync", path, -result) }
    if calls.isNamed(file, path) == 0 { throw RecordingError(deleted: path) }
    if !isKnown { calls.syncNames(folder) }
    isKnown = true
  }

  /// Syncs the whole file and gives it its name. Returns when the file was last changed, nanoseconds since 1970.
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

  /// Deletes the file, unless it is an older one that was continued.
  func discard() {
    if !isContinued { _ = calls.remove(path) }
  }
}

// Files of recordings that do not run.
extension RecordingFile {
  /// Recovers a file that a killed server has left: what is known to be whole gets its name. Nil when the file is gone.
  /// Throws when the disk refuses for now.
  ///
  /// - Parameter bytesComing: bytes behind the known ones that can be had again. A file that has its name and more
  ///   bytes than that keeps them: it was whole before a loss of power took that from the list.
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
    // Files are only cut, never filled up: a shorter file has been changed by others since.
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

  /// Deletes a file that is as the recording left it. False when it has changed or does not exist.
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
