import Library
import Logging
import Media
import Settings
import Timeshift
import Wire

/// What happens to the folders of music.
enum MusicEvent: Hashable, Sendable {
  /// A root was looked through.
  case scanned(
    root: String, files: Int, added: Int, changed: Int, gone: Int, problems: Int, seconds: Double)
  /// What is found in a root is not believed.
  case suspect(root: String, reason: String)
  /// It is again; the reason why it was not.
  case restored(root: String, reason: String?)
  /// Changes in a folder, or in all where there is no path, are noticed by looks alone.
  case watchLost(path: String?, reason: String)
}

/// How a root is, for people and programs.
struct RootReport: Hashable, Sendable {
  var root: MusicRoot
  var state: RootState
  /// Why its content is not believed.
  var reason: String?
  /// Number of files that can be played, and of those that cannot.
  var (files, problems): (Int, Int)
  /// Bytes of all files that can be played.
  var bytes: UInt64
  /// Why changes are noticed by looks alone; nil where they are at once.
  var whyUnwatched: String?
  /// Seconds between two looks at everything.
  var pause: Double
  /// The last look that has ended.
  var scan: LookedFolder.Scan?
  /// Number of files that the look that runs has come to; nil while none does.
  var lookingAt: Int?

  init(_ root: MusicRoot, _ folder: LookedFolder) {
    (self.root, state, reason) = (root, folder.state, folder.reason)
    files = folder.content.files.count
    problems = folder.content.refused.count
    (bytes, whyUnwatched, pause, scan) = (
      folder.bytes, folder.whyUnwatched, folder.pause, folder.scan
    )
    lookingAt = folder.progress?.looked
  }
}

/// Keeps over a restart what is known of roots.
struct RootStore: Sendable {
  enum Known: Sendable {
    /// Its files too, where they are kept.
    case root(RootMemory, MusicFolder?)
    /// There is nothing of it.
    case nothing
    /// What is kept cannot be read now.
    case silent
  }

  /// Returns what was kept of a root.
  var load: @Sendable (MusicRoot) async -> Known = { _ in .nothing }
  /// Keeps the memory of a root.
  var save: @Sendable (MusicRoot, RootMemory) async -> Void = { _, _ in }
}

extension EventHub {
  /// Posts what happens to the folders of music.
  func post(_ event: MusicEvent, _ logger: Logger) {
    if let told = event.told(at: Moment.now().wall) { post(told) }
    guard case .watchLost(let path, let reason) = event else { return }
    logger.notice("\(path ?? "library"): changes are noticed by looks alone: \(reason)")
  }
}

extension MusicEvent {
  /// The event that everybody is told; nil for what the log alone tells.
  func told(at time: WallTime) -> RelayEvent? {
    switch self {
    case .scanned(let root, let files, let added, let changed, let gone, let problems, let seconds):
      RelayEvent(
        .scanFinished, time: time,
        details: [
          "root": .string(root), "files": JSON(files), "added": JSON(added),
          "changed": JSON(changed), "gone": JSON(gone), "problems": JSON(problems),
          "seconds": .number((seconds * 10).rounded() / 10),
        ])
    case .suspect(let root, let reason):
      RelayEvent(
        .rootSuspect, time: time, details: ["root": .string(root), "reason": .string(reason)])
    case .restored(let root, let reason):
      RelayEvent(
        .rootRestored, time: time, details: ["root": .string(root), "reason": JSON(reason)])
    case .watchLost: nil
    }
  }
}
