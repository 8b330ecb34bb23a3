import Threads
import Timeshift

/// Folders of a relay whose disks do not answer: a look into them would wait for ever.
package struct SilentFolders: Hashable, Sendable {
  package private(set) var paths: [String] = []

  package typealias Question = @Sendable (_ folder: String, _ writes: Bool) -> Bool

  package static let question: Question = { folder, writes in
    FolderQuestion.isAnswered(folder, writes: writes, within: SilentPath.patience)
  }

  package init() {}

  /// Asks all folders that a relay uses, at the same time.
  package static func find(
    _ configuration: Configuration, data: String, answers: @escaping Question = question
  ) async -> SilentFolders {
    let recordings = configuration.recordings.folder(inData: data)
    let windows = data + "/stations"
    let named =
      configuration.stations.flatMap { $0.namedPaths.values }
      + configuration.library.roots.map(\.path)
    var silent = await ask([data, windows, recordings], writes: true, answers)
    silent.paths += await ask(named.filter { !silent.hold($0) }, writes: false, answers).paths
    if silent.hold(windows) { return silent }
    let links = await Blocking.run { FolderQuestion.links(in: windows) }
    silent.paths += await ask(links, writes: true, answers).paths
    return silent
  }

  private static func ask(
    _ folders: [String], writes: Bool, _ answers: @escaping Question
  ) async -> SilentFolders {
    let found = await withTaskGroup(of: String?.self) { group in
      for folder in Set(folders) {
        group.addTask { await Blocking.run { answers(folder, writes) ? nil : folder } }
      }
      return await group.reduce(into: []) { $0 += $1.map { [$0] } ?? [] }
    }
    var silent = SilentFolders()
    for folder in found.sorted() where !silent.hold(folder) { silent.paths.append(folder) }
    return silent
  }

  package var isEmpty: Bool { paths.isEmpty }

  /// Whether a path is one of the silent folders, or inside one.
  package func hold(_ path: String) -> Bool {
    paths.contains { path == $0 || path.hasPrefix($0 + "/") }
  }

  package static let reason = "its disk has not answered for \(Int(SilentPath.patience)) s"
}
