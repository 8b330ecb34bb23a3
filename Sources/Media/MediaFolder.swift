import CLinux
import Glibc
import Timeshift

/// Opens and lists files of one folder, and none outside of it, whatever a path says.
public enum MediaFolder {
  public enum Refusal: Error, Hashable, Sendable {
    /// The root, a folder or a single file, cannot be opened; the text says why.
    case rootMissing(String)
    /// The path leads to no file that may be read.
    case notFound
    /// The path leads to a folder.
    case isFolder
    /// Descriptors or memory are short; a later attempt may succeed.
    case busy
  }

  /// One listed file.
  public struct Entry: Hashable, Sendable {
    /// The path below the folder; empty if the root is the file itself.
    public var path: String
    public var identity: MediaFile.Identity
  }

  private static let fileFlags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
  private static let folderFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC

  /// Opens the file at `path` below `root`, or `root` itself if `path` is empty. Blocks.
  ///
  /// - Parameters:
  ///   - hidden: the folder of the relay's own files; those are never opened.
  ///   - withoutOpenat2: opens as on a kernel before 5.6.
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
    guard path.isEmpty || isPlain(path) else { throw .notFound }
    return try open(bytes: Array(path.utf8), in: root, withoutOpenat2: withoutOpenat2)
  }

  /// Opens the file whose path below `root` has these bytes, or `root` itself without any. Blocks.
  package static func open(
    bytes path: [UInt8], in root: String, withoutOpenat2: Bool = false
  ) throws(Refusal) -> MediaFile {
    if path.isEmpty { return try openRoot(root) }
    let parts = path.split(separator: UInt8(ascii: "/"))
    guard !path.contains(0), !parts.contains([UInt8(ascii: "."), UInt8(ascii: ".")]) else {
      throw .notFound
    }
    let folder = Glibc.open(root, folderFlags)
    guard folder >= 0 else {
      throw errno == ENOTDIR ? .notFound : rootRefusal(root)
    }
    defer { close(folder) }
    let descriptor = descriptor(of: path, beneath: folder, withoutOpenat2: withoutOpenat2)
    guard descriptor >= 0 else { throw refusal(errno) }
    guard let file = MediaFile(taking: descriptor) else { throw .notFound }
    return file
  }

  /// Opens a file below an open folder, by way of nothing that leads out of it; -1 with `errno` when that fails.
  package static func descriptor(
    of path: [UInt8], beneath folder: Int32, withoutOpenat2: Bool = false
  ) -> Int32 {
    if !withoutOpenat2 {
      let descriptor = withCString(path) { linux_open_beneath(folder, $0, fileFlags) }
      // Sandboxes answer EPERM to calls that they do not know.
      if descriptor >= 0 || (errno != ENOSYS && errno != EPERM) { return descriptor }
    }
    return openByParts(path, in: folder)
  }

  private static func withCString(
    _ bytes: some Sequence<UInt8>, _ call: (UnsafePointer<CChar>) -> Int32
  ) -> Int32 {
    (bytes.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { call($0.baseAddress!) }
  }

  /// Whether a path stays below the folder: no hidden names, no `..`, no control characters.
  static func isPlain(_ path: String) -> Bool {
    !path.utf8.contains(where: { $0 < 32 || $0 == 127 })
      && path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        .allSatisfy { !$0.isEmpty && $0.first != UInt8(ascii: ".") }
  }

  /// Opens folder by folder without following links, since links' targets cannot be checked.
  private static func openByParts(_ path: [UInt8], in folder: Int32) -> Int32 {
    let parts = path.split(separator: UInt8(ascii: "/"))
    var current = dup(folder)
    for (index, part) in parts.enumerated() where current >= 0 {
      let flags = index == parts.count - 1 ? fileFlags : folderFlags
      let next = withCString(part) { openat(current, $0, flags | O_NOFOLLOW) }
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

  /// Lists the files below `root` whose names `isWanted` accepts, sorted by path, without links. Blocks.
  public static func list(
    _ root: String, hidden: PrivateFolder? = nil, isWanted: (String) -> Bool
  ) throws(Refusal) -> [Entry] {
    var walk = MediaWalk(hidden: hidden, until: MonotonicTime.now().nanoseconds + listNanoseconds)
    return try list(root, &walk, isWanted)
  }

  /// The longest time for listing, 5 s; a slow folder is listed as far as it was read.
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
    walk.collect(folder, real: real, isWanted)
    return walk.entries.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
  }

  /// A file of any name below a folder.
  package struct Found: Hashable, Sendable {
    /// The path below the folder; empty if the root is the file itself.
    package var path: [UInt8]
    package var identity: MediaFile.Identity

    package init(path: [UInt8], identity: MediaFile.Identity) {
      (self.path, self.identity) = (path, identity)
    }
  }

  /// Returns the regular file at a path below a folder. Blocks.
  ///
  /// - Parameter hidden: the folder of the relay's own files; those are not found.
  package static func found(
    _ path: [UInt8], in root: String, hidden: PrivateFolder? = nil
  ) throws(Refusal) -> Found {
    let file = try open(bytes: path, in: root)
    if hidden?.holds(file.descriptor) == true { throw .notFound }
    return Found(path: path, identity: file.identity)
  }
}

extension MediaFolder.Refusal {
  /// Why, in words that follow a name.
  package var words: String {
    switch self {
    case .rootMissing(let reason): reason
    case .notFound: "it is gone, or no regular file"
    case .isFolder: "it is a folder"
    case .busy: "too many files are open"
    }
  }
}
