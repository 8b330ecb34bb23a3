import CLinux
import Glibc

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

  /// More than so many files are not listed.
  public static let entriesMax = 10_000
  private static let depthMax = 16

  private static let fileFlags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
  private static let folderFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC

  /// Blocks: opens the file at `path` below `root`, or `root` itself where `path` is empty.
  ///
  /// - Parameter withoutOpenat2: as a kernel before 5.6 has to do it.
  public static func open(
    _ path: String, in root: String, withoutOpenat2: Bool = false
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

  /// Below the folder, without names that are hidden or mean another place.
  static func isPlain(_ path: String) -> Bool {
    !path.utf8.contains(0)
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
    [EMFILE, ENFILE, ENOMEM, EAGAIN].contains(code) ? .busy : .notFound
  }

  // MARK: Listing

  /// Blocks: the files below `root` whose names `isWanted` takes, in order of their paths; links are left out.
  public static func list(
    _ root: String, isWanted: (String) -> Bool
  ) throws(Refusal) -> [Entry] {
    let folder = Glibc.open(root, folderFlags)
    guard folder >= 0 else {
      if errno == ENOTDIR { return [Entry(path: "", identity: try openRoot(root).identity)] }
      throw rootRefusal(root)
    }
    var entries: [Entry] = []
    collect(folder, "", depth: 0, isWanted, &entries)
    return entries.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
  }

  /// Takes the descriptor.
  private static func collect(
    _ folder: Int32, _ prefix: String, depth: Int, _ isWanted: (String) -> Bool,
    _ entries: inout [Entry]
  ) {
    guard let directory = fdopendir(folder) else {
      close(folder)
      return
    }
    defer { closedir(directory) }
    while entries.count < entriesMax, let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(validating: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard let name, isPlain(name) else { continue }
      var status = stat()
      guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFREG, isWanted(name) {
        entries.append(Entry(path: prefix + name, identity: .init(status)))
      } else if status.st_mode & S_IFMT == S_IFDIR, depth < depthMax {
        let below = openat(folder, name, folderFlags | O_NOFOLLOW)
        if below >= 0 { collect(below, prefix + name + "/", depth: depth + 1, isWanted, &entries) }
      }
    }
  }
}
