import Media
import Timeshift
import Wire

/// A file that can be played, as it was when it was looked at.
public struct MusicFile: Hashable, Sendable {
  /// The folder that was looked through, or the file itself.
  public var root: String
  /// The path below the folder; empty where the root is the file.
  public var path: [UInt8]
  public var identity: MediaFile.Identity
  public var key: TrackKey
  public var format: AudioFormat
  public var seconds: Double
  /// Whether the length was counted.
  public var isExact: Bool
  /// The title of its tags, or what its name says.
  public var title: String
  public var artist: String
  public var album: String
  public var year: Int?
  /// Whether its tags were read, or it has none; else the next look asks again.
  public var isRead = true
  /// In memory of its own, since programmes copy files and need none of it; nil: nothing is known.
  private var detailsBox: DetailsBox?

  public init(
    root: String, path: [UInt8], identity: MediaFile.Identity, key: TrackKey, format: AudioFormat,
    seconds: Double = 0, isExact: Bool = false, title: String, artist: String = "",
    album: String = "", year: Int? = nil, details: MusicDetails = MusicDetails()
  ) {
    (self.root, self.path, self.identity, self.key) = (root, path, identity, key)
    (self.format, self.seconds, self.isExact) = (format, seconds, isExact)
    (self.title, self.artist, self.album, self.year) = (title, artist, album, year)
    self.details = details
  }

  /// What listeners and programmes do not need.
  public var details: MusicDetails {
    get { detailsBox?.details ?? MusicDetails() }
    set { detailsBox = newValue == MusicDetails() ? nil : DetailsBox(newValue) }
  }

  /// The path as people read it.
  public var shownPath: String { MusicFolder.shown(path, in: root) }
}

/// What was found in a folder.
public struct MusicFolder: Hashable, Sendable {
  /// A file that cannot be played, and why.
  public struct Refused: Hashable, Sendable {
    public var path: [UInt8]
    public var identity: MediaFile.Identity
    /// In words that follow the file's name.
    public var reason: String
  }

  /// In the order of their paths.
  public internal(set) var files: [MusicFile] = []
  public internal(set) var refused: [Refused] = []
  /// Whether all of it was looked through.
  public internal(set) var isWhole = false
  /// Whether no file is being written.
  public internal(set) var isSettled = true
  /// Why the folder cannot be looked through; nil when it can.
  public internal(set) var problem: String?

  public init() {}

  /// A path in a folder as people read it: bytes that are no text are shown as such.
  public static func shown(_ path: [UInt8], in root: String) -> String {
    LogText.line(path.isEmpty ? root : root + "/" + String(decoding: path, as: UTF8.self))
  }

  /// Returns what was known of a folder that cannot be looked through now.
  public func away(_ problem: String?) -> MusicFolder {
    var folder = self
    folder.problem = problem
    return folder
  }

  /// Leaves out a file that could not be played, until it changes; false if it is not there any more.
  public mutating func refuse(_ file: MusicFile, _ reason: String) -> Bool {
    guard let index = files.firstIndex(where: { $0.path == file.path && $0.key == file.key }) else {
      return false
    }
    let found = files.remove(at: index)
    refused.append(Refused(path: found.path, identity: found.identity, reason: reason))
    return true
  }
}
