import Library
import Media
import Threads
import Timeshift
import Wire

/// Looks at folders, and what is made of what they find.
extension MusicFolders {
  /// What came of a look on its thread.
  private struct Outcome: Sendable {
    var look: MusicLook
    var whyUnwatched: String?
  }

  private static let silence = "its disk does not answer"

  /// Takes what was known of a root before the relay started.
  func recall(_ path: String) async {
    guard let root = looked[path]?.root else { return }
    switch await store.load(root) {
    case .silent: looked[path]?.isUnread = true
    case .nothing: looked[path]?.isUnread = false
    case .root(let memory, let folder):
      let wasUnread = looked[path]?.isUnread == true
      looked[path]?.isUnread = false
      looked[path]?.memory = memory
      // What was found meanwhile was not believed.
      if let folder, looked[path]?.content.isWhole == false || wasUnread {
        looked[path]?.content = folder
        await tellAll(path)
      }
    }
  }

  /// Keeps what is known of a root in a database that is new.
  func keepAgain(_ id: String) async {
    for folder in looked.values {
      guard let root = folder.root, root.id == id, let memory = folder.memory else { continue }
      await store.save(root, memory)
    }
  }

  /// Waits for the next look.
  func rest(_ path: String, for seconds: Double) async {
    guard looked[path]?.isWanted == false else { return }
    let rest = Task { _ = try? await Task.sleep(for: .seconds(seconds)) }
    looked[path]?.rest = rest
    await withTaskCancellationHandler {
      await rest.value
    } onCancel: {
      rest.cancel()
    }
  }

  /// Looks through a folder as soon as its turn comes.
  func wake(_ path: String) {
    looked[path]?.isWanted = true
    looked[path]?.rest?.cancel()
  }

  /// Looks through all of a folder; returns the seconds until the next look.
  func look(_ path: String) async -> Double? {
    // Before its turn, since others wait for that.
    if looked[path]?.isUnread == true { await recall(path) }
    await order.enter()
    var isInOrder = true
    defer { if isInOrder { order.leave() } }
    guard let turn = looked[path]?.turn else { return nil }
    await turn.enter()
    defer { turn.leave() }
    guard !Task.isCancelled, let folder = looked[path] else { return nil }
    let (began, clock) = (Moment.now().wall, MonotonicTime.now())
    let progress = LookProgress()
    looked[path]?.progress = progress
    looked[path]?.forgetChanges()
    let (isForgotten, isAccepted) = (folder.isForgotten, folder.isAccepted)
    let outcome = await run(path, progress) { scan, _ in scan.look() }
    guard !Task.isCancelled, looked[path] != nil else { return nil }
    looked[path]?.progress = nil
    guard let outcome else {
      progress.end()
      await doubt(path, RootDoubt(state: .unreadable, reason: Self.silence), nil)
      // The others go on, while this one waits for its disk.
      order.leave()
      isInOrder = false
      await turns.run(in: path, within: nil) {}
      return 0
    }
    if isForgotten { looked[path]?.isForgotten = false }
    if isAccepted { looked[path]?.isAccepted = false }
    let (look, seconds) = (outcome.look, MonotonicTime.now().seconds(since: clock))
    noteWatch(path, outcome.whyUnwatched)
    looked[path]?.scan = LookedFolder.Scan(
      began: began, seconds: seconds, looked: look.looked, read: look.read, added: look.added,
      changed: look.changed, gone: look.gone, isAccepted: isAccepted)
    if let doubt = self.doubt(about: look, of: folder, isAccepted: isAccepted) {
      await self.doubt(path, doubt, look)
    } else if look.trouble == nil {
      await believe(path, look, seconds)
    }
    let pause = looked[path]?.pause(after: seconds, look, settings, pace)
    looked[path]?.pause = pause ?? 0
    if looked[path]?.whyUnwatched == nil {
      looked[path]?.note(look.unsettled)
      settle(path)
    }
    return pause
  }

