import Synchronization
import Timeshift
import Wire

/// The files of a folder, as they were found.
public struct FileList: Sendable {
  /// Files in order of their paths.
  public var entries: [FileEntry]
  /// Number of the reading: another one each time that a folder is read.
  public var version: UInt64

  public init(entries: [FileEntry], version: UInt64) {
    self.entries = entries
    self.version = version
  }
}

/// Lists of folders, on threads of their own: each folder is read once for all that ask within a few seconds.
final class FileLists: Sendable {
  enum Answer: Sendable {
    case list(FileList)
    /// The folder is not there.
    case missing
    case busy
  }

  /// Time for which a list is told again as it was.
  private static let keptSeconds = 5.0
  /// Bytes of all lists that are kept.
  private static let bytesMax = 32 << 20

  private let cache = SharedCache<String, FileList?>(
    "files.list", keptSeconds: keptSeconds, keptBytesMax: bytesMax
  ) { _, list in
    (list?.entries ?? []).reduce(256) {
      $0 + MemoryLayout<FileEntry>.stride + $1.path.utf8.count
    }
  }
  private let lastVersion = Atomic<UInt64>(0)

  /// How often a folder was read.
  var readings: Int { cache.made }

  /// Returns the files of a folder.
  ///
  /// - Parameters:
  ///   - customer: address that asks; nil for the administration's own socket.
  ///   - read: reads the folder; nil when it is not there.
  func list(
    _ root: String, for customer: AddressBlock?, read: @escaping @Sendable () -> [FileEntry]?
  ) async -> Answer {
    let list = await cache.value(root, for: customer) { () -> FileList? in
      read().map { entries in
        FileList(
          entries: entries, version: self.lastVersion.add(1, ordering: .relaxed).newValue)
      }
    }
    guard let list else { return .busy }
    return list.map { .list($0) } ?? .missing
  }
}
