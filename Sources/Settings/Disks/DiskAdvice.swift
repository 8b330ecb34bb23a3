import Glibc

/// Advice about a file or folder that the system refuses.
package enum DiskAdvice {
  /// Returns advice for an `errno` value; `path` may be a file that does not exist yet.
  package static func of(_ code: Int32, at path: String) -> String {
    switch code {
    case EROFS:
      "the disk of \(path) is read-only: look why (dmesg), then mount -o remount,rw it"
    case EACCES, EPERM:
      "\(owned(path)); give it to the user the relay runs as (chown -R)"
    case ENOSPC, EDQUOT: "make room on the disk of \(path)"
    case EIO: "the disk of \(path) fails: look at it (dmesg)"
    default: "look at \(path)"
    }
  }

  /// Returns the folder that a file is in, or is to be in.
  package static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Returns the `errno` value for a file or folder that may not be read and written; nil when it may, or does not
  /// exist.
  package static func refusal(_ path: String) -> Int32? {
    // Checks the effective user, not the real one.
    guard faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS) != 0 else { return nil }
    return [ENOENT, ENOTDIR].contains(errno) ? nil : errno
  }

  /// Returns words such as "/srv/radio belongs to root", about the first folder on the way up that can be looked at.
  package static func owned(_ path: String) -> String {
    var (place, status) = (path, stat())
    while lstat(place, &status) != 0 {
      guard let slash = place.utf8.lastIndex(of: UInt8(ascii: "/")), slash > place.startIndex else {
        return "\(path) is somebody else's"
      }
      place = String(place[..<slash])
    }
    return "\(place) belongs to \(user(status.st_uid))"
  }

  /// Returns a user's name, or its number without one.
  private static func user(_ id: uid_t) -> String {
    var (entry, found) = (passwd(), UnsafeMutablePointer<passwd>?.none)
    var text = [CChar](repeating: 0, count: 16384)
    return text.withUnsafeMutableBufferPointer { text in
      guard let start = text.baseAddress,
        getpwuid_r(id, &entry, start, text.count, &found) == 0, found != nil,
        let name = entry.pw_name
      else { return "user \(id)" }
      return String(cString: name)
    }
  }
}
