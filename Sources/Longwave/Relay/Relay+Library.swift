import Settings
import Wire

extension Relay {
  /// What people have said of a track.
  package nonisolated func note(of track: TrackKey) -> TrackNote { trackNotes[track] }

  /// Keeps what people say of a track; it counts from the next item on.
  package func keep(_ note: TrackNote, of track: TrackKey) async throws(RelayError) {
    let wasExcluded = trackNotes[track].isExcluded
    try await trackNotes.keep(note, of: track)
    if note.isExcluded != wasExcluded { await programmes.shelveAgain() }
  }
}
