import Library
import Logging
import Settings
import Store
import Synchronization
import Threads
import Timeshift
import Wire

/// Collections: what people made of the music, by hand or by rule.
///
/// Members are in the relay's database; which tracks there are comes from the folders that are looked through.
public actor CollectionDesk {
  typealias Change = @Sendable ([String: MusicFolder]) async -> Void

  private struct Follower {
    var names: Set<String>
    /// Tracks of its queue that are in none of its sources.
    var lent: Set<TrackKey>
    /// Whether it may play the tracks of all folders.
    var isFree: Bool
    var change: Change
  }

  /// The collection that `longwave favourite` adds to; it is made when it is first needed.
  public static let favourites = "favourites"

  let store: StationStore
  private let music: MusicFolders
  private let logger: Logger
  /// Returns the stations that play each collection.
  private(set) var users: @Sendable () async -> [String: [String]] = { [:] }
  /// The folders whose tracks there are, by who has them looked through.
  private var roots: [String: Set<String>] = [:]
  /// Those of them whose tracks every programme may play, by the same.
  private var open: [String: Set<String>] = [:]
  var folders: [String: MusicFolder] = [:]
  /// What the lists have that programmes play, by who plays them.
  private var lists: [String: [String: MusicFolder]] = [:]
  private(set) var index = MusicIndex([:], of: [])
  /// How often music was found.
  private var taken = 0
  /// Counts what changes collections or their tracks.
  private(set) var version = 0
  /// What was counted since the last change, by collection.
  var counts: [String: CollectionCount] = [:]
  /// What is being counted, by version and collection.
  var counting: [String: Task<Result<Counted, RelayError>, Never>] = [:]
  /// What a rule has found, of which the next page is likely asked for soon.
  var found: Counted?
  /// What finds the tracks of lists, while more of a list may come.
  var match: Task<ListMatch, Never>?
  /// Counts the pieces of lists.
  var pieces = 0
  /// Whether a change waits to be told.
  private var isChanged = false
  private var followers: [String: Follower] = [:]
  /// How often each follower was to be told.
  private var turns: [String: Int] = [:]
  /// Unknown collections that were told, by programme and name.
  private var told: Set<[String]> = []
  /// The ids of the library's roots, by their paths.
  private(set) var rootNames: [String: String] = [:]

  /// What the folders are followed as; no station has such an id.
  private static let follower = "collections"

  init(_ store: StationStore, _ music: MusicFolders, logger: Logger) {
    (self.store, self.music, self.logger) = (store, music, logger)
  }

  func use(users: @escaping @Sendable () async -> [String: [String]]) { self.users = users }

  // MARK: Music

  /// Says which folders somebody has looked through: their tracks can be in collections.
  ///
  /// - Parameter open: those whose tracks programmes may play that came by command; nil: all.
  func know(_ folders: Set<String>, open: Set<String>? = nil, of owner: String) async {
    let (before, openBefore) = (allRoots, openRoots)
    roots[owner] = folders.isEmpty ? nil : folders
    self.open[owner] = folders.isEmpty ? nil : open ?? folders
    if allRoots == before {
      if openRoots != openBefore { await tellChange() }
      return
    }
    await music.follow(allRoots, as: " " + Self.follower) { [weak self] found in
      await self?.take(found)
    }
  }

  /// Says what somebody's lists have: parts of files are tracks that are in no folder.
  func know(lists found: [String: MusicFolder], of owner: String) async {
    if lists[owner] ?? [:] == found { return }
    lists[owner] = found.isEmpty ? nil : found
    await take(folders)
  }

  /// The file of a track, or the part of one that a list names.
  func file(of key: TrackKey) -> MusicFile? { index.files[key] }

  /// The library's roots have tracks, whatever programmes play.
  func use(_ settings: LibrarySettings) async {
    rootNames = Dictionary(settings.roots.map { ($0.path, $0.id) }) { first, _ in first }
    await know(Set(settings.roots.map(\.path)), of: " library")
  }

  private var allRoots: Set<String> { roots.values.reduce(into: []) { $0.formUnion($1) } }

  private var openRoots: Set<String> { open.values.reduce(into: []) { $0.formUnion($1) } }

  private func take(_ found: [String: MusicFolder]) async {
    taken += 1
    let (number, roots, known) = (taken, allRoots, index)
    let lists = lists.sorted { $0.key < $1.key }.flatMap(\.value.values)
    // Very many tracks are put in order elsewhere.
    let made = await Blocking.run { MusicIndex(found, of: roots, lists: lists, known: known) }
    // What took longer is older than what was found meanwhile.
    guard number == taken else { return }
    (folders, index, match) = (found, made, nil)
    forgetPages()
    for id in Array(followers.keys) { await tell(id) }
  }

  /// Seconds for which a request waits for the first look through the folders.
  private static let lookSeconds = 10.0

  /// Waits until it is known which tracks there are: after a start, a request may come first.
  func awaitMusic() async {
    let began = MonotonicTime.now()
    while !index.isWhole, MonotonicTime.now().seconds(since: began) < Self.lookSeconds {
      try? await Task.sleep(for: .milliseconds(50))
      if Task.isCancelled { return }
    }
  }

  // MARK: Programmes

  /// Calls `change` with what collections have, by their names, now and whenever it changes.
  ///
  /// - Parameters:
  ///   - lent: tracks that are to be had besides, by `MusicShelf.lentKey`.
  ///   - isFree: whether tracks of all folders may be played, or of those alone that are open.
  func follow(
    _ names: Set<String>, lent: Set<TrackKey> = [], as id: String, isFree: Bool = true,
    _ change: @escaping Change
  ) async {
    let isNone = names.isEmpty && lent.isEmpty
    followers[id] =
      isNone ? nil : Follower(names: names, lent: lent, isFree: isFree, change: change)
    await tell(id)
  }

  func leave(_ id: String) async {
    (followers[id], turns[id]) = (nil, nil)
    await know(lists: [:], of: id)
    await know([], of: id)
  }

  private func forgetPages() {
    version += 1
    (counts, found) = ([:], nil)
  }

  /// Tells who plays a collection, or one that it is in, of its new content.
  func tellChange() async {
    forgetPages()
    for id in Array(followers.keys) { await tell(id) }
  }

  /// Tells it a moment later, with what else changes until then: what is long comes in many pieces.
  func tellChangeSoon() {
    forgetPages()
    if isChanged { return }
    isChanged = true
    Task { [weak self] in
      try? await Task.sleep(for: .seconds(Self.soonSeconds))
      await self?.tellLateChange()
    }
  }

  private static let soonSeconds = 0.5

  private func tellLateChange() async {
    isChanged = false
    await tellChange()
  }

  private func tell(_ id: String) async {
    guard let follower = followers[id] else { return }
    turns[id, default: 0] += 1
    let turn = turns[id]
    var found: [String: MusicFolder] = [:]
    for name in follower.names {
      found[name] = await source(name, of: id, isFree: follower.isFree)
    }
    if !follower.lent.isEmpty {
      found[MusicShelf.lentKey] = lent(follower.lent, isFree: follower.isFree)
    }
    // What took longer is older than what was told meanwhile.
    if turns[id] == turn { await follower.change(found) }
  }

  /// What a programme plays of a collection; nil while folders are being looked through for the first time.
  private func source(_ name: String, of id: String, isFree: Bool) async -> MusicFolder? {
    do {
      let members = try await tracks(in: name)
      told.remove([id, name])
      let (index, open) = (index, isFree ? nil : openRoots)
      // Very many tracks are looked up elsewhere.
      return await Blocking.run { () -> MusicFolder? in
        let all = index.files
        let permitted = open.map { all.only(in: $0) } ?? all
        let files = members.compactMap { permitted[$0] }
        if files.isEmpty, !index.isWhole { return nil }
        let there = isFree ? files.count : members.count { all[$0] != nil }
        return MusicFolder(
          collected: files, as: name, missing: index.isWhole ? members.count - there : 0,
          closed: there - files.count, isWhole: index.isWhole)
      }
    } catch {
      let reason = error.description
      if told.insert([id, name]).inserted { logger.warning("\(id): programme: \(reason)") }
      return MusicFolder(name).away(reason)
    }
  }

  /// What there is of tracks that a programme plays besides.
  func lent(_ keys: Set<TrackKey>, isFree: Bool) -> MusicFolder {
    let permitted = isFree ? index.files : index.files.only(in: openRoots)
    return MusicFolder(
      MusicShelf.lentKey, files: keys.compactMap { permitted[$0] }, isWhole: true)
  }
}
