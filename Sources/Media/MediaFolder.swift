import CLinux
import Glibc
import Timeshift

/// Opens and lists what is in a folder, and nothing else, whatever a path says.
public enum MediaFolder {
  public enum Refusal: Error, Hashable, Sendable {
    /// The folder itself, or the file that stands in its place.
    case rootMissing(String)
    /// The path means nothing that may be read.
    case notFound
    /// A folder is no file.
    case isFolder
    /// Out of descriptors or memory: it passes.
    case busy
  }

  /// One file of a list.
  public struct Entry: Hashable, Sendable {
    /// Below the folder; empty where the root is the file.
    public var path: String
    public var identity: MediaFile.Identity
  }

  private static let fileFlags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
  private static let folderFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC

  /// Blocks: opens the file at `path` below `root`, or `root` itself where `path` is empty.
  ///
  /// - Parameters:
  ///   - hidden: what of it is not there for anybody.
  ///   - withoutOpenat2: as a kernel before 5.6 has to do it.
  public static func open(
    _ path: String, in root: String, hidden: PrivateFolder? = nil, withoutOpenat2: Bool = false
  ) throws(Refusal) -> MediaFile {
    let file = try open(path, in: root, withoutOpenat2)
    if let hidden, let real = PrivateFolder.real(of: file.descriptor), hidden.holds(real) {
      throw .notFound
    }
    return file
  }

  private static func open(
    _ path: String, in root: String, _ withoutOpenat2: Bool
  ) throws(Refusal) -> MediaFile {
    if path.isEmpty { return try openRoot(root) }
    guard isPlain(path) else { throw .notFound }
    let folder = Glibc.open(root, folderFlags)
    guard folder >= 0 else {
      throw errno == ENOTDIR ? .notFound : rootRefusal(root)
    }
    defer { close(folder) }
    var descriptor: Int32 = -1
    var code = ENOSYS
    if !withoutOpenat2 {
      descriptor = linux_open_beneath(folder, path, fileFlags)
      code = errno
    }
    // Sandboxes say EPERM to calls they do not know.
    if descriptor < 0, code == ENOSYS || code == EPERM {
      descriptor = openByParts(path, in: folder)
      code = errno
    }
    guard descriptor >= 0 else { throw refusal(code) }
    guard let file = MediaFile(taking: descriptor) else { throw .notFound }
    return file
  }

  /// Below the folder, without names that are hidden or mean another place, or that no request can have in its path.
  static func isPlain(_ path: String) -> Bool {
    !path.utf8.contains(where: { $0 < 32 || $0 == 127 })
      && path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        .allSatisfy { !$0.isEmpty && $0.first != UInt8(ascii: ".") }
  }

  /// Without links, since where they lead cannot be checked.
  private static func openByParts(_ path: String, in folder: Int32) -> Int32 {
    let parts = path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
    var current = dup(folder)
    for (index, part) in parts.enumerated() where current >= 0 {
      let flags = index == parts.count - 1 ? fileFlags : folderFlags
      let next = openat(current, part, flags | O_NOFOLLOW)
      let code = errno
      close(current)
      errno = code
      current = next
    }
    return current
  }

  private static func openRoot(_ root: String) throws(Refusal) -> MediaFile {
    let descriptor = Glibc.open(root, fileFlags)
    guard descriptor >= 0 else { throw rootRefusal(root) }
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      close(descriptor)
      throw .isFolder
    }
    guard let file = MediaFile(taking: descriptor) else { throw .rootMissing("\(root) is no file") }
    return file
  }

  private static func rootRefusal(_ root: String) -> Refusal {
    let code = errno
    if case .busy = refusal(code) { return .busy }
    return .rootMissing("\(root): \(String(cString: strerror(code)))")
  }

  private static func refusal(_ code: Int32) -> Refusal {
    Shortage.codes.contains(code) ? .busy : .notFound
  }

  // MARK: Listing

  /// Blocks: the files below `root` whose names `isWanted` takes, in order of their paths; links are left out.
  public static func list(
    _ root: String, hidden: PrivateFolder? = nil, isWanted: (String) -> Bool
  ) throws(Refusal) -> [Entry] {
    var walk = MediaWalk(hidden: hidden, until: MonotonicTime.now().nanoseconds + listNanoseconds)
    return try list(root, &walk, isWanted)
  }

  /// A folder on a slow disk is listed as far as it was read in so long.
  private static let listNanoseconds: Int64 = 5_000_000_000

  static func list(
    _ root: String, _ walk: inout MediaWalk, _ isWanted: (String) -> Bool
  ) throws(Refusal) -> [Entry] {
    let folder = Glibc.open(root, folderFlags)
    guard folder >= 0 else {
      if errno == ENOTDIR { return [Entry(path: "", identity: try openRoot(root).identity)] }
      throw rootRefusal(root)
    }
    let real = PrivateFolder.real(of: folder)
    walk.collect(folder, "", real: real, depth: 0, isWanted)
    return walk.entries.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
  }

  /// Takes no link for a folder.
  static func openFolder(_ name: String, in folder: Int32) -> Int32 {
    openat(folder, name, folderFlags | O_NOFOLLOW)
  }
}
