import Library
import Media
import Threads
import Timeshift
import Wire

/// The lists that programmes play, each read on a thread of its own behind everything else.
///
/// A list is read again when it has changed, and the files that it names are looked at again each minute, or as seldom as
/// a look has cost.
actor MusicLists {
  typealias Change = @Sendable ([String: MusicFolder]) async -> Void

  /// A list, and what it may name for those who play it.
  struct Wish: Hashable, Sendable {
    var path: String
    var rights: ListRights
  }

  /// Seconds between two looks at whether a list has changed, between two looks at its files, and how much longer than a
  /// look those are at least.
  private static let (listSeconds, filesSeconds, pauseShare) = (5.0, 60.0, 50.0)

  private let turns = FolderTurns()
  private let music: MusicFolders
  private let tagProgram: [String]?
  private var lists: [Wish: MusicList] = [:]
  private var followers: [String: (wishes: Set<Wish>, change: Change)] = [:]
  private var looks: [Wish: Task<Void, Never>] = [:]
  /// When the files of a list are to be looked at again, in seconds of the monotonic clock.
  private var due: [Wish: MonotonicTime] = [:]
  /// Files that could not be played since a look began, which knows nothing of that.
  private(set) var refusedMeanwhile: [Wish: [MusicFile: String]] = [:]

  /// - Parameters:
  ///   - music: knows which folder is the relay's own.
  ///   - tagProgram: as of `MusicFolders`.
  init(_ music: MusicFolders, tagProgram: [String]?) {
    (self.music, self.tagProgram) = (music, tagProgram)
  }

  /// Calls `change` with what the lists have, by `MusicShelf.key`, as soon as something is known of them, and whenever it
  /// changes.
  func follow(_ wishes: Set<Wish>, as id: String, _ change: @escaping Change) async {
    followers[id] = (wishes, change)
    dropUnused()
    for wish in wishes where looks[wish] == nil {
      looks[wish] = Task { [weak self] in
        while !Task.isCancelled, let pause = await self?.look(wish) {
          try? await Task.sleep(for: .seconds(pause))
        }
      }
    }
    await tell(id)
  }

  func leave(_ id: String) {
    followers[id] = nil
    dropUnused()
  }

  /// Leaves out a file that could not be played, until it changes.
  func refuse(_ file: MusicFile, _ reason: String) async {
    for wish in refusedMeanwhile.keys { refusedMeanwhile[wish]?[file] = reason }
    for wish in lists.keys where lists[wish]?.refuse(file, reason) == true { await tellAll(wish) }
  }

  private func dropUnused() {
    let wanted = followers.values.reduce(into: Set<Wish>()) { $0.formUnion($1.wishes) }
    for (wish, look) in looks where !wanted.contains(wish) {
      look.cancel()
      (looks[wish], lists[wish], due[wish]) = (nil, nil, nil)
      refusedMeanwhile[wish] = nil
    }
  }

  /// Looks at a list; returns the seconds until the next look.
  private func look(_ wish: Wish) async -> Double {
    let hidden = await music.hidden
    refusedMeanwhile[wish] = [:]
    defer { refusedMeanwhile[wish] = nil }
    let known = lists[wish]
    let began = MonotonicTime.now()
    let isDue = due[wish].map { began >= $0 } ?? true
    let first: @Sendable (MusicList) -> Void = { [weak self] found in
      Task { await self?.take(found, of: wish) }
    }
    let found = await turns.run(in: wish.path, within: nil) {
      [hidden, tagProgram] () -> MusicList? in
      SystemThread.stepBack()
      if let known, !isDue, !MusicListScan.hasChanged(known) { return nil }
      let tags = tagProgram.map { TagReader(program: $0) }
      return MusicListScan(wish.path, wish.rights, hidden: hidden(), tags: tags)
        .look(known, tell: first)
    }
    guard let found, let found, !Task.isCancelled else { return Self.listSeconds }
    let now = MonotonicTime.now()
    // A file that is being written is looked at with the list.
    let least = found.isSettled ? Self.filesSeconds : Self.listSeconds
    let pause = max(least, Self.pauseShare * now.seconds(since: began))
    due[wish] = MonotonicTime(nanoseconds: now.nanoseconds + Int64(nanosecondsIn: pause))
    await take(found, of: wish)
    return Self.listSeconds
  }

  private func take(_ found: MusicList, of wish: Wish) async {
    var found = found
    for (file, reason) in refusedMeanwhile[wish] ?? [:] { _ = found.refuse(file, reason) }
    // What came of the first files must not take the place of what came of all.
    if looks[wish] == nil || !found.music.isWhole && lists[wish]?.music.isWhole == true { return }
    if found == lists[wish] { return }
    lists[wish] = found
    await tellAll(wish)
  }

  private func tellAll(_ wish: Wish) async {
    for (id, follower) in followers where follower.wishes.contains(wish) { await tell(id) }
  }

  private func tell(_ id: String) async {
    guard let follower = followers[id] else { return }
    var found: [String: MusicFolder] = [:]
    for wish in follower.wishes { found[MusicShelf.key(ofList: wish.path)] = lists[wish]?.music }
    await follower.change(found)
  }
}
