import CLinux
import Glibc
import Wire

/// Asks folders whether their disks answer, for programs that look at them and end.
public enum FolderQuestion {
  /// Whether one is listed within so many seconds, or the nearest above it that is there; with an error, too. Blocks as
  /// long.
  ///
  /// - Parameter writes: whether a small file is made in it for a moment as well.
  public static func isAnswered(_ folder: String, writes: Bool, within seconds: Double) -> Bool {
    linux_folder_answers(folder, writes ? 1 : 0, Int32(bounded: seconds * 1000)) != 0
  }

  /// Of what is in a folder, the links, which may lead to other disks.
  public static func links(in folder: String) -> [String] {
    FileCalls.posix.list(folder).names.sorted().map { "\(folder)/\($0)" }.filter { path in
      var status = stat()
      return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }
  }
}
