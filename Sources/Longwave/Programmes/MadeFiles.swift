import Glibc
import Library
import Media
import Settings
import Synchronization
import Threads
import Timeshift
import Wire

/// The folder of tracks that were made to fit programmes: each file is whole, or not there.
///
/// What was used longest ago goes when room is needed. A file that plays is open, and goes from the folder alone. All calls
/// but `use` and `figures` block.
final class MadeFiles: Sendable {
  struct Figures: Hashable, Sendable {
    var bytes: UInt64 = 0
    var files = 0
  }

  /// A file that is being written.
  struct Draft: Sendable {
    fileprivate let descriptor: Int32
    fileprivate let path: String
    fileprivate let name: String
    /// Bytes that it is to have.
    fileprivate let bytes: UInt64
  }

  private struct Entry {
    var bytes: UInt64
    /// When it was used last, in milliseconds since 1970.
    var used: Int64
  }

  private struct State {
    var settings = CacheSettings()
    /// By name; nil before the folder was read.
    var entries: [String: Entry]?
    /// Bytes of all that is being written.
    var drafts: UInt64 = 0
  }

  let folder: String
  private let calls: FileCalls
  private let state = Mutex(State())

  /// Milliseconds after which a file that is used again is dated anew.
  private static let datedAfter: Int64 = 3_600_000
  private static let (ending, draftEnding) = (".mp3", ".part")

  init(_ folder: String, calls: FileCalls = .posix) { (self.folder, self.calls) = (folder, calls) }

  static func name(of track: TrackKey, as format: MadeFormat) -> String {
    "\(track)-\(format.bitrate)-\(format.sampleRate)-\(format.channels)\(ending)"
  }

  func use(_ settings: CacheSettings) { state.withLock { $0.settings = settings } }

  var figures: Figures {
    state.withLock { state in
      let entries = state.entries ?? [:]
      return Figures(bytes: entries.values.reduce(0) { $0 + $1.bytes }, files: entries.count)
    }
  }

  /// Opens a file that was made; nil where it is to be made.
  func open(_ name: String) -> MediaFile? {
    readFolder()
    let now = Moment.now().wall.milliseconds
    let before = state.withLock { state in
      defer { state.entries?[name]?.used = now }
      return state.entries?[name]?.used
    }
    guard let before else { return nil }
    if let file = try? MediaFolder.open(name, in: folder), file.identity.bytes > 0 {
      // After a restart it is known by the file's date.
      if now.saturatingSubtract(before) > Self.datedAfter { utimes(path(name), nil) }
      return file
    }
    state.withLock { $0.entries?[name] = nil }
    return nil
  }

  /// Deletes a file that cannot be played.
  func drop(_ name: String) {
    state.withLock { $0.entries?[name] = nil }
    _ = calls.remove(path(name))
  }

  /// Reads what is there of an earlier run, once, and deletes what was not finished.
  private func readFolder() {
    if state.withLock({ $0.entries != nil }) { return }
    var entries: [String: Entry] = [:]
    for name in calls.list(folder).names {
      if name.hasSuffix(Self.draftEnding) { _ = calls.remove(path(name)) }
      guard name.hasSuffix(Self.ending), let status = calls.status(path(name)), status.isRegular
      else { continue }
      entries[name] = Entry(bytes: UInt64(max(0, status.bytes)), used: status.modified / 1_000_000)
    }
    state.withLock { $0.entries = $0.entries ?? entries }
  }

  private func path(_ name: String) -> String { folder + "/" + name }

  // MARK: Writing

  /// Begins a file, and makes room for it.
  ///
  /// - Parameters:
  ///   - bytes: how long it will be, about.
  ///   - number: another one for each draft: one that hung may come back.
  func begin(_ name: String, _ bytes: UInt64, by number: Int = 0) throws -> Draft {
    readFolder()
    _ = calls.makeDirectory(folder)
    let settings = state.withLock(\.settings)
    guard bytes <= settings.renditions else {
      throw MakingFailure(
        "it would take \(bytes / 1_000_000) MB, and cache: renditions: is "
          + SizeText.format(settings.renditions))
    }
    makeRoom(for: bytes)
    // What other drafts have written already counts twice: that is on the safe side.
    let drafts = state.withLock(\.drafts)
    try makeFree(bytes.saturatingAdd(drafts).saturatingAdd(settings.keepFree))
    let draft = path(".\(name).\(number)\(Self.draftEnding)")
    let descriptor = calls.open(draft, O_CREAT | O_TRUNC | O_RDWR)
    guard descriptor >= 0 else {
      throw StorageError(call: "open", path: draft, code: -descriptor)
    }
    state.withLock { $0.drafts = $0.drafts.saturatingAdd(bytes) }
    return Draft(descriptor: descriptor, path: draft, name: name, bytes: bytes)
  }

