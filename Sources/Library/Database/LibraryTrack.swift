import Media
import Timeshift
import Wire

/// A piece of audio that the library knows, by its content.
public struct LibraryTrack: Hashable, Sendable {
  public var key: TrackKey
  public var title: String
  public var artist: String
  public var album: String
  public var year: Int?
  public var details: MusicDetails
  public var seconds: Double
  public var isExact: Bool
  public var format: AudioFormat
  public var coding = MusicCoding.packets
  public var added: WallTime
  /// Whether a picture is in a file of it, or beside one.
  public var hasPicture: Bool
  /// Why none of its files can be played; nil where one can.
  public var problem: String?
  /// Its files; empty in lists.
  public var files: [LibraryFile] = []
  /// The track that it is a part of, as a list says; nil of a whole one.
  public var whole: TrackKey?

  /// Returns a part of the track, as a list names it.
  public func part(_ file: MusicFile) -> LibraryTrack {
    var track = self
    (track.key, track.whole) = (file.key, key)
    (track.title, track.artist, track.seconds) = (file.title, file.artist, file.heardSeconds)
    return track
  }
}

/// A file of a track.
public struct LibraryFile: Hashable, Sendable {
  /// The id of the root that it lies in.
  public var root: String
  /// The path below the root.
  public var path: [UInt8]
  public var identity: MediaFile.Identity
  public var picture: MusicDetails.Picture?
  public var missingSince: WallTime?
  /// Why it cannot be played, in words that follow its name.
  public var problem: String?
}

/// What is asked for of the library's tracks.
public struct TrackOrder: Hashable, Sendable {
  public enum Sort: String, CaseIterable, Sendable {
    /// What matches best; without words by artist.
    case rank
    case artist, title
    /// The newest first.
    case added
    /// What was played last first, and what was not at the end.
    case lastPlayed
  }

  public var query: SearchQuery
  /// The id of a root that a file of it has to be in.
  public var root: String?
  public var isPlayable: Bool?
  public var sort = Sort.rank
  public var limit = 100
  /// Where the page before ends.
  public var after: TrackPlace?

  public init(_ query: SearchQuery) { self.query = query }
}

public struct TrackPage: Hashable, Sendable {
  public var tracks: [LibraryTrack]
  /// How many there are in all; nil above `LibraryStore.totalMax`.
  public var total: Int?
  /// What the next page begins behind; nil at the end.
  public var next: TrackPlace?
}

/// A name that tracks have in common: an artist, or an album.
public struct LibraryName: Hashable, Sendable {
  public var name: String
  /// Whose album it is; nil of an artist.
  public var artist: String?
  public var year: Int?
  public var tracks: Int
  /// How many albums an artist has; nil of an album.
  public var albums: Int?
  public var seconds: Double
}

/// A folder below a root, and how many files there are in all of it.
public struct LibraryFolder: Hashable, Sendable {
  public var root: String
  public var path: [UInt8]
  public var files: Int

  public init(root: String, path: [UInt8], files: Int) {
    (self.root, self.path, self.files) = (root, path, files)
  }
}

/// A file that cannot be played, or cannot be read.
public struct LibraryProblem: Hashable, Sendable {
  public var root: String
  public var path: [UInt8]
  public var reason: String
}

/// What a root has, as of the last look.
public struct RootCount: Hashable, Sendable {
  public var tracks = 0
  public var missing = 0

  public init() {}
}

public struct LibraryCount: Hashable, Sendable {
  public var tracks = 0
  public var artists = 0
  public var albums = 0

  public init() {}
}

/// What a look has changed in a root.
public struct LibraryChange: Hashable, Sendable {
  public var added = 0
  public var changed = 0
  public var gone = 0

  public init() {}

  public var isNone: Bool { added == 0 && changed == 0 && gone == 0 }
}

/// Why the library does not answer.
public struct LibraryError: Error, Hashable, Sendable, CustomStringConvertible {
  public var description: String

  public init(_ description: String) { self.description = description }
}
