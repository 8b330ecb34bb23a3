import Glibc

/// Why a recording ended before its time.
struct RecordingError: Error, Hashable, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }

  fileprivate init(_ what: String, _ path: String, _ code: Int32) {
    description = "cannot \(what) \(path): \(String(cString: strerror(code)))"
  }
}

/// A file being recorded: `NAME.part` until it is whole, unless an older one is continued. Blocks.
final class RecordingFile {
  /// In its folder.
  let name: String
  private(set) var bytes: Int64
  private let folder: String
  private let isContinued: Bool
  private let file: Int32

  /// - Parameters:
  ///   - name: without its ending; a number is added where it is taken, unless `appends`.
  init(_ name: String, ending: String, in folder: String, appends: Bool) throws(RecordingError) {
    self.folder = folder
    if mkdir(folder, 0o755) != 0, errno != EEXIST {
      throw RecordingError("create", folder, errno)
    }
    let plain = "\(name).\(ending)"
    if appends, access("\(folder)/\(plain)", F_OK) == 0 {
      (self.name, isContinued) = (plain, true)
      file = open("\(folder)/\(plain)", O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW)
      bytes = file < 0 ? 0 : Int64(lseek(file, 0, SEEK_END))
    } else {
      self.name = Self.free(name, ending, in: folder)
      isContinued = false
      bytes = 0
      file = open(
        "\(folder)/\(self.name)\(Self.part)", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
        0o644)
    }
    if file < 0 { throw RecordingError("write", "\(folder)/\(plain)", errno) }
  }

  deinit { close(file) }

  private static let part = ".part"

  var path: String { "\(folder)/\(name)" + (isContinued ? "" : Self.part) }
  /// What is renamed when it is whole; nil: it has its name.
  var partName: String? { isContinued ? nil : name }

  /// The first of `NAME`, `NAME-2`, `NAME-3`… that nobody has.
  private static func free(_ name: String, _ ending: String, in folder: String) -> String {
    var number = 1
    while true {
      let tried = number == 1 ? "\(name).\(ending)" : "\(name)-\(number).\(ending)"
      var status = stat()
      let path = "\(folder)/\(tried)"
      if lstat(path, &status) != 0, lstat(path + part, &status) != 0 { return tried }
      number += 1
    }
  }

  func write(_ piece: UnsafeRawBufferPointer) throws(RecordingError) {
    var rest = piece[...]
    while !rest.isEmpty {
      let part = UnsafeRawBufferPointer(rebasing: rest)
      let count = Glibc.write(file, part.baseAddress, part.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw RecordingError("write", path, errno) }
      bytes += Int64(count)
      rest = rest.dropFirst(count)
    }
  }

  /// It is whole: on the disk, and under its name.
  func finish() throws(RecordingError) {
    guard fsync(file) == 0 else { throw RecordingError("write", path, errno) }
    guard !isContinued else { return }
    guard rename(path, "\(folder)/\(name)") == 0 else {
      throw RecordingError("rename", path, errno)
    }
  }

  /// What a server that was killed has left: what is known to be whole of it gets its name.
  static func rescue(_ name: String, bytes: Int64, in folder: String) {
    let path = "\(folder)/\(name)\(part)"
    guard truncate(path, off_t(bytes)) == 0 else { return }
    var status = stat()
    if lstat("\(folder)/\(name)", &status) != 0 { rename(path, "\(folder)/\(name)") }
  }
}