  /// Looks on the folder's thread; nil when its disk hangs.
  private func run(
    _ path: String, _ progress: LookProgress,
    _ work: @escaping @Sendable (MusicScan, FolderWatch?) -> MusicLook
  ) async -> Outcome? {
    guard let folder = looked[path] else { return nil }
    let (hidden, tags, watch) = (hidden, tagReader(of: path), watch)
    let known = folder.isForgotten || !folder.content.isWhole ? nil : folder.content
    let isRoot = folder.root != nil
    let whyNoWatch = whyNoWatch ?? "nothing is watched"
    return await turns.run(in: path, unless: { [pace] in progress.isStuck(pace.patience) }) {
      SystemThread.stepBack()
      var why = watch == nil ? whyNoWatch : WatchRule.refusal(path)
      let scan = MusicScan(
        path, takesFile: !isRoot, hidden: hidden(), known: known, tags: tags(),
        enter: { folder in
          _ = progress.step()
          guard why == nil, let watch else { return }
          do throws(FolderWatch.Refusal) {
            try watch.add(folder, in: path)
          } catch {
            why = error.words
          }
        }, goesOn: { progress.step($0) })
      let look = work(scan, watch)
      if why == nil, look.trouble == nil, watch?.count(in: path) == 0 { why = "it is no folder" }
      if why != nil { watch?.leave(path) }
      return Outcome(look: look, whyUnwatched: why)
    }
  }

  // MARK: What is found

  private func doubt(
    about look: MusicLook, of folder: LookedFolder, isAccepted: Bool
  ) -> RootDoubt? {
    if folder.root != nil {
      if folder.isUnread, !isAccepted {
        return RootDoubt(
          state: .suspect,
          reason: "cannot be compared with what it had: the library's database does not answer")
      }
      let doubt = RootDoubt.of(look, folder.memory)
      return isAccepted && look.trouble == nil ? nil : doubt
    }
    switch look.trouble {
    case nil, .short, .ended: return nil
    case .missing(let words): return RootDoubt(state: .missing, reason: words)
    case .unreadable(let words): return RootDoubt(state: .unreadable, reason: words)
    case .replaced: return RootDoubt(state: .suspect, reason: look.trouble?.words ?? "")
    }
  }

  /// What a look has found is not believed: what was known stays.
  private func doubt(_ path: String, _ doubt: RootDoubt, _ look: MusicLook?) async {
    guard let folder = looked[path] else { return }
    let isNew = folder.state != doubt.state || folder.reason != doubt.reason
    looked[path]?.set(doubt.state, doubt.reason)
    if let root = folder.root, isNew {
      tell(.suspect(root: root.id, reason: doubt.reason))
      looked[path]?.memory?.state = doubt.state
    }
    let known = folder.content
    // After a start there may be nothing to go back to.
    let hasNothing = folder.isUnread || !known.isWhole && known.files.isEmpty
    let found = hasNothing ? look?.folder ?? known : known
    // First of all: programmes wait for music, and a database may not answer.
    await take(found.away(doubt.reason), path)
    if let root = folder.root, isNew, let memory = looked[path]?.memory {
      await store.save(root, memory)
    }
  }

  private func believe(_ path: String, _ look: MusicLook, _ seconds: Double) async {
    guard let folder = looked[path] else { return }
    let wasTrusted = folder.state.isTrusted
    let wasKnown = folder.memory?.state.isTrusted ?? true
    looked[path]?.set(.ok)
    looked[path]?.isUnread = false
    if let root = folder.root {
      let memory = RootMemory(
        device: look.device, files: look.folder.files.count + look.folder.refused.count,
        scanned: Moment.now().wall.milliseconds / 1000, state: .ok)
      looked[path]?.memory = memory
      if !wasTrusted || !wasKnown { tell(.restored(root: root.id, reason: folder.reason)) }
      tell(
        .scanned(
          root: root.id, files: memory.files, added: look.added, changed: look.changed,
          gone: look.gone, problems: look.folder.refused.count, seconds: seconds))
    }
    // First of all: programmes wait for music, and a database may not answer.
    await take(look.folder, path)
    if let root = folder.root, let memory = looked[path]?.memory {
      await store.save(root, memory)
    }
  }

