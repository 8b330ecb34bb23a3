import Library
import Media
import Settings
import Synchronization
import Threads
import Timeshift
import Wire

/// A folder that is looked through: a root, or a programme's folder that lies in none.
struct LookedFolder {
  /// A look that has ended.
  struct Scan: Hashable, Sendable {
    var began: WallTime
    var seconds: Double
    var looked = 0
    var read = 0
    var added = 0
    var changed = 0
    var gone = 0
    /// Whether what it found counts, even if much is gone that was known.
    var isAccepted = false
  }

  /// Nil for a folder in no root.
  var root: MusicRoot?
  /// What is known of it; not whole before the first look has ended.
  var content: MusicFolder {
    didSet { bytes = Self.bytes(of: content) }
  }
  /// Bytes of all its files that can be played.
  private(set) var bytes: UInt64 = 0
  var memory: RootMemory?
  /// Whether what was kept of it could not be read yet: it may have had more than there is.
  var isUnread = false
  var state = RootState.scanning
  /// Why its content is not believed.
  var reason: String?
  var scan: Scan?
  /// Why changes are noticed by looks alone; nil where the kernel tells them.
  var whyUnwatched: String?
  /// Seconds between two looks at everything.
  var pause = 0.0
  /// The look that runs; nil while none does.
  var progress: LookProgress?
  /// Whether the next look is believed whatever it finds.
  var isAccepted = false
  /// Whether every file is read again.
  var isForgotten = false
  /// Files that could not be played since the look began.
  var refusedMeanwhile: [MusicFile: String] = [:]
  /// Folders in which something has changed: when first, and when last.
  var changes: [[UInt8]: (first: MonotonicTime, last: MonotonicTime)] = [:]
  /// Whether all of it has to be looked through, since more has changed than is known.
  var isLost = false
  /// One look at a time.
  let turn = Turnstile()
  /// Looks again and again.
  var looks: Task<Void, Never>?
  /// Whether there is to be another look as soon as the one that runs has ended.
  var isWanted = false
  /// Runs between two looks; a cancelled one ends at once.
  var rest: Task<Void, Never>?
  /// Looks at what has changed, once it has settled.
  var settling: Task<Void, Never>?

  init(_ path: String, _ root: MusicRoot?) {
    (self.root, content) = (root, MusicFolder(path))
  }

  private static func bytes(of folder: MusicFolder) -> UInt64 {
    folder.files.reduce(0) { $0.saturatingAdd($1.identity.bytes) }
  }

  mutating func set(_ state: RootState, _ reason: String? = nil) {
    (self.state, self.reason) = (state, reason)
  }

  /// A look at everything, which begins, finds all that has changed.
  mutating func forgetChanges() { (changes, isLost, isWanted) = ([:], false, false) }

  func end() {
    for task in [looks, rest, settling] { task?.cancel() }
    progress?.end()
  }

  // MARK: When it is looked at

  /// Returns the seconds until the next look at everything.
  func pause(
    after seconds: Double, _ look: MusicLook, _ settings: LibrarySettings, _ pace: LookPace
  ) -> Double {
    let costs = pace.share * seconds
    let isSettled = look.trouble == nil && look.unsettled.isEmpty
    if !state.isTrusted { return max(pace.pauses.lowerBound, costs) }
    // A watch tells when files that are being written are whole, and their folders alone are looked at.
    if whyUnwatched == nil, look.trouble == nil { return settings.rescan }
    if !isSettled { return max(pace.settle, costs) }
    if settings.watch == .off { return settings.rescan }
    return min(settings.rescan, max(pace.pauses.lowerBound, min(costs, pace.pauses.upperBound)))
  }

  mutating func note(_ folders: some Sequence<[UInt8]>, at now: MonotonicTime = .now()) {
    for folder in folders { changes[folder] = (changes[folder]?.first ?? now, now) }
  }

  /// Takes the folders out that have settled.
  mutating func takeSettled(_ pace: LookPace, at now: MonotonicTime = .now()) -> [[UInt8]] {
    let settled = changes.filter { pace.wait(for: $0.value, at: now) <= 0 }.map(\.key)
    for folder in settled { changes[folder] = nil }
    return settled
  }

  /// Returns the seconds until the next folder has settled; nil without changes.
  func secondsToSettle(_ pace: LookPace, at now: MonotonicTime = .now()) -> Double? {
    changes.values.map { pace.wait(for: $0, at: now) }.min()
  }
}

/// How soon and how often folders are looked at, in seconds.
struct LookPace: Hashable, Sendable {
  /// A folder is left alone for so long after a change, and no longer than `settleMost` after the first of several.
  var settle = MusicScan.settleSeconds
  var settleMost = 30.0
  /// Bounds of the time between looks at what is not watched.
  var pauses = 60.0...900.0
  /// How many times as long as a look that is at least.
  var share = 50.0
  /// A disk counts as hanging that does not get on for so long: the tags of one file may take two thirds of it.
  var patience = 15.0

  func wait(
    for change: (first: MonotonicTime, last: MonotonicTime), at now: MonotonicTime
  ) -> Double {
    min(settle - now.seconds(since: change.last), settleMost - now.seconds(since: change.first))
  }
}

/// How far a look, or the making of a file, has come; written by its thread.
final class LookProgress: Sendable {
  private let files = Atomic(0)
  private let movedAt = Atomic(MonotonicTime.now().nanoseconds)
  private let isOver = Atomic(false)

  /// Notes a step; returns whether the look goes on.
  func step(_ files: Int? = nil) -> Bool {
    if let files { self.files.store(files, ordering: .relaxed) }
    movedAt.store(MonotonicTime.now().nanoseconds, ordering: .relaxed)
    return !isOver.load(ordering: .relaxed)
  }

  var looked: Int { files.load(ordering: .relaxed) }

  /// Whether it has not got on for so many seconds.
  func isStuck(_ patience: Double) -> Bool {
    let moved = MonotonicTime(nanoseconds: movedAt.load(ordering: .relaxed))
    return MonotonicTime.now().seconds(since: moved) > patience
  }

  /// Nobody waits for the look any more.
  func end() { isOver.store(true, ordering: .relaxed) }
}
