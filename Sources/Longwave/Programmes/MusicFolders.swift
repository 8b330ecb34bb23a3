import Ingest
import Library
import Media
import Settings
import Threads
import Timeshift
import Wire

/// All music that is there: the roots of the configuration, and programmes' folders that lie in none.
///
/// One look serves all: what lies in a root is a part of what is known of the root. Roots are looked through one after
/// the other, behind everything else; one whose disk hangs keeps its thread, and no other root waiting.
actor MusicFolders {
  typealias Change = @Sendable ([String: MusicFolder]) async -> Void

  /// Where a folder's music is known.
  struct Place: Hashable, Sendable {
    /// The path of the folder that is looked through.
    var looked: String
    /// The path below it.
    var part: [UInt8] = []
  }

  private struct Follower {
    var folders: Set<String>
    var change: Change
  }

  /// Seconds in which a folder has to say where it lies.
  private static let placeSeconds = 5.0
  private static let progressSeconds = 2.0

  let tagProgram: [String]?
  let store: RootStore
  let tell: @Sendable (MusicEvent) -> Void
  let pace: LookPace
  let turns = FolderTurns()
  private let firstTurns = FolderTurns()
  /// Looks at everything in a folder, one folder after the other.
  let order = Turnstile()
  private let data: String
  private var recordings: [String] = []
  private(set) var settings = LibrarySettings()
  /// By path.
  var looked: [String: LookedFolder] = [:]
  private var places: [String: Place] = [:]
  private var followers: [String: Follower] = [:]
  /// What is known of a programme's folder that was never looked through: its first files.
  private var firsts: [String: MusicFolder] = [:]
  /// Nil while nothing is watched.
  var watch: FolderWatch?
  /// Why there is no watch.
  var whyNoWatch: String?

  /// - Parameters:
  ///   - data: the folder of the relay's own files, which is left out.
  ///   - tagProgram: what reads tags; nil: names of files say what they are.
  ///   - tell: called with what happens to roots; must not block.
  init(
    data: String, tagProgram: [String]?, store: RootStore = RootStore(),
    pace: LookPace = LookPace(),
    tell: @escaping @Sendable (MusicEvent) -> Void = { _ in }
  ) {
    (self.data, self.tagProgram, self.store) = (data, tagProgram, store)
    (self.pace, self.tell) = (pace, tell)
  }

  // MARK: Its owner's calls

  /// Looks through the roots of a configuration from now on.
  func use(_ configuration: Configuration) async {
    let old = settings
    settings = configuration.library
    recordings = [configuration.recordings.folder(inData: data)]
    let before = places
    await find(followed)
    // A folder that lies in another root by now is played as it was known until that was looked through.
    var kept: [String: MusicFolder] = [:]
    for (folder, place) in before where places[folder] != place { kept[folder] = known(at: place) }
    arrange()
    for (folder, music) in kept where places[folder] != nil { firsts[folder] = music }
    if old != settings { for path in looked.keys { wake(path) } }
    for id in followers.keys { await tell(id) }
  }

  /// Ends all looks and watches.
  func end() {
    for folder in looked.values { folder.end() }
    looked = [:]
    followers = [:]
    watch?.end()
    watch = nil
  }

  /// Calls `change` with what the folders have, as soon as something is known of them, and whenever it changes.
  ///
  /// - Parameter hurries: whether the first files of a folder are looked at before its turn comes.
  func follow(
    _ folders: Set<String>, as id: String, hurries: Bool = false, _ change: @escaping Change
  ) async {
    followers[id] = Follower(folders: folders, change: change)
    arrange()
    // A disk that hangs must not hold up the station.
    Task { [weak self] in await self?.begin(id, hurries: hurries) }
    await tell(id)
  }

  private func begin(_ id: String, hurries: Bool) async {
    let folders = followers[id]?.folders ?? []
    await find(folders.filter { places[$0] == nil })
    arrange()
    if hurries { for folder in folders { lookAtFirst(of: folder) } }
    await tell(id)
  }

  func leave(_ id: String) {
    followers[id] = nil
    arrange()
  }

  /// Leaves out a file that could not be played, until it changes.
  func refuse(_ file: MusicFile, _ reason: String) async {
    if looked[file.root]?.progress != nil { looked[file.root]?.refusedMeanwhile[file] = reason }
    let isFirst = firsts[file.root]?.refuse(file, reason) == true
    let isKnown = looked[file.root]?.content.refuse(file, reason) == true
    if isFirst || isKnown { await tellAll(file.root) }
  }

  /// Looks through a root now, or through all.
  ///
  /// - Parameters:
  ///   - id: nil for all roots.
  ///   - accepts: whether what is found counts, even if much is gone that was known.
  /// - Returns: false if there is no such root.
  func scan(_ id: String?, accepts: Bool) -> Bool {
    let wanted = looked.filter { $0.value.root.map { id == nil || $0.id == id } ?? false }
    for path in wanted.keys {
      if accepts { looked[path]?.isAccepted = true }
      wake(path)
    }
    return id == nil || !wanted.isEmpty
  }

  /// Where the roots lie, by their ids.
  var rootFolders: [String: String] {
    Dictionary(settings.roots.map { ($0.id, $0.path) }) { first, _ in first }
  }

  /// The roots, in the order of the configuration.
  var roots: [RootReport] {
    settings.roots.compactMap { root in looked[root.path].map { RootReport(root, $0) } }
  }

  /// The folder of the relay's own files as it is now. Blocks.
  var hidden: @Sendable () -> PrivateFolder? {
    { [data, recordings] in PrivateFolder(data, except: recordings) }
  }

  // MARK: Where folders lie

  private var followed: Set<String> {
    followers.values.reduce(into: Set<String>()) { $0.formUnion($1.folders) }
  }

  /// Finds out where folders lie: the disk decides, since links may lead anywhere.
  private func find(_ folders: Set<String>) async {
    await withDiscardingTaskGroup { group in
      for folder in folders { group.addTask { await self.find(folder) } }
    }
  }

  private func find(_ folder: String) async {
    let roots = settings.roots.map(\.path)
    let found = await turns.run(in: "the place of \(folder)", within: Self.placeSeconds) {
      Place.of(folder, among: roots, real: PrivateFolder.real)
    }
    if roots == settings.roots.map(\.path) {
      places[folder] = found ?? Place.of(folder, among: roots) { _ in nil }
    }
  }

  /// Begins with folders that are to be looked through, and ends with others.
  private func arrange() {
    let followed = followed
    places = places.filter { followed.contains($0.key) }
    firsts = firsts.filter { followed.contains($0.key) }
    let roots = Dictionary(settings.roots.map { ($0.path, $0) }) { first, _ in first }
    let wanted = Set(roots.keys).union(places.values.map(\.looked))
    setWatch(isWanted: !wanted.isEmpty)
    for (path, folder) in looked where !wanted.contains(path) {
      folder.end()
      watch?.leave(path)
      looked[path] = nil
    }
    for path in wanted.sorted() {
      if let known = looked[path] {
        // In another charset titles are others.
        if known.root?.encoding != roots[path]?.encoding { looked[path]?.isForgotten = true }
        looked[path]?.root = roots[path]
        continue
      }
      looked[path] = LookedFolder(path, roots[path])
      tellProgress(of: path)
      looked[path]?.looks = Task { [weak self] in
        await self?.recall(path)
        while !Task.isCancelled, let pause = await self?.look(path) {
          await self?.rest(path, for: pause)
        }
      }
    }
  }

  /// Looks at a folder's first files, if nothing is known of it, whatever else is looked through.
  private func lookAtFirst(of folder: String) {
    guard firsts[folder] == nil, let place = places[folder],
      looked[place.looked]?.content.isWhole != true
    else { return }
    firsts[folder] = MusicFolder(folder)
    let (hidden, tags) = (hidden, tagReader(of: place.looked))
    Task { [weak self, firstTurns] in
      let found = await firstTurns.run(in: folder, within: nil) {
        MusicScan(folder, hidden: hidden(), tags: tags()).first()
      }
      if let found { await self?.takeFirst(found, of: folder) }
    }
  }

  private func takeFirst(_ found: MusicFolder, of folder: String) async {
    guard let place = places[folder], firsts[folder] != nil else { return }
    firsts[folder] = found
    if found.isWhole, place.looked == folder, looked[folder]?.content.isWhole == false {
      looked[folder]?.content = found
    }
    await tellAll(place.looked)
  }

  /// Returns what makes the reader of a folder's tags, on the thread of the look.
  func tagReader(of path: String) -> @Sendable () -> TagReader? {
    let encoding = looked[path]?.root?.encoding
    return { [tagProgram] in
      tagProgram.map { program in
        encoding.map { TagReader(program: program, charset: $0.reader) }
          ?? TagReader(program: program)
      }
    }
  }

  // MARK: Telling

  /// Tells how far the first look at a folder has come.
  private func tellProgress(of path: String) {
    Task { [weak self] in
      while true {
        try? await Task.sleep(for: .seconds(Self.progressSeconds))
        guard await self?.tellWaiting(for: path) == true else { return }
      }
    }
  }

  /// Tells those who wait for a folder's first look; false when it has ended.
  private func tellWaiting(for path: String) async -> Bool {
    guard let folder = looked[path], !folder.content.isWhole, folder.content.problem == nil else {
      return false
    }
    for (id, follower) in followers
    where follower.folders.contains(where: {
      places[$0]?.looked == path && known(of: $0)?.files.isEmpty ?? true
    }) {
      await tell(id)
    }
    return true
  }

  func tellAll(_ path: String) async {
    for (id, follower) in followers
    where follower.folders.contains(where: { places[$0]?.looked == path }) {
      await tell(id)
    }
  }

  private func tell(_ id: String) async {
    guard let follower = followers[id] else { return }
    var found: [String: MusicFolder] = [:]
    for folder in follower.folders { found[folder] = known(of: folder) }
    await follower.change(found)
  }

  /// What is known of a programme's folder; nil before anything is.
  private func known(of folder: String) -> MusicFolder? {
    guard let place = places[folder] else { return nil }
    if let known = known(at: place) { return known }
    if let first = firsts[folder], !first.files.isEmpty { return first }
    guard let count = looked[place.looked]?.progress?.looked, count > 0 else { return nil }
    var begun = MusicFolder(folder)
    begun.lookedSoFar = count
    return begun
  }

  /// What is known at a place that was looked through; nil of any other.
  private func known(at place: Place) -> MusicFolder? {
    guard let content = looked[place.looked]?.content, content.isWhole || content.problem != nil
    else { return nil }
    return content.part(place.part)
  }

  /// Forgets the first files of folders of which all is known.
  func dropFirsts(of path: String) {
    guard looked[path]?.content.isWhole == true else { return }
    for (folder, place) in places where place.looked == path { firsts[folder] = nil }
  }
}

extension MusicFolders.Place {
  /// The deepest folder of a root that is looked at.
  private static let depthMax = 32

  /// Returns where a folder lies: in one of the roots, or in none. May block.
  ///
  /// - Parameter real: resolves the links of a path; nil where nothing is there.
  static func of(
    _ folder: String, among roots: [String], real: (String) -> String?
  ) -> MusicFolders.Place {
    let own = real(folder)
    for root in roots {
      // A folder that is not there yet lies where its path says.
      let place = own.flatMap { own in real(root).map { (own, $0) } } ?? (written(folder), root)
      guard PrivateFolder.isInside(place.0, place.1) else { continue }
      let parts = place.0.utf8.dropFirst(place.1.utf8.count).split(separator: UInt8(ascii: "/"))
      // What the look at a root leaves out is looked through by itself.
      if parts.count > depthMax || parts.contains(where: { $0.first == UInt8(ascii: ".") }) {
        break
      }
      return MusicFolders.Place(
        looked: root, part: Array(parts.joined(separator: [UInt8(ascii: "/")])))
    }
    return MusicFolders.Place(looked: folder)
  }

  private static func written(_ path: String) -> String {
    "/"
      + path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
      .filter { $0 != "." }.joined(separator: "/")
  }
}
