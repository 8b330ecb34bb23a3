import Library
import Settings
import Store
import Synchronization
import Threads
import Wire

/// What people have said of tracks. In memory too, for those that make a programme's shelf.
package final class TrackNotes: Sendable {
  private let store: StationStore
  private let turnstile = Turnstile()
  private let notes = Mutex<[TrackKey: TrackNote]>([:])

  init(_ store: StationStore) { self.store = store }

  /// Tracks that no programme plays.
  var excluded: Set<TrackKey> {
    notes.withLock { notes in Set(notes.lazy.filter(\.value.isExcluded).map(\.key)) }
  }

  /// What programmes play of tracks of which they do not play all.
  var cues: [TrackKey: TrackCue] {
    notes.withLock { $0.compactMapValues(\.cue) }
  }

  subscript(track: TrackKey) -> TrackNote { notes.withLock { $0[track] } ?? TrackNote() }

  func load() async throws(StoreError) {
    let found = try await store.trackNotes()
    notes.withLock { $0 = found }
  }

  /// - Returns: what was said before.
  func change(
    _ track: TrackKey, by change: TrackNote.Change
  ) async throws(RelayError) -> TrackNote {
    // Of two changes at once, neither takes the other one back.
    await turnstile.enter()
    defer { turnstile.leave() }
    let before = self[track]
    let note = before.changed(by: change)
    if note == before { return before }
    try await RelayError.attempt { try await store.keep(note, of: track) }
    notes.withLock { $0[track] = note == TrackNote() ? nil : note }
    return before
  }
}
