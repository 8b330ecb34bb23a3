import Timeshift

/// Files that a mount serves on demand, in the place of a stream.
public struct FileSource: Hashable, Sendable {
  /// Path of a folder, or of one file.
  public var root: String
  /// How much of a file is sent as fast as the socket takes it; what follows goes at the speed at which it plays.
  public var throttleBypass: MediaTime

  public static let throttleBypassDefault = MediaTime(seconds: 30)

  /// Returns how many files may be open for listeners, of all that the process may have open.
  public static func openMax(ofOpenFiles files: Int) -> Int { max(16, files / 8) }

  public init(root: String, throttleBypass: MediaTime = Self.throttleBypassDefault) {
    self.root = root
    self.throttleBypass = throttleBypass
  }
}

/// One of the files, as lists show it.
public struct FileEntry: Hashable, Sendable {
  /// Path below the folder; empty where the mount is the file.
  public var path: String
  public var bytes: UInt64
  /// Seconds that the file lasts; nil when its packets have not been counted yet.
  public var seconds: Double?
  /// Type by the packets, where they have been looked at; else by the name.
  public var mediaType: String
  public var modified: WallTime

  public init(
    path: String, bytes: UInt64, seconds: Double?, mediaType: String, modified: WallTime
  ) {
    self.path = path
    self.bytes = bytes
    self.seconds = seconds
    self.mediaType = mediaType
    self.modified = modified
  }
}