  /// Deletes what was used longest ago until so many bytes of the disk are free; nothing, where that cannot be.
  private func makeFree(_ bytes: UInt64) throws(MakingFailure) {
    var free = calls.free(folder)
    if free >= bytes { return }
    guard free.saturatingAdd(figures.bytes) >= bytes else {
      throw MakingFailure(
        "there is no room to make it fit: its disk has \(free / 1_000_000) MB left, "
          + "and cache: keep-free: is \(SizeText.format(state.withLock(\.settings.keepFree)))")
    }
    while free < bytes, let name = dropOldest() {
      _ = calls.remove(path(name))
      free = calls.free(folder)
    }
    guard free >= bytes else {
      throw MakingFailure("there is no room to make it fit: what was deleted is still open")
    }
  }

  private func dropOldest() -> String? {
    state.withLock { state in
      let oldest = state.entries?.min { $0.value.used < $1.value.used }
      if let oldest { state.entries?[oldest.key] = nil }
      return oldest?.key
    }
  }

  func write(_ bytes: [UInt8], at place: UInt64, to draft: Draft) throws(StorageError) {
    var from = 0
    while from < bytes.count {
      let count = bytes[from...].withUnsafeBytes {
        calls.write(draft.descriptor, $0, place + UInt64(from))
      }
      guard count > 0 else {
        throw StorageError(
          call: "write", path: draft.path, code: count < 0 ? Int32(clamping: -count) : EIO)
      }
      from += count
    }
  }

  /// Ends a file: from now on it is there, also after a loss of power.
  func finish(_ draft: Draft) throws(StorageError) {
    leave(draft)
    let bytes = calls.size(draft.descriptor)
    let code = calls.sync(draft.descriptor)
    calls.close(draft.descriptor)
    guard code >= 0, bytes >= 0 else {
      _ = calls.remove(draft.path)
      throw StorageError(call: "fdatasync", path: draft.path, code: code < 0 ? -code : EIO)
    }
    let renamed = calls.rename(draft.path, path(draft.name))
    guard renamed >= 0 else {
      _ = calls.remove(draft.path)
      throw StorageError(call: "rename", path: draft.path, code: -renamed)
    }
    calls.syncNames(folder)
    state.withLock {
      $0.entries?[draft.name] = Entry(bytes: UInt64(bytes), used: Moment.now().wall.milliseconds)
    }
    makeRoom(for: 0, but: draft.name)
  }

  /// Forgets a file that will not be whole.
  func abandon(_ draft: Draft) {
    leave(draft)
    calls.close(draft.descriptor)
    _ = calls.remove(draft.path)
  }

  private func leave(_ draft: Draft) {
    state.withLock { $0.drafts = $0.drafts.saturatingSubtract(draft.bytes) }
  }

  /// Deletes what was used longest ago until so many bytes more have room.
  ///
  /// - Parameter kept: a name that stays.
  private func makeRoom(for bytes: UInt64, but kept: String? = nil) {
    let gone = state.withLock { state -> [String] in
      var total = (state.entries ?? [:]).values.reduce(bytes.saturatingAdd(state.drafts)) {
        $0.saturatingAdd($1.bytes)
      }
      var gone: [String] = []
      for (name, entry) in (state.entries ?? [:]).sorted(by: { $0.value.used < $1.value.used })
      where total > state.settings.renditions && name != kept {
        gone.append(name)
        total -= min(total, entry.bytes)
        state.entries?[name] = nil
      }
      return gone
    }
    for name in gone { _ = calls.remove(path(name)) }
  }
}

/// Why a track is not made to fit, in words that follow its name and a colon.
struct MakingFailure: Error, Hashable, Sendable {
  var reason: String

  init(_ reason: String) { self.reason = reason }
}
