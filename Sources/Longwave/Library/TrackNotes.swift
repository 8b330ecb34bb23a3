import Library
import Settings
import Store
import Synchronization
import Wire

/// What people have said of tracks: which ones no programme plays. In memory too, for whoever makes a programme's shelf.
package final class TrackNotes: Sendable {
  private let store: StationStore
  private let tracks = Mutex<Set<TrackKey>>([])

  init(_ store: StationStore) { self.store = store }

  package var excluded: Set<TrackKey> { tracks.withLock { $0 } }

  func load() async throws(StoreError) {
    let found = try await store.excludedTracks()
    tracks.withLock { $0 = Set(found) }
  }

  /// Keeps a track out of every programme, or lets it in again.
  func exclude(_ track: TrackKey, _ isExcluded: Bool) async throws(RelayError) {
    try await RelayError.attempt { try await store.exclude(track, isExcluded) }
    tracks.withLock { tracks in
      if isExcluded { tracks.insert(track) } else { tracks.remove(track) }
    }
  }
}
