import CLinux
import Glibc
import Wire

/// Asks folders whether their disks answer; for programs that check folders and end.
public enum FolderQuestion {
  /// Whether a folder, or its nearest existing parent, is listed within `seconds`; an error counts as an answer. Blocks
  /// as long.
  ///
  /// - Parameter writes: whether a small file is made in the folder for a moment as well.
  public static func isAnswered(_ folder: String, writes: Bool, within seconds: Double) -> Bool {
    linux_folder_answers(folder, writes ? 1 : 0, Int32(bounded: seconds * 1000)) != 0
  }

  /// The paths of the links in a folder, sorted. Such links may lead to other disks.
  public static func links(in folder: String) -> [String] {
    FileCalls.posix.list(folder).names.sorted().map { "\(folder)/\($0)" }.filter { path in
      var status = stat()
      return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }
  }
}
