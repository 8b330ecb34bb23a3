/// What came of looking through a folder, or through what has changed in it.
public struct MusicLook: Sendable {
  /// Why a folder was not looked through, in words that follow its path.
  public enum Trouble: Error, Hashable, Sendable {
    /// There is nothing at its path.
    case missing(String)
    /// It is there and cannot be looked into.
    case unreadable(String)
    /// Another folder has taken its place meanwhile.
    case replaced
    /// Nobody waits for it any more.
    case ended
    /// The machine is short of descriptors or memory.
    case short

    public var words: String {
      switch self {
      case .missing(let reason), .unreadable(let reason): reason
      case .replaced: "was unmounted or replaced while it was looked through"
      case .ended: "was not looked through to its end"
      case .short: "too many files are open"
      }
    }
  }

  /// What is known of the folder now; what was known before where there is trouble.
  public var folder: MusicFolder
  public var trouble: Trouble?
  /// The device that the folder is on.
  public var device: UInt64 = 0
  /// Folders with files that are being written.
  public var unsettled: Set<[UInt8]> = []
  /// Number of files that were looked at, and of those that were read.
  public var (looked, read) = (0, 0)
  /// Number of files that are new, other than before, or not there any more.
  public var (added, changed, gone) = (0, 0, 0)
  /// Number of files that were known, and of those that are there with the size that they had.
  public var (knew, same) = (0, 0)

  init(_ folder: MusicFolder) { self.folder = folder }

  /// Whether nothing differs from what was known.
  public var isSame: Bool { added == 0 && changed == 0 && gone == 0 }
}
