import Library
import Media
import Threads
import Timeshift

/// The folders that programmes play, each looked through on a thread of its own behind everything else.
///
/// A folder is looked through once for all programmes, and again each minute, or as seldom as a look has cost.
actor MusicFolders {
  typealias Change = @Sendable ([String: MusicFolder]) async -> Void

  /// Seconds between two looks, and how much longer than a look they are at least.
  private static let (pauseSeconds, pauseShare) = (60.0, 50.0)
  private static let settleSeconds = 5.0

  private let turns = FolderTurns()
  private let hidden: PrivateFolder?
  private let tagProgram: [String]?
  private var folders: [String: MusicFolder] = [:]
  /// Folders of each programme, and what is called when they change.
  private var followers: [String: (roots: Set<String>, change: Change)] = [:]
  private var looks: [String: Task<Void, Never>] = [:]

  /// - Parameters:
  ///   - data: the folder of the relay's own files, which is left out.
  ///   - tagProgram: what reads tags; nil: names of files say what they are.
  init(data: String, tagProgram: [String]?) {
    (hidden, self.tagProgram) = (PrivateFolder(data), tagProgram)
  }

  /// Calls `change` with what the folders have, as soon as something is known of them, and whenever it changes.
  func follow(_ roots: Set<String>, as id: String, _ change: @escaping Change) async {
    followers[id] = (roots, change)
    dropUnused()
    for root in roots where looks[root] == nil {
      looks[root] = Task { [weak self] in
        while !Task.isCancelled, let pause = await self?.look(root) {
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
    guard folders[file.root]?.refuse(file, reason) == true else { return }
    await tellAll(file.root)
  }

  private func dropUnused() {
    let wanted = followers.values.reduce(into: Set<String>()) { $0.formUnion($1.roots) }
    for (root, look) in looks where !wanted.contains(root) {
      look.cancel()
      looks[root] = nil
      folders[root] = nil
    }
  }

  /// Looks through a folder; returns the seconds until the next look.
  private func look(_ root: String) async -> Double {
    let known = folders[root]
    let began = MonotonicTime.now()
    let first: @Sendable (MusicFolder) -> Void = { [weak self] found in
      Task { await self?.take(found, of: root) }
    }
    let found = await turns.run(in: root, within: nil) { [hidden, tagProgram] in
      SystemThread.stepBack()
      return MusicScan(
        root, hidden: hidden, known: known, tags: tagProgram.map { TagReader(program: $0) }
      )
      .look(tell: first)
    }
    if let found, !Task.isCancelled { await take(found, of: root) }
    let least = found?.isSettled == false ? Self.settleSeconds : Self.pauseSeconds
    return max(least, Self.pauseShare * MonotonicTime.now().seconds(since: began))
  }

  private func take(_ found: MusicFolder, of root: String) async {
    // What came of the first files must not take the place of what came of all.
    if looks[root] == nil || !found.isWhole && folders[root]?.isWhole == true { return }
    // A disk that is away forgets nothing: what was known is there again when it is.
    let found = found.problem == nil ? found : (folders[root] ?? found).away(found.problem)
    if found == folders[root] { return }
    folders[root] = found
    await tellAll(root)
  }

  private func tellAll(_ root: String) async {
    for (id, follower) in followers where follower.roots.contains(root) { await tell(id) }
  }

  private func tell(_ id: String) async {
    guard let follower = followers[id] else { return }
    await follower.change(folders.filter { follower.roots.contains($0.key) })
  }
}
