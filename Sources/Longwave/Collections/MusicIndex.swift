import Library
import Programmes
import Wire

/// The tracks of all folders that were looked through, by their keys.
struct MusicIndex: Sendable {
  /// Files by their tracks.
  struct Tracks: Sendable {
    fileprivate var folders: [TrackFiles] = []
    /// The folders' paths.
    fileprivate var roots: [String] = []
    /// What lists have. Parts of files are in no folder.
    fileprivate var lists: [TrackFiles] = []
    /// The folders whose files count in lists; nil: all.
    fileprivate var listed: Set<String>?

    /// The first file of a track, in the order of the folders' paths, else what lists have of it.
    subscript(key: TrackKey) -> MusicFile? {
      folders.lazy.compactMap { $0[key] }.first
        ?? lists.lazy.compactMap { $0[key] }.first { file in
          guard let listed else { return true }
          // The root of a list's file is the list's folder, which may stand in one of these.
          let path = Array(file.root.utf8)
          return listed.contains { $0 == file.root || PathText.below(Array($0.utf8), path) != nil }
        }
    }

    /// Those of some folders.
    func only(in wanted: Set<String>) -> Tracks {
      var tracks = Tracks()
      (tracks.lists, tracks.listed) = (lists, wanted)
      for (root, files) in zip(roots, folders) where wanted.contains(root) {
        tracks.add(root, files)
      }
      return tracks
    }

    fileprivate mutating func add(_ root: String, _ files: TrackFiles) {
      roots.append(root)
      folders.append(files)
    }

    /// The first file of each track in the folders.
    var values: some Sequence<MusicFile> {
      folders.indices.lazy.flatMap { [folders] place in
        folders[place].lazy.filter { file in
          !folders[..<place].contains { $0[file.key] != nil }
        }
      }
    }
  }

  private(set) var files = Tracks()
  /// Whether all folders were looked through.
  private(set) var isWhole = true

  /// - Parameters:
  ///   - roots: the folders that are followed; one that has no entry is being looked through.
  ///   - lists: what programmes play besides.
  ///   - known: what is the same in it is not put in order again.
  init(
    _ folders: [String: MusicFolder], of roots: Set<String>, lists: [MusicFolder] = [],
    known: MusicIndex? = nil
  ) {
    let before = known.map { zip($0.files.roots, $0.files.folders) }
    files.lists = lists.map { list in
      known?.files.lists.first { $0.areAll(of: list.files) } ?? TrackFiles(list.files)
    }
    let known = before.map { Dictionary($0) { first, _ in first } } ?? [:]
    for root in roots.sorted() {
      guard let folder = folders[root] else {
        isWhole = false
        continue
      }
      if !folder.isWhole, folder.problem == nil { isWhole = false }
      let same = known[root].flatMap { $0.areAll(of: folder.files) ? $0 : nil }
      files.add(root, same ?? TrackFiles(folder.files))
    }
  }

  /// What finds the tracks of an imported list. Costs more than a glance.
  static func match(_ folders: [String: MusicFolder]) -> ListMatch {
    let all = folders.sorted { $0.key < $1.key }.flatMap(\.value.files)
    return ListMatch(
      files: all.lazy.map { ListMatch.File(root: $0.root, path: $0.path, track: $0.key) },
      tracks: all.lazy.map {
        ListMatch.Track(
          key: $0.key, artist: $0.artist, title: $0.title, seconds: $0.seconds)
      })
  }
}

extension MusicFile {
  /// The file's absolute path.
  var absolutePath: [UInt8] { Self.absolute(path, in: root) }

  /// The absolute path of what is below a folder; of the empty path the folder's.
  static func absolute(_ path: [UInt8], in folder: String) -> [UInt8] {
    Array(folder.utf8) + (path.isEmpty ? [] : [UInt8(ascii: "/")] + path)
  }
}
