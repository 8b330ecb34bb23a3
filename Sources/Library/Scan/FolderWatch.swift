import CLinux
import Glibc
import Synchronization
import Threads
import Timeshift

/// Hears from the kernel which folders have changed (inotify(7)).
///
/// Folders are watched, not files: a watch on a file ends with the first program that writes it anew under its name. One
/// thread waits for the kernel, and for nothing else. Changes are gathered until they are taken.
public final class FolderWatch: Sendable {
  /// What has changed since it was taken last.
  public struct Changes: Hashable, Sendable {
    /// Folders in which something has changed, by their root.
    public internal(set) var folders: [String: Set<[UInt8]>] = [:]
    /// Roots of which more has changed than is told: they are to be looked through.
    public internal(set) var lost: Set<String> = []
    /// Whether changes came faster than they were read.
    public internal(set) var hasOverflowed = false

    var isEmpty: Bool { folders.isEmpty && lost.isEmpty && !hasOverflowed }
  }

  /// Why a folder is not watched, in words for people, with what helps.
  public struct Refusal: Error, Hashable, Sendable {
    public var words: String
  }

  private struct Place: Hashable {
    var root: String
    var folder: [UInt8]
  }

  private struct State {
    /// The places of each watch: a folder that is seen in several has one watch.
    private(set) var places: [Int32: [Place]] = [:]
    /// The watches of each root's folders.
    private(set) var watches: [String: [[UInt8]: Int32]] = [:]
    var changes = Changes()
    var isOver = false

    /// Adds a place; returns a watch that has none any more.
    mutating func add(_ place: Place, _ watch: Int32) -> Int32? {
      if watches[place.root]?[place.folder] == watch { return nil }
      let before = remove(place)
      places[watch, default: []].append(place)
      watches[place.root, default: [:]][place.folder] = watch
      return before
    }

    /// Removes a place; returns a watch that has none any more.
    mutating func remove(_ place: Place) -> Int32? {
      guard let watch = watches[place.root]?.removeValue(forKey: place.folder) else { return nil }
      places[watch]?.removeAll { $0 == place }
      guard places[watch]?.isEmpty ?? true else { return nil }
      places[watch] = nil
      return watch
    }

    /// Notes that something has changed in a folder; nil: in more than is told.
    mutating func note(_ folder: [UInt8]?, in root: String) {
      if let folder { changes.folders[root, default: []].insert(folder) }
      guard folder == nil || changes.folders[root]?.count ?? 0 > FolderWatch.foldersMax else {
        return
      }
      changes.folders[root] = nil
      changes.lost.insert(root)
    }

    mutating func forget(_ root: String) {
      watches[root] = nil
      changes.folders[root] = nil
      changes.lost.remove(root)
    }
  }

  /// Folders of a root that changed and are remembered one by one; with more, the root is looked through.
  private static let foldersMax = 1000
  private static let mask = UInt32(
    IN_CREATE | IN_DELETE | IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB
      | IN_DELETE_SELF
      | IN_MOVE_SELF | IN_ONLYDIR | IN_EXCL_UNLINK)

  /// Open as long as the watch or its thread is there.
  private final class Descriptors: Sendable {
    let events: Int32
    /// Wakes the thread for its end.
    let ending: Int32

    init() throws(Refusal) {
      events = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
      guard events >= 0 else { throw FolderWatch.refusal(errno) }
      ending = eventfd(0, Int32(EFD_CLOEXEC))
      guard ending >= 0 else {
        let code = errno
        close(events)
        throw FolderWatch.refusal(code)
      }
    }

    deinit {
      close(events)
      close(ending)
    }
  }

  private let descriptors: Descriptors
  private let state = Mutex(State())
  private let isWanted: @Sendable (_ name: [UInt8], _ isFolder: Bool) -> Bool
  private let tell: @Sendable () -> Void

  /// - Parameters:
  ///   - isWanted: whether a file or folder of a name is of interest.
  ///   - tell: called on the watch's thread when there are changes and were none.
  public init(
    isWanted: @escaping @Sendable (_ name: [UInt8], _ isFolder: Bool) -> Bool,
    tell: @escaping @Sendable () -> Void
  ) throws(Refusal) {
    (self.isWanted, self.tell) = (isWanted, tell)
    descriptors = try Descriptors()
    let isStarted = SystemThread.start("watch") { [weak self, descriptors] in
      Self.wait(descriptors) { bytes in self?.note(bytes) }
    }
    if !isStarted { throw Refusal(words: "the system gives no thread for it") }
  }

  deinit { end() }

  /// Ends the thread and all watches.
  public func end() {
    let isFirst = state.withLock { state in
      defer { state = State(isOver: true) }
      return !state.isOver
    }
    if isFirst { _ = eventfd_write(descriptors.ending, 1) }
  }

  // MARK: Watches

  /// Watches a folder; one that is watched already stays so. Blocks as long as the folder's disk does.
  ///
  /// - Parameter folder: its path below the root; empty for the root itself.
  public func add(_ folder: [UInt8], in root: String) throws(Refusal) {
    let path = Array(root.utf8) + (folder.isEmpty ? [] : [PathOrder.slash] + folder) + [0]
    let mask = folder.isEmpty ? Self.mask : Self.mask | UInt32(IN_DONT_FOLLOW)
    if state.withLock({ $0.isOver }) { return }
    let watch = path.withUnsafeBufferPointer {
      $0.withMemoryRebound(to: CChar.self) {
        inotify_add_watch(descriptors.events, $0.baseAddress!, mask)
      }
    }
    guard watch >= 0 else {
      // What is gone by now, or closed to this user, is told by the folder above it.
      if [ENOSPC, ENOMEM].contains(errno) { throw Self.refusal(errno) }
      return
    }
    let left = state.withLock { $0.add(Place(root: root, folder: folder), watch) }
    if let left { _ = inotify_rm_watch(descriptors.events, left) }
  }

