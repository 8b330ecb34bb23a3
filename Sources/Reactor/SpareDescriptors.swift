import CLinux
import Glibc

/// Descriptors that no socket and no file of Longwave's own takes: libdispatch ends a process in which it gets none.
public enum SpareDescriptors {
  public static let count = Int(LINUX_SPARE_FILES)

  /// Whether so many can be had beside them.
  public static func leave(_ count: Int) -> Bool {
    linux_leaves_spare(Int32(clamping: count)) != 0
  }

  /// What a call has given, -1 for an error in `errno`; of those that stay free -1 and `EMFILE`, and it is closed.
  public static func refuse(_ fd: Int32) -> Int32 { linux_unless_spare(fd) }
}
