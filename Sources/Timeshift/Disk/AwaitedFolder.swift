import Synchronization
import Wire

/// The disk of a log whose folder could not be used yet. Until it is taken, all is in memory.
final class AwaitedFolder: LogDisk {
  let storage: Storage
  /// Set once: when the log goes on in the folder.
  private let taken = AtomicLazyReference<LogStore>()

  init(_ storage: Storage) { self.storage = storage }

  func adopt(_ store: LogStore) { _ = taken.storeIfNil(store) }

  var loader: SegmentLoader { storage.loader }
  var hasFolder: Bool { taken.load() != nil }
  var folderID: LogID? { taken.load()?.folderID }
  var isDisplaced: Bool { taken.load()?.isDisplaced ?? false }
  func published(edge: UInt64) { taken.load()?.published(edge: edge) }
  func isBehind(_ edge: UInt64) -> Bool { taken.load()?.isBehind(edge) ?? false }
  func close() { taken.load()?.close() }
}