  public func isWatching(_ folder: [UInt8], in root: String) -> Bool {
    state.withLock { $0.watches[root]?[folder] != nil }
  }

  /// Number of folders that are watched.
  public func count(in root: String) -> Int { state.withLock { $0.watches[root]?.count ?? 0 } }

  /// Ends the watches of a root.
  public func leave(_ root: String) {
    leave([], in: root)
    state.withLock { $0.forget(root) }
  }

  /// Ends the watches of a folder that has left its place, and of those in it.
  ///
  /// - Parameter isEmpty: whether no folder is in it: what is deleted has none.
  private func leave(_ folder: [UInt8], in root: String, isEmpty: Bool = false) {
    let left = state.withLock { state in
      let all = state.watches[root] ?? [:]
      let left =
        isEmpty ? [folder] : all.keys.filter { $0 == folder || PathOrder.isBelow($0, folder) }
      return left.compactMap { state.remove(Place(root: root, folder: $0)) }
    }
    for watch in left { _ = inotify_rm_watch(descriptors.events, watch) }
  }

  /// Returns what has changed since the last call.
  public func takeChanges() -> Changes {
    state.withLock { state in
      defer { state.changes = Changes() }
      return state.changes
    }
  }

  // MARK: The thread

  private static let bytesMax = 64 << 10

  /// Reads events until the end.
  private static func wait(_ descriptors: Descriptors, _ note: ([UInt8]) -> Void) {
    var waits = [
      pollfd(fd: descriptors.events, events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptors.ending, events: Int16(POLLIN), revents: 0),
    ]
    var buffer = [UInt8](repeating: 0, count: bytesMax)
    while true {
      let count = poll(&waits, 2, -1)
      if count < 0, errno == EINTR { continue }
      if count < 0 || waits[1].revents != 0 { return }
      let bytes = read(descriptors.events, &buffer, buffer.count)
      if bytes > 0 { note(Array(buffer[..<bytes])) }
    }
  }

  private func note(_ bytes: [UInt8]) {
    var left: [(place: Place, isDeleted: Bool)] = []
    let isNew = state.withLock { state in
      let hadNone = state.changes.isEmpty
      for event in FolderEvent.events(in: bytes) { note(event, &state, &left) }
      return hadNone && !state.changes.isEmpty
    }
    for (place, isDeleted) in left { leave(place.folder, in: place.root, isEmpty: isDeleted) }
    if isNew { tell() }
  }

  private func note(
    _ event: FolderEvent, _ state: inout State, _ left: inout [(place: Place, isDeleted: Bool)]
  ) {
    if event.has(IN_Q_OVERFLOW) {
      state.changes.hasOverflowed = true
      state.changes.lost.formUnion(state.watches.keys)
      return
    }
    for place in state.places[event.watch] ?? [] { note(event, at: place, &state, &left) }
  }

  private func note(
    _ event: FolderEvent, at place: Place, _ state: inout State,
    _ left: inout [(place: Place, isDeleted: Bool)]
  ) {
    if event.has(IN_IGNORED) {
      _ = state.remove(place)
      // A watch may also end because another place of its folder was left: the folder is looked for again.
      state.note(place.folder.isEmpty ? nil : PathOrder.folder(of: place.folder), in: place.root)
      return
    }
    if event.has(IN_UNMOUNT) || event.has(IN_DELETE_SELF) || event.has(IN_MOVE_SELF) {
      if place.folder.isEmpty || event.has(IN_UNMOUNT) { state.changes.lost.insert(place.root) }
      return
    }
    let isFolder = event.has(IN_ISDIR)
    // Without a name it is the folder itself, of which its own folder tells, too.
    guard !event.name.isEmpty, isWanted(event.name, isFolder) else { return }
    if isFolder, event.has(IN_MOVED_FROM) || event.has(IN_DELETE) {
      let folder = place.folder + (place.folder.isEmpty ? [] : [PathOrder.slash]) + event.name
      left.append((Place(root: place.root, folder: folder), event.has(IN_DELETE)))
    }
    state.note(place.folder, in: place.root)
  }

  private static func refusal(_ code: Int32) -> Refusal {
    let limit =
      switch code {
      case ENOSPC: "the system allows too few watches; raise fs.inotify.max_user_watches"
      case EMFILE: "the system allows too few watchers; raise fs.inotify.max_user_instances"
      default: String(cString: strerror(code))
      }
    return Refusal(words: limit)
  }
}

/// One event of inotify(7): watch, mask, cookie and length of the name in four bytes each, then the name with zeros.
struct FolderEvent: Hashable {
  var watch: Int32
  var mask: UInt32
  var name: [UInt8]

  private static let headBytes = 16

  func has(_ flag: some BinaryInteger) -> Bool { mask & UInt32(truncatingIfNeeded: flag) != 0 }

  static func events(in bytes: [UInt8]) -> [FolderEvent] {
    var events: [FolderEvent] = []
    bytes.withUnsafeBytes { bytes in
      var place = 0
      while place + headBytes <= bytes.count {
        func word(_ offset: Int) -> UInt32 {
          bytes.loadUnaligned(fromByteOffset: place + offset, as: UInt32.self)
        }
        let end = place + headBytes + Int(word(12))
        guard end <= bytes.count else { return }
        events.append(
          FolderEvent(
            watch: Int32(bitPattern: word(0)), mask: word(4),
            name: Array(bytes[(place + headBytes)..<end].prefix { $0 != 0 })))
        place = end
      }
    }
    return events
  }
}
