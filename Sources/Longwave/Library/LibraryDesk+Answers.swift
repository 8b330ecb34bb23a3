import Library
import Media
import Server
import Settings
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

  package nonisolated func tracks(
    _ order: TrackOrder, for origin: Peer
  ) async throws(RelayError) -> TrackPage {
    let page = try await questions.ask(store, for: origin) { store throws(LibraryError) in
      try store.tracks(order)
    }
    guard let page else { throw .badField("after", "is no track; take the answer's next") }
    return page
  }

  /// What was measured of a track; nil where nothing was.
  package nonisolated func measure(of key: TrackKey) -> TrackMeasure? { measures[key] }

  package nonisolated func track(
    _ key: TrackKey, for origin: Peer
  ) async throws(RelayError) -> LibraryTrack {
    let track = try await questions.ask(store, for: origin) { store throws(LibraryError) in
      try store.track(key)
    }
    guard let track else { throw .unknownTrack(key.description) }
    return track
  }

  /// Returns what the database answers to a question of lists.
  package nonisolated func list<Value: Sendable>(
    for origin: Peer, _ work: @escaping @Sendable (LibraryStore) throws(LibraryError) -> Value
  ) async throws(RelayError) -> Value {
    try await questions.ask(store, for: origin, work)
  }

  /// Returns where a root lies; throws `unknownRoot`.
  package nonisolated func folder(of root: String) async throws(RelayError) -> String {
    guard let report = await music.roots.first(where: { $0.root.id == root }) else {
      throw .unknownRoot(root)
    }
    return report.root.path
  }

  /// Returns the root in which an absolute path lies, and the path below it; nil where it lies in none.
  package nonisolated func place(of path: String) async -> (root: String, path: [UInt8])? {
    let parts = path.utf8.split(separator: UInt8(ascii: "/")).map(Array.init)
    guard path.utf8.first == UInt8(ascii: "/"), !parts.contains(Array("..".utf8)) else {
      return nil
    }
    for report in await music.roots {
      let root = report.root.path.utf8.split(separator: UInt8(ascii: "/")).map(Array.init)
      guard parts.starts(with: root) else { continue }
      let below = parts.dropFirst(root.count).joined(separator: [UInt8(ascii: "/")])
      return (report.root.id, Array(below))
    }
    return nil
  }

  /// Returns a file of a track that is there, as it can be sent.
  package nonisolated func audio(
    of key: TrackKey, for origin: Peer
  ) async throws(RelayError) -> FileOrder {
    let track = try await track(key, for: origin)
    for file in track.files where file.missingSince == nil {
      let folder = try await folder(of: file.root)
      // A root may be away, and have another copy elsewhere.
      let isThere = await turns.run(in: folder, within: 5) {
        (try? MediaFolder.open(bytes: file.path, in: folder)) != nil
      }
      guard isThere == true else { continue }
      let name = file.path.split(separator: UInt8(ascii: "/")).last ?? []
      return FileOrder(
        folder: folder, path: file.path,
        savedName: LogText.line(String(decoding: name, as: UTF8.self)))
    }
    throw .trackGone(key.description)
  }

  /// Returns the picture of a track: the one in a file of it, else one that lies beside a file.
  package nonisolated func artwork(
    of key: TrackKey, for origin: Peer
  ) async throws(RelayError) -> TrackPicture {
    let track = try await track(key, for: origin)
    for file in track.files where file.missingSince == nil {
      let folder = try await folder(of: file.root)
      let found = await turns.run(in: folder, within: 5) { TrackPicture(of: file, in: folder) }
      guard let found else { throw .silentDisk("the disk of \(folder) does not answer") }
      if let found { return found }
    }
    throw .noTrackArtwork(key.description)
  }
}