  private func take(_ found: MusicFolder, _ path: String) async {
    var found = found
    for (file, reason) in looked[path]?.refusedMeanwhile ?? [:] { _ = found.refuse(file, reason) }
    looked[path]?.refusedMeanwhile = [:]
    if found == looked[path]?.content { return }
    looked[path]?.content = found
    dropFirsts(of: path)
    await tellAll(path)
  }

  // MARK: What changes

  /// Begins to watch where there is something to watch, and ends where there is nothing.
  func setWatch(isWanted: Bool) {
    if settings.watch == .off || !isWanted {
      watch?.end()
      (watch, whyNoWatch) = (nil, "watch: false")
      return
    }
    if watch != nil { return }
    do throws(FolderWatch.Refusal) {
      watch = try FolderWatch(isWanted: MusicScan.isWanted) { [weak self] in
        Task { await self?.noteChanges() }
      }
      whyNoWatch = nil
    } catch {
      if whyNoWatch == error.words { return }
      whyNoWatch = error.words
      tell(.watchLost(path: nil, reason: error.words))
    }
  }

  private func noteWatch(_ path: String, _ why: String?) {
    if let why, looked[path]?.whyUnwatched != why, why != whyNoWatch {
      tell(.watchLost(path: path, reason: why))
    }
    looked[path]?.whyUnwatched = why
  }

  /// Takes what has changed in folders that are watched.
  private func noteChanges() {
    guard let changes = watch?.takeChanges() else { return }
    if changes.hasOverflowed {
      tell(
        .watchLost(
          path: nil,
          reason: "files changed faster than that was told; raise fs.inotify.max_queued_events"))
    }
    for (path, folders) in changes.folders { looked[path]?.note(folders) }
    for path in changes.lost {
      looked[path]?.isLost = true
      looked[path]?.note([[]])
    }
    for path in changes.lost.union(changes.folders.keys) { settle(path) }
  }

  /// Looks at folders that have changed, once they have settled.
  private func settle(_ path: String) {
    guard let folder = looked[path], folder.settling == nil, !folder.changes.isEmpty else { return }
    looked[path]?.settling = Task { [weak self] in
      while !Task.isCancelled, let pause = await self?.lookAtSettled(path) {
        try? await Task.sleep(for: .seconds(pause))
      }
    }
  }

  /// Looks at what has settled; returns the seconds until more has, nil when nothing is left.
  private func lookAtSettled(_ path: String) async -> Double? {
    guard let turn = looked[path]?.turn else { return nil }
    await turn.enter()
    defer { turn.leave() }
    guard let folders = looked[path]?.takeSettled(pace) else { return nil }
    if !folders.isEmpty { await look(path, at: folders) }
    let pause = looked[path]?.secondsToSettle(pace)
    if pause == nil { looked[path]?.settling = nil }
    return pause
  }

  private func look(_ path: String, at folders: [[UInt8]]) async {
    guard let folder = looked[path] else { return }
    // What is not known as a whole, or is not believed, is looked through as a whole.
    guard !folder.isLost, folder.content.isWhole, folder.state.isTrusted, !folder.isForgotten else {
      return wake(path)
    }
    let progress = LookProgress()
    looked[path]?.progress = progress
    let outcome = await run(path, progress) { scan, watch in
      scan.look(at: folders) { watch?.isWatching($0, in: path) ?? false }
    }
    looked[path]?.progress = nil
    guard let outcome, outcome.look.trouble == nil,
      doubt(about: outcome.look, of: folder, isAccepted: false) == nil
    else { return wake(path) }
    noteWatch(path, outcome.whyUnwatched)
    looked[path]?.note(outcome.look.unsettled)
    await take(outcome.look.folder, path)
  }
}
