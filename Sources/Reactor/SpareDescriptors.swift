import CLinux
import Glibc

/// Descriptors that Longwave's own sockets and files never use. libdispatch needs them: it ends the process when it
/// gets none.
public enum SpareDescriptors {
  public static let count = Int(LINUX_SPARE_FILES)

  /// Whether the process can have `count` descriptors in addition to the spare ones.
  public static func leave(_ count: Int) -> Bool {
    linux_leaves_spare(Int32(clamping: count)) != 0
  }

  /// Returns a call's descriptor. A spare one is closed and replaced by -1 with `EMFILE`; -1 stays an error in `errno`.
  public static func refuse(_ fd: Int32) -> Int32 { linux_unless_spare(fd) }
}
