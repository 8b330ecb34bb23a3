import Library
import Settings
import Wire

extension Relay {
  /// What people have said of a track.
  package nonisolated func note(of track: TrackKey) -> TrackNote { trackNotes[track] }

  /// What counts of a track: for a part of a file also what people say of the whole file.
  package nonisolated func note(of track: LibraryTrack) -> TrackNote {
    var note = trackNotes[track.key]
    if let whole = track.whole.map({ trackNotes[$0] }) {
      note.isExcluded = note.isExcluded || whole.isExcluded
      note.gain = note.gain ?? whole.gain
    }
    return note
  }

  /// Keeps what people say of a track; it counts from the next item on.
  package func change(
    _ track: TrackKey, by change: TrackNote.Change
  ) async throws(RelayError) {
    let before = try await trackNotes.change(track, by: change)
    let after = before.changed(by: change)
    if after.isExcluded != before.isExcluded || after.cue != before.cue {
      await programmes.shelveAgain()
    }
  }
}
