import Library
import Longwave

/// A track with what people have said of it.
struct ToldTrack: Sendable {
  var track: LibraryTrack
  var isExcluded: Bool

  static func shape(hasFiles: Bool) -> [Shape<ToldTrack>] {
    LibraryTrack.shape.map { $0.of(\.track) } + [Shape("excluded", \.isExcluded)]
      + (hasFiles ? [LibraryTrack.filesShape.of(\.track)] : [])
  }
}
