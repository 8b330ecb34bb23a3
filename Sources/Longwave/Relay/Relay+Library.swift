import Settings
import Wire

extension Relay {
  /// What people have said of a track.
  package nonisolated func note(of track: TrackKey) -> TrackNote { trackNotes[track] }

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
