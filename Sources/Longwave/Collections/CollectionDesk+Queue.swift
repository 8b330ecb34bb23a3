import Library
import Store
import Threads
import Wire

// Music that programmes play besides, whatever their sources have.
extension CollectionDesk {
  /// Returns the tracks of a collection that are there, in its order.
  func tracksThere(in id: String) async throws(RelayError) -> [TrackKey] {
    let all = try await tracks(in: id)
    // Very many tracks are looked up elsewhere.
    return await Blocking.run { [files = index.files] in all.filter { files[$0] != nil } }
  }

  /// Returns the tracks of files by their absolute paths, as far as folders that are looked through have them.
  func tracks(at paths: Set<[UInt8]>) async -> [[UInt8]: TrackKey] {
    if paths.isEmpty { return [:] }
    // All files are looked at.
    return await Blocking.run { [folders] in
      var found: [[UInt8]: TrackKey] = [:]
      for file in folders.values.lazy.flatMap(\.files) {
        let path = file.absolutePath
        if paths.contains(path) { found[path] = file.key }
      }
      return found
    }
  }

  /// Returns those of some tracks that a programme may play besides its own.
  func permitted(_ keys: Set<TrackKey>, isFree: Bool) -> Set<TrackKey> {
    Set(lent(keys, isFree: isFree).files.map(\.key))
  }
}
