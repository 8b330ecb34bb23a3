import Foundation
import Library
import Media
import Settings
import Threads
import Timeshift
import Wire

/// The library as it is told.
package struct LibraryReport: Sendable {
  package var roots: [LibraryRoot] = []
  package var all = LibraryCount()
  /// Tracks whose loudness was measured.
  package var measured = 0
  /// How long searches took.
  package var searches = DurationCounts()
}

package struct LibraryRoot: Sendable {
  var report: RootReport
  /// What the database has of it; nil before it was written.
  var count: RootCount?
}

extension LibraryReport: ShapedObject {
  package static let shape: [Shape<Self>] = [
    Shape("roots", each: \.roots, LibraryRoot.shape), Shape("tracks", \.all.tracks),
    Shape("artists", \.all.artists), Shape("albums", \.all.albums), Shape("measured", \.measured),
  ]
}

extension LibraryRoot {
  /// What a root is at the moment: its own word while it is looked through.
  private static let states = ["ok", "scanning", "suspect", "missing", "unreadable"]

  private var state: String {
    report.lookingAt != nil && report.state.isTrusted ? "scanning" : report.state.rawValue
  }

  private static let scan: [Shape<LookedFolder.Scan>] = [
    Shape("began", \.began), Shape("seconds", \.seconds), Shape("looked", \.looked),
    Shape("read", \.read), Shape("added", \.added), Shape("changed", \.changed),
    Shape("gone", \.gone), Shape("accepted", \.isAccepted),
  ]

  package var id: String { report.root.id }
  package var files: Int { report.files }
  package var missing: Int { count?.missing ?? 0 }
  package var problems: Int { report.problems }
  package var isOK: Bool { report.state.isTrusted }
  package var scanSeconds: Double? { report.scan?.seconds }
  package var scanBegan: WallTime? { report.scan?.began }

  /// The root in a list of folders.
  package var folder: LibraryFolder {
    LibraryFolder(root: report.root.id, path: Array(report.root.path.utf8), files: report.files)
  }

  fileprivate static let shape: [Shape<Self>] = [
    Shape("root", \.report.root.id), Shape("path", \.report.root.path),
    Shape("state", Schema.words(states)) { .string($0.state) }, Shape("reason", \.report.reason),
    Shape("files", \.files), Shape("tracks") { $0.count?.tracks ?? 0 },
    Shape("missing", \.missing), Shape("problems", \.problems),
    Shape("bytes", \.report.bytes), Shape("watched") { $0.report.whyUnwatched == nil },
    Shape("why", \.report.whyUnwatched), Shape("pause", \.report.pause),
    Shape("lookingAt", \.report.lookingAt),
    Shape("scan", Schema.known(scan.schema())) { root in
      root.report.scan.map { scan.json(of: $0) } ?? .null
    },
  ]
}

/// A path as it is told: as text, and whole where it is none.
private struct ToldPath {
  var bytes: [UInt8]

  private var text: String { String(decoding: bytes, as: UTF8.self) }

  static let shape: [Shape<ToldPath>] = [
    Shape("path", \.text),
    Shape("pathBytes") { path -> String? in
      path.text.utf8.elementsEqual(path.bytes) ? nil : Data(path.bytes).base64EncodedString()
    },
  ]
}

extension LibraryTrack {
  /// Kilobits a second, as everywhere; nil where it is unknown.
  private var kilobits: Int? {
    details.bitrate > 0 ? max(1, details.bitrate.saturatingAdd(500) / 1000) : nil
  }

  /// A track in a list. What was said and measured of it are other rows.
  package static let shape: [Shape<LibraryTrack>] = [
    Shape("track", \.key.description), Shape("title", \.title), Shape("artist", \.artist),
    Shape("albumArtist", \.details.albumArtist), Shape("album", \.album),
    Shape("disc", \.details.disc), Shape("number", \.details.number), Shape("year", \.year),
    Shape("genres", \.details.genres), Shape("seconds", \.seconds), Shape("exact", \.isExact),
    Shape("codec") { $0.coding.name(of: $0.format.codec) }, Shape("bitrate", \.kilobits),
    Shape("sampleRate", \.format.sampleRate), Shape("channels", \.format.channels),
    Shape("lyrics", Schema.known(Schema.words(["plain", "timed"]))) { track in
      switch track.details.lyrics {
      case .plain: "plain"
      case .timed: "timed"
      case nil: .null
      }
    },
    Shape("artwork", \.hasPicture), Shape("guessed", \.details.isGuessed),
    Shape("playable") { $0.problem == nil }, Shape("reason", \.problem), Shape("added", \.added),
    Shape("isrc", \.details.isrc), Shape("label", \.details.label),
    Shape("partOf") { $0.whole?.description },
  ]

  package static let filesShape = Shape<LibraryTrack>(
    "files", each: \.files,
    [Shape("root", \.root)] + ToldPath.shape.map { $0.of { ToldPath(bytes: $0.path) } } + [
      Shape("bytes", \.identity.bytes),
      Shape("modified") { WallTime(nanoseconds: $0.identity.modified) },
      Shape("missingSince", \.missingSince), Shape("reason", \.problem),
    ])
}

extension LibraryName {
  package static let artistShape: [Shape<LibraryName>] = [
    Shape("artist", \.name), Shape("albums") { $0.albums ?? 0 }, Shape("tracks", \.tracks),
    Shape("seconds", \.seconds),
  ]
  package static let albumShape: [Shape<LibraryName>] = [
    Shape("album", \.name), Shape("artist") { $0.artist ?? "" }, Shape("year", \.year),
    Shape("tracks", \.tracks), Shape("seconds", \.seconds),
  ]
}

extension LibraryFolder {
  /// Reads a path as answers have it whole; nil of what is no Base64.
  package static func path(inBase64 text: String) -> [UInt8]? {
    Data(base64Encoded: text).map(Array.init)
  }

  package static let shape: [Shape<LibraryFolder>] =
    [Shape("root", \.root)] + ToldPath.shape.map { $0.of { ToldPath(bytes: $0.path) } }
    + [Shape("files", \.files)]
}

extension LibraryProblem {
  package static let shape: [Shape<LibraryProblem>] =
    [Shape("root", \.root)] + ToldPath.shape.map { $0.of { ToldPath(bytes: $0.path) } }
    + [Shape("reason", \.reason)]
}
