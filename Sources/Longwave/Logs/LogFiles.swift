import Logging
import Server
import Synchronization
import Threads
import Timeshift
import Wire

/// Writes the access log and the playlist log.
///
/// Loops and ingest put entries into a bounded queue; an own thread makes lines of them and writes. A disk that
/// hangs or is full costs lines, never a listener.
final class LogFiles: RequestRecording, Sendable {
  /// Most waiting entries: twice the listeners of a full server, who may all leave at once. With a disk that hangs,
  /// that is some 60 MB.
  static let entriesMax = 200_000
  /// Most bytes of waiting entries, at the usual 300 bytes each; it holds 8,000 requests with all that fits into a
  /// head.
  static let bytesMax = 64 << 20

  private struct Queue {
    var entries: [LogEntry] = []
    var bytes = 0
    var isBeingEmptied = false
    /// Lines lost since the last line that got in.
    var lost = 0
  }

  private struct Files: ~Copyable {
    var access: LineFile?
    var playlist: LineFile?
    var isAnonymous = false
  }

  private let logger: Logger
  private let entriesMax: Int
  private let bytesMax: Int
  private let queue = Mutex(Queue())
  private let quota = Mutex(TitleQuota())
  /// The stations' paths that listeners know, by id.
  private let mountNames = Mutex<[String: String]>([:])
  // Held by the writing thread while it writes; no other thread locks it.
  private let files = Mutex(Files())
  private let thread = Lanes<Int>("logs", count: 1)
  private let hasAccess = Atomic<Bool>(false)
  private let hasPlaylist = Atomic<Bool>(false)
  private let lostLines = Atomic<UInt64>(0)

  init(
    logger: Logger, entriesMax: Int = LogFiles.entriesMax, bytesMax: Int = LogFiles.bytesMax
  ) {
    self.logger = logger
    self.entriesMax = entriesMax
    self.bytesMax = bytesMax
  }

  /// Sets the files to write from now on. Returns at once.
  func use(_ settings: LogSettings) {
    _ = thread.submit { [self] in
      files.withLock { files in
        files.isAnonymous = settings.anonymise
        Self.exchange(&files.access, for: settings.access, logger)
        Self.exchange(&files.playlist, for: settings.playlist, logger)
      }
    }
    // Set after the files are queued on the writing thread, so that no entry comes before its file.
    hasAccess.store(settings.access != nil, ordering: .relaxed)
    hasPlaylist.store(settings.playlist != nil, ordering: .relaxed)
  }

  private static func exchange(_ file: inout LineFile?, for path: String?, _ logger: Logger) {
    guard let path else {
      file = nil
      return
    }
    if file?.path != path { file = LineFile(path: path, logger: logger) }
  }

  /// Reopens the files by their names, after earlier entries have been written. Returns at once.
  func reopen() {
    _ = thread.submit { [self] in
      empty()
      files.withLock { files in
        files.access?.reopen()
        files.playlist?.reopen()
      }
    }
  }

  /// Writes what is queued, and accepts nothing more.
  func close() async {
    hasAccess.store(false, ordering: .relaxed)
    hasPlaylist.store(false, ordering: .relaxed)
    tell(quota.withLock { $0.leftOut })
    await thread.run { [self] in
      empty()
      files.withLock { files in
        files.access = nil
        files.playlist = nil
      }
    }
  }

  /// Lines lost since the start: there was no room in the queue, on the disk, or in a station's quota.
  var linesLost: UInt64 { lostLines.load(ordering: .relaxed) }

  private func lose(_ count: Int) {
    if count > 0 { lostLines.add(UInt64(count), ordering: .relaxed) }
  }

  /// Sets the names that titles are logged under.
  func name(_ names: [String: String]) { mountNames.withLock { $0 = names } }

  // MARK: Putting down, on any thread

  var isOn: Bool { hasAccess.load(ordering: .relaxed) }

  func record(_ requests: [FinishedRequest]) {
    if isOn { put(requests.map(LogEntry.request)) }
  }

  func note(_ title: Title, of station: String, listeners: Int) {
    guard hasPlaylist.load(ordering: .relaxed) else { return }
    let now = Moment.now().wall
    let (isIn, leftOut) = quota.withLock { $0.add(station, at: now) }
    tell(leftOut)
    guard isIn else { return }
    let mount = mountNames.withLock { $0[station] } ?? "/" + station
    put([
      .title(
        PlayedTitle(mount: mount, text: title.text, listeners: listeners, time: now.unixSeconds))
    ])
  }

  private func tell(_ leftOut: [(station: String, count: Int)]) {
    for (station, count) in leftOut {
      lose(count)
      logger.warning(
        "\(station): \(count) titles of a minute are not in the playlist log, which takes \(TitleQuota.perMinute)"
      )
    }
  }

  private func put(_ entries: [LogEntry]) {
    let isToBeEmptied = queue.withLock { queue in
      var lost = 0
      for entry in entries {
        let bytes = entry.bytes
        if queue.entries.count < entriesMax, bytes <= bytesMax - queue.bytes {
          queue.entries.append(entry)
          queue.bytes += bytes
        } else {
          lost += 1
        }
      }
      queue.lost += lost
      lose(lost)
      defer { queue.isBeingEmptied = true }
      return !queue.isBeingEmptied
    }
    if isToBeEmptied { callThread() }
  }

  /// Calls the thread to write. Without a thread, the next entry tries again.
  private func callThread() {
    if !thread.submit({ [self] in empty() }) { queue.withLock { $0.isBeingEmptied = false } }
  }

  // MARK: Writing, on the writing thread

  private func empty() {
    while let (entries, lost) = next() {
      if lost > 0 {
        logger.warning("the logs cannot be written fast enough: \(lost) lines were lost")
      }
      lose(files.withLock { Self.write(entries, to: &$0) })
    }
  }

  /// Returns all queued entries; nil when there are none, and the next entry calls the thread again.
  private func next() -> (entries: [LogEntry], lost: Int)? {
    queue.withLock { queue in
      if queue.entries.isEmpty {
        queue.isBeingEmptied = false
        return nil
      }
      defer { (queue.entries, queue.bytes, queue.lost) = ([], 0, 0) }
      return (queue.entries, queue.lost)
    }
  }

  /// Writes entries, and returns how many were lost.
  private static func write(_ entries: [LogEntry], to files: inout Files) -> Int {
    var access: [String] = []
    var playlist: [String] = []
    for entry in entries {
      let line = entry.line(anonymised: files.isAnonymous)
      switch entry {
      case .request: access.append(line)
      case .title: playlist.append(line)
      }
    }
    // Lines without a file are not wanted, so they are not lost.
    let lost = (access.isEmpty ? nil : files.access?.append(access)) ?? 0
    return lost + ((playlist.isEmpty ? nil : files.playlist?.append(playlist)) ?? 0)
  }
}
