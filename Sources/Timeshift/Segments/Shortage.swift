import Glibc

/// Errors of file calls while this process or the machine has too few descriptors or too little memory.
///
/// A shortage passes, most likely soon, and says nothing about the requested file.
public enum Shortage {
  public static let codes: Set<Int32> = [EMFILE, ENFILE, ENOMEM, EAGAIN]

  /// The reason to report when files cannot be opened for want of descriptors; nil for other causes.
  public static func reason(_ code: Int32) -> String? {
    switch code {
    case EMFILE:
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      return "the \(limit.rlim_cur) files that this process may have open are too few; raise the "
        + "hard limit (ulimit -Hn, or LimitNOFILE= in the unit of systemd)"
    case ENFILE: return "this machine has too many files open; raise the limit (sysctl fs.file-max)"
    default: return nil
    }
  }

  /// Why no file can be opened at this moment; nil if one can.
  public static var now: String? {
    let file = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    if file < 0 { return reason(errno) }
    close(file)
    return nil
  }
}
