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
  /// As it is heard.
  public var format: AudioFormat
  /// What its audio is to a decoder.
  public var coding = MusicCoding.packets
  /// How long all of it is.
  public var seconds: Double
  /// What is played of it; nil: all.
  public var cue: TrackCue?
  /// Whether the length was counted.
  public var isExact: Bool
  /// The title of its tags, or what its name says.
  public var title: String
  public var artist: String
  public var album: String
  public var year: Int?
  /// Whether its tags were read, or it has none; else the next look asks again.
  public var isRead = true
  /// Whether a picture lies beside it, as `CoverNames` says.
  public var hasCover = false
  /// In memory of its own, since programmes copy files and need none of it; nil: nothing is known.
  private var detailsBox: DetailsBox?
  /// How loud it is, as its tags say.
  public var levels = TrackGain()

  public init(
    root: String, path: [UInt8], identity: MediaFile.Identity, key: TrackKey, format: AudioFormat,
    seconds: Double = 0, isExact: Bool = false, title: String, artist: String = "",
    album: String = "", year: Int? = nil, details: MusicDetails = MusicDetails(),
    levels: TrackGain = TrackGain()
  ) {
    (self.root, self.path, self.identity, self.key) = (root, path, identity, key)
    (self.format, self.seconds, self.isExact) = (format, seconds, isExact)
    (self.title, self.artist, self.album, self.year) = (title, artist, album, year)
    self.levels = levels
    self.details = details
  }

  /// What listeners and programmes do not need.
  public var details: MusicDetails {
    get { detailsBox?.details ?? MusicDetails() }
    set { detailsBox = newValue == MusicDetails() ? nil : DetailsBox(newValue) }
  }

  /// The track that all of the file is: of one of which a list names a part, which is a track by itself.
  public var whole: TrackKey?

  /// The track that all of the file is.
  public var wholeKey: TrackKey { whole ?? key }

  /// How long what is played of it is.
  public var heardSeconds: Double { cue?.seconds(of: seconds, isExact: isExact) ?? seconds }

  /// The path as people read it.
  public var shownPath: String { MusicFolder.shown(path, in: root) }
}

/// What was found in a folder.
public struct MusicFolder: Hashable, Sendable {
  /// A file that cannot be played, and why.
  public struct Refused: Hashable, Sendable {
    /// The path below the folder.
    public var path: [UInt8]
    public var identity: MediaFile.Identity
    /// In words that follow the file's name.
    public var reason: String
    /// Whether each look tries it again, since not the file is to blame.
    public var isTriedAgain = false

    public init(
      path: [UInt8], identity: MediaFile.Identity, reason: String, isTriedAgain: Bool = false
    ) {
      (self.path, self.identity, self.reason) = (path, identity, reason)
      self.isTriedAgain = isTriedAgain
    }
  }

  /// The folder that was looked through, or one file.
  public let root: String
  public internal(set) var files: MusicFiles
  /// In the order of their paths.
  public internal(set) var refused: [Refused]
  /// Whether all of it was looked through.
  public internal(set) var isWhole = false
  /// Number of files that were looked at so far, while nothing is known.
  public var lookedSoFar = 0
  /// Why the folder is not looked through, or what is found in it not believed; nil when it is. With a reason, what is
  /// missing in `files` may be there all the same.
  public internal(set) var problem: String?

  /// - Parameter isWhole: whether that is all.
  public init(
    _ root: String, files: some Sequence<MusicFile> = [], refused: [Refused] = [],
    isWhole: Bool = false
  ) {
    (self.root, self.files, self.isWhole) = (root, MusicFiles(files), isWhole)
    self.refused = refused.sorted { PathOrder.precedes($0.path, $1.path) }
  }

  /// A path in a folder as people read it: bytes that are no text are shown as such.
  public static func shown(_ path: [UInt8], in root: String) -> String {
    LogText.line(path.isEmpty ? root : root + "/" + String(decoding: path, as: UTF8.self))
  }

  /// Returns what was known of a folder that cannot be looked through now, or is not believed.
  public func away(_ problem: String?) -> MusicFolder {
    var folder = self
    folder.problem = problem
    return folder
  }

  /// Returns what lies below a folder in it; all for the empty path.
  public func part(_ path: [UInt8]) -> MusicFolder {
    if path.isEmpty { return self }
    var folder = self
    folder.files = files.below(path)
    folder.refused = refused.filter { PathOrder.isBelow($0.path, path) }
    return folder
  }

  /// Leaves out a file that could not be played, until it changes; false if it is not there any more.
  public mutating func refuse(_ file: MusicFile, _ reason: String) -> Bool {
    guard let place = files.place(of: file.path), files[place].key == file.key else { return false }
    let found = files.remove(at: place)
    refused.append(Refused(path: found.path, identity: found.identity, reason: reason))
    refused.sort { PathOrder.precedes($0.path, $1.path) }
    return true
  }
}
