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

  /// A collection and its members as they were shown.
  struct Paged {
    var view: CollectionView
    var members: [MemberView]
    fileprivate var version: Int
  }

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
  private var users: @Sendable () async -> [String: [String]] = { [:] }
  /// The folders whose tracks there are, by who has them looked through.
  private var roots: [String: Set<String>] = [:]
  /// Those of them whose tracks every programme may play, by the same.
  private var open: [String: Set<String>] = [:]
  var folders: [String: MusicFolder] = [:]
  private(set) var index = MusicIndex([:], of: [])
  /// How often music was found.
  private var taken = 0
  /// Counts what changes collections or their tracks.
  private var version = 0
  /// A collection whose next page is likely asked for soon.
  private var paged: Paged?
  /// Collections whose pages are being made, by their version and id.
  private var making: [String: Task<Result<Paged, RelayError>, Never>] = [:]
  private var followers: [String: Follower] = [:]
  /// How often each follower was to be told.
  private var turns: [String: Int] = [:]
  /// Unknown collections that were told, by programme and name.
  private var told: Set<[String]> = []
  /// The ids of the library's roots, by their paths.
  private var rootNames: [String: String] = [:]

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
    // Very many tracks are put in order elsewhere.
    let made = await Blocking.run { MusicIndex(found, of: roots, known: known) }
    // What took longer is older than what was found meanwhile.
    guard number == taken else { return }
    (folders, index) = (found, made)
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

  // MARK: Pages

  /// Seconds for which a collection is kept whose first members were shown.
  private static let pageSeconds = 10.0

  /// Returns a collection and its members, so that one page after the other costs no more than all of them at once.
  func pages(of id: String) async throws(RelayError) -> Paged {
    if let paged, paged.view.id == id, paged.version == version { return paged }
    // Who asks meanwhile costs nothing more.
    let key = "\(version) \(id)"
    let making =
      making[key]
      ?? Task {
        do throws(RelayError) {
          return .success(try await makePages(of: id))
        } catch {
          return .failure(error)
        }
      }
    self.making[key] = making
    defer { self.making[key] = nil }
    return try await making.value.get()
  }

  private func makePages(of id: String) async throws(RelayError) -> Paged {
    let began = version
    let stored = try await required(id)
    let all = try await expanded(id)
    let made = Paged(
      view: view(stored, of: all, await uses()), members: try await memberViews(of: stored, all),
      version: began)
    guard began == version else { return made }
    paged = made
    Task { [weak self] in
      try? await Task.sleep(for: .seconds(Self.pageSeconds))
      await self?.forgetPage(of: id)
    }
    return made
  }

  private func forgetPage(of id: String) { if paged?.view.id == id { paged = nil } }

  private func forgetPages() {
    version += 1
    paged = nil
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
    await know([], of: id)
  }

  /// Tells who plays a collection, or one that it is in, of its new content.
  func tellChange() async {
    forgetPages()
    for id in Array(followers.keys) { await tell(id) }
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
      let members = try await expanded(name).compactMap(\.track)
      told.remove([id, name])
      let all = index.files
      let permitted = isFree ? all : all.only(in: openRoots)
      let files = members.compactMap { permitted[$0] }
      if files.isEmpty, !index.isWhole { return nil }
      let there = isFree ? files.count : members.count { all[$0] != nil }
      return MusicFolder(
        collected: files, as: name, missing: index.isWhole ? members.count - there : 0,
        closed: there - files.count, isWhole: index.isWhole)
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

  // MARK: Members

  /// Returns the tracks and URLs of a collection in its order, with those of collections in it.
  func expanded(_ id: String) async throws(RelayError) -> [StoredMember] {
    var expansion = Expansion()
    return try await expanded(id, &expansion)
  }

  /// - Parameter expansion: what was expanded before for the same answer.
  func expanded(
    _ id: String, _ expansion: inout Expansion
  ) async throws(RelayError) -> [StoredMember] {
    try await expand(id, depth: 1, &expansion)
  }

  /// What is known while a collection is expanded: each one in it costs once, however often it stands there.
  struct Expansion {
    fileprivate var known: [String: [StoredMember]] = [:]
    /// Those that are being expanded: what is in itself is left out.
    fileprivate var open: Set<String> = []
  }

  private func expand(
    _ id: String, depth: Int, _ expansion: inout Expansion
  ) async throws(RelayError) -> [StoredMember] {
    if let known = expansion.known[id] { return known }
    guard depth <= CollectionTable.depthMax, expansion.open.insert(id).inserted else { return [] }
    defer { expansion.open.remove(id) }
    let found = try await required(id)
    var all: [StoredMember] = []
    if let rule = found.rule {
      all = try await tracks(of: rule, in: id, depth: depth, &expansion)
        .map { StoredMember(.track($0)) }
    } else {
      for member in try await members(of: id) {
        if case .collection(let child) = member.content {
          all += try await expandIfThere(child, depth: depth + 1, &expansion)
        } else {
          all.append(member)
        }
        if all.count >= CollectionTable.membersMax { break }
      }
    }
    if all.count > CollectionTable.membersMax {
      all.removeLast(all.count - CollectionTable.membersMax)
    }
    expansion.known[id] = all
    return all
  }

  /// A collection in another one that is gone has nothing.
  private func expandIfThere(
    _ id: String, depth: Int, _ expansion: inout Expansion
  ) async throws(RelayError) -> [StoredMember] {
    do throws(RelayError) {
      return try await expand(id, depth: depth, &expansion)
    } catch {
      if case .unknownCollection = error { return [] }
      throw error
    }
  }

  private func tracks(
    of rule: String, in id: String, depth: Int, _ expansion: inout Expansion
  ) async throws(RelayError) -> [TrackKey] {
    // A rule that was written by another version may not be understood.
    guard let rule = try? CollectionRule(rule) else { return [] }
    var lists: [String: Set<TrackKey>] = [:]
    for name in rule.collections {
      let members = try await expandIfThere(name, depth: depth + 1, &expansion)
      lists[name] = Set(members.compactMap(\.track))
    }
    let seed = id.utf8.reduce(Int64(5381)) { $0 &* 33 &+ Int64($1) }
    let around = CollectionRule.Surroundings(
      now: Moment.now().wall, seed: seed, lists: lists, roots: rootNames)
    // Costs more than an actor may take from others.
    return await Blocking.run { [files = index.files] in
      rule.files(of: files.values, around).map(\.key)
    }
  }

  func members(of id: String) async throws(RelayError) -> [StoredMember] {
    try await RelayError.attempt { try await store.members(of: id) }
  }

  /// Returns a collection, or throws with the name that is nearest.
  func required(_ id: String) async throws(RelayError) -> StoredCollection {
    if let found = try await RelayError.attempt({ try await store.collection(id) }) { return found }
    let all = try await RelayError.attempt { try await store.collections() }
    throw RelayError.unknownCollection(
      id, near: KeySuggestion.nearest(to: id, among: all.map(\.id)))
  }

  /// What is played by whom, worked out once for an answer.
  func uses() async -> CollectionUses {
    var uses = CollectionUses(users: await users())
    if uses.users.isEmpty { return uses }
    uses.around = (try? await store.collectionsAround()) ?? [:]
    for found in (try? await store.collections()) ?? [] {
      if let rule = found.rule { uses.add(rule: rule, of: found.id) }
    }
    return uses
  }
}
