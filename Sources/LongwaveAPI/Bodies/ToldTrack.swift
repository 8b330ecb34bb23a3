import Library
import Longwave

/// A track with what people have said of it, and what was measured.
struct ToldTrack: Sendable {
  var track: LibraryTrack
  var note: TrackNote
  /// Nil where nothing was measured.
  var measure: TrackMeasure?
  /// Nil where it was not played.
  var plays: TrackPlays.Count?

  private static let own: [Shape<ToldTrack>] = [
    Shape("loudness", \.measure?.loudness), Shape("truePeak", \.measure?.truePeak),
    Shape("gain", \.note.gain), Shape("cueIn") { $0.note.cueIn ?? $0.measure?.cueIn },
    Shape("cueOut") { $0.note.cueOut ?? $0.measure?.cueOut }, Shape("excluded", \.note.isExcluded),
    Shape("plays") { $0.plays?.plays ?? 0 }, Shape("lastPlayed", \.plays?.last),
  ]

  /// A track in a list.
  static let listed = LibraryTrack.shape.map { $0.of(\.track) } + own

  /// Appends what `listed` has as text. The track is not copied for each of its members.
  func write(to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "{"))
    LibraryTrack.shape.write(track, to: &bytes)
    Self.own.write(self, to: &bytes)
    bytes[bytes.count - 1] = UInt8(ascii: "}")
  }

  /// A track with its files.
  static let whole = listed + [LibraryTrack.filesShape.of(\.track)]
}
