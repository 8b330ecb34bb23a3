import Settings
import Wire

extension Relay {
  /// Tracks that no programme plays.
  package nonisolated var excluded: Set<TrackKey> { trackNotes.excluded }

  /// Keeps a track out of every programme, or lets it in again, from the next item on.
  package func exclude(_ track: TrackKey, _ isExcluded: Bool) async throws(RelayError) {
    try await trackNotes.exclude(track, isExcluded)
    await programmes.shelveAgain()
  }
}
