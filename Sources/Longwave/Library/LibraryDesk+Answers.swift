import Library
import Media
import Server
import Settings
import Synchronization
import Threads
import Timeshift
import Wire

// What the interface asks. Nothing here waits for the desk: scans and searches go on beside each other.
extension LibraryDesk {
  /// Returns the roots as they are now, and what there is in all.
  package nonisolated func report() async -> LibraryReport {
    let figures = figures
    return LibraryReport(
      roots: await music.roots.map { LibraryRoot(report: $0, count: figures.roots[$0.root.id]) },
      all: figures.all, measured: measures.count, searches: figures.searches)
  }

  /// Looks through a root now, or through all.
  ///
  /// - Parameter accepts: whether what is found counts, even if much is gone that was known.
  package nonisolated func scan(_ root: String?, accepts: Bool) async throws(RelayError) {
    guard await music.scan(root, accepts: accepts) else {
      throw .unknownRoot(root ?? "")
    }
  }

  /// What was measured of a track; nil where nothing was.
  package nonisolated func measure(of key: TrackKey) -> TrackMeasure? { measures[key] }

  /// How often a track was played, and when last; nil where it was not.
  package nonisolated func plays(of key: TrackKey) -> TrackPlays.Count? { store.plays[key] }

  package nonisolated func track(
    _ key: TrackKey, for origin: Peer
  ) async throws(RelayError) -> LibraryTrack {
    if let track = try await found(key, for: origin) { return track }
    guard let part = await part(key), let whole = try await found(part.wholeKey, for: origin)
    else { throw .unknownTrack(key.description) }
    return whole.part(part)
  }

  private nonisolated func found(
    _ key: TrackKey, for origin: Peer
  ) async throws(RelayError) -> LibraryTrack? {
    try await questions.ask(store, for: origin) { store throws(LibraryError) in
      try store.track(key)
    }
  }

  /// Returns what the database answers to a question of tracks or lists.
  package nonisolated func list<Value: Sendable>(
    for origin: Peer, _ work: @escaping @Sendable (LibraryStore) throws(LibraryError) -> Value
  ) async throws(RelayError) -> Value {
    let answer = try await questions.ask(store, for: origin, work)
    // A database that was made anew meanwhile has nothing yet.
    if asked.exchange(store.generation, ordering: .relaxed) != store.generation {
      Task { await writeAll() }
    }
    return answer
  }

  /// Throws `unknownRoot`.
  package nonisolated func requireRoot(_ id: String) async throws(RelayError) {
    if await music.rootFolders[id] == nil { throw .unknownRoot(id) }
  }

  /// Returns the root in which an absolute path lies, where that is, and the path below it; nil where it lies in none.
  package nonisolated func place(
    of written: [UInt8]
  ) async -> (root: String, folder: [UInt8], path: [UInt8])? {
    guard written.first == UInt8(ascii: "/") else { return nil }
    let path = PathText.resolved(written, in: [])
    for (id, folder) in await music.rootFolders {
      let root = Array(folder.utf8)
      if path == root { return (id, root, []) }
      if let below = PathText.below(root, path) { return (id, root, Array(below)) }
    }
    return nil
  }

  /// Returns a file of a track that is there, as it can be sent.
  package nonisolated func audio(
    of key: TrackKey, for origin: Peer
  ) async throws(RelayError) -> FileOrder {
    let found = try await firstCopy(of: key, for: origin) { file, folder in
      (try? MediaFolder.open(bytes: file.path, in: folder)) == nil ? nil : (file.path, folder)
    }
    guard let (path, folder) = found else { throw .trackGone(key.description) }
    let name = path.split(separator: UInt8(ascii: "/")).last ?? []
    return FileOrder(
      folder: folder, path: path,
      savedName: LogText.line(String(decoding: name, as: UTF8.self)))
  }

  /// Returns the picture of a track: the one in a file of it, else one that lies beside a file.
  package nonisolated func artwork(
    of key: TrackKey, for origin: Peer
  ) async throws(RelayError) -> TrackPicture {
    let found = try await firstCopy(of: key, for: origin) { TrackPicture(of: $0, in: $1) }
    guard let found else { throw .noTrackArtwork(key.description) }
    return found
  }

  /// Returns what the first of a track's files has that has it; nil where none does. A root may be away, or gone, or its
  /// disk silent, while there is another copy elsewhere.
  private nonisolated func firstCopy<Value: Sendable>(
    of key: TrackKey, for origin: Peer,
    _ look: @escaping @Sendable (LibraryFile, _ folder: String) -> Value?
  ) async throws(RelayError) -> Value? {
    let track = try await track(key, for: origin)
    let folders = await music.rootFolders
    var silent: String?
    for file in track.files where file.missingSince == nil {
      guard let folder = folders[file.root] else { continue }
      let found = silent == folder ? nil : await questions.look(in: folder) { look(file, folder) }
      switch found {
      case .some(.some(let value)): return value
      case .some(nil): continue
      case nil: silent = folder
      }
    }
    if let silent { throw .silentDisk("the disk of \(silent) does not answer") }
    return nil
  }
}
