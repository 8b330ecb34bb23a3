import Glibc

/// The folder of one log.
enum LogFolder {
  /// With all on the way to it that is not there.
  static func make(_ directory: String, _ files: FileCalls) throws(StorageError) {
    // Bytes, as the kernel has paths: a name may begin with an accent.
    var path = directory.utf8.first == UInt8(ascii: "/") ? "" : "."
    var paths: [String] = []
    for part in directory.utf8.split(separator: UInt8(ascii: "/")) {
      path += "/\(Substring(part))"
      paths.append(path)
      let result = files.makeDirectory(path)
      // A parent we may not write to but that exists is as good.
      if result < 0 && result != -EEXIST && result != -EISDIR && result != -EROFS
        && result != -EACCES
      {
        throw StorageError(call: "mkdir", path: path, code: -result)
      }
    }
    for path in paths.suffix(2) { try refuseForeignLink(path) }
  }

  /// A station's folder, or that of all stations, may be a link to another disk, if it is ours or root's: where somebody
  /// else can put one, it leads where they like.
  private static func refuseForeignLink(_ path: String) throws(StorageError) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK, status.st_uid != 0,
      status.st_uid != geteuid()
    else { return }
    throw StorageError(
      "is a link of another user's (\(status.st_uid)); make it the relay's own", path: path)
  }
}
