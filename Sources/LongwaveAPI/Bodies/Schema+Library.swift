import Library
import Longwave

// Schemas of the music library.
extension Schema {
  static let library: [(name: String, schema: JSON)] = [
    ("Library", LibraryReport.schema),
    ("Scan", object([("root", known(text)), ("accept", known(flag))], needed: [])),
    (
      "LibraryProblems",
      object([("problems", list(LibraryProblem.shape.schema())), ("next", known(text))])
    ),
    (
      "Tracks",
      object([
        ("tracks", list(ToldTrack.listed.schema())), ("total", known(count)),
        ("next", known(text)),
      ])
    ),
    ("Track", ToldTrack.whole.schema()),
    (
      "TrackChange",
      object(
        [
          ("excluded", flag), ("gain", known(number)), ("cueIn", known(number)),
          ("cueOut", known(number)),
        ], needed: [])
    ),
    (
      "Artists",
      object([("artists", list(LibraryName.artistShape.schema())), ("next", known(text))])
    ),
    (
      "Albums", object([("albums", list(LibraryName.albumShape.schema())), ("next", known(text))])
    ),
    (
      "Folders", object([("folders", list(LibraryFolder.shape.schema())), ("next", known(text))])
    ),
  ]
}
