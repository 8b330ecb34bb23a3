import Media
import Timeshift
import Wire

/// What a list of files has, as it was when it was looked at.
public struct MusicList: Hashable, Sendable {
  /// Its files in its order; what is refused is named by its line.
  public internal(set) var music: MusicFolder
  /// Whether neither the list nor a file that it names is being written.
  public internal(set) var isSettled = true
  var files: ListedFiles?
  /// Files of which parts are played, whole.
  var wholes: [ListedFiles.Place: MusicFile] = [:]

  public init(_ list: String) { music = MusicFolder(list) }

  /// Leaves out a file that could not be played, until it changes; false if the list has it not.
  public mutating func refuse(_ file: MusicFile, _ reason: String) -> Bool {
    func isSame(_ other: MusicFile) -> Bool {
      other.root == file.root && other.path == file.path && other.key == file.key
    }
    guard let found = music.files.first(where: isSame) else { return false }
    music.files = MusicFiles(inOrder: music.files.lazy.filter { !isSame($0) })
    let place = ListedFiles.Place(root: found.root, path: found.path)
    wholes[place] = nil
    broken[place] = .init(
      path: found.path, identity: found.identity, reason: reason)
    return true
  }

  /// Files that cannot be played, by their places.
  var broken: [ListedFiles.Place: MusicFolder.Refused] = [:]
}

/// Looks through the files of a list, on the thread that calls it. Files are looked at as those of a folder are.
public struct MusicListScan {
  private let list: String
  private let rights: ListRights
  private let hidden: PrivateFolder?
  private let tags: TagReader?

  /// - Parameters:
  ///   - list: the absolute path of an m3u, m3u8, pls, xspf or cue.
  ///   - hidden: the folder of the relay's own files, which is left out.
  ///   - tags: nil: names of files say what they are.
  public init(
    _ list: String, _ rights: ListRights, hidden: PrivateFolder? = nil, tags: TagReader?
  ) {
    (self.list, self.rights, self.hidden, self.tags) = (list, rights, hidden, tags)
  }

  /// Whether a list, or one in it, is not what was read. Blocks.
  public static func hasChanged(_ known: MusicList) -> Bool {
    known.music.problem != nil || known.files.map { !$0.isCurrent } ?? true
  }

  /// Blocks. A list that is being written, is away or cannot be read keeps its last content.
  ///
  /// - Parameter tell: gets what was found among the first files, where nothing was known.
  public func look(_ known: MusicList?, tell: (MusicList) -> Void = { _ in }) -> MusicList {
    var list = known ?? MusicList(self.list)
    var isSettled = true
    if list.files?.isCurrent != true {
      do throws(ListProblem) {
        let read = try ListedFiles(self.list, rights, hidden: hidden)
        isSettled = read.texts.allSatisfy { Self.isSettled($0.identity) }
        // What is known is better than what may be half of it.
        if isSettled || list.files == nil { list.files = read }
      } catch {
        list.music = list.music.away(error.reason)
        return list
      }
    }
    if known == nil, let files = list.files, files.entries.count > MusicScan.firstFiles {
      list = look(at: files.entries.prefix(MusicScan.firstFiles), of: list)
      tell(list)
    }
    list = look(at: list.files?.entries[...] ?? [], of: list)
    list.music.isWhole = true
    if !isSettled { list.isSettled = false }
    return list
  }

  private static func isSettled(_ identity: MediaFile.Identity) -> Bool {
    let age = Moment.now().wall.seconds(since: WallTime(nanoseconds: identity.modified))
    return !(0..<MusicScan.settleSeconds).contains(age)
  }

  private func look(at entries: ArraySlice<ListedFiles.Entry>, of known: MusicList) -> MusicList {
    typealias Place = ListedFiles.Place
    var list = known
    // The file of each entry; nil of one that is not there.
    var places: [Place?] = []
    var found: [String: [MediaFolder.Found]] = [:]
    var seen: [Place: Bool] = [:]
    let old = known.wholes.merging(
      known.music.files.lazy.filter { $0.whole == nil }.map {
        (Place(root: $0.root, path: $0.path), $0)
      }
    ) { one, _ in one }
    for entry in entries {
      guard case .file(let choice, _, _) = entry else {
        places.append(nil)
        continue
      }
      places.append(choice.first { isThere($0, known: old, &seen, &found) })
    }
    var files: [Place: MusicFile] = [:]
    (list.broken, list.wholes) = ([:], [:])
    list.music = MusicFolder(self.list)
    list.isSettled = true
    let oldByRoot = Dictionary(grouping: old.values, by: \.root)
    let brokenByRoot = Dictionary(grouping: known.broken, by: \.key.root)
    for (root, found) in found {
      let before = MusicFolder(
        root, files: oldByRoot[root] ?? [], refused: (brokenByRoot[root] ?? []).map(\.value))
      let looked = MusicScan(root, hidden: hidden, known: before, tags: tags).look(at: found)
      for file in looked.folder.files { files[Place(root: root, path: file.path)] = file }
      for file in looked.folder.refused {
        list.broken[Place(root: root, path: file.path)] = file
      }
      if !looked.unsettled.isEmpty { list.isSettled = false }
    }
    var listed: [MusicFile] = []
    for (entry, place) in zip(entries, places) {
      var why = reason(entry, place.flatMap { list.broken[$0] }, isThere: place != nil)
      if let place, let file = files[place] {
        guard case .file(_, let line, let part?) = entry else {
          listed.append(file)
          continue
        }
        list.wholes[place] = file
        if let track = file.part(part) {
          listed.append(track)
          continue
        }
        why = "\(line) ends before this part of it begins"
      }
      if let why {
        let identity = list.files?.texts.first?.identity ?? Self.nowhere
        list.music.refused.append(.init(path: [], identity: identity, reason: why))
      }
    }
    list.music.files = MusicFiles(inOrder: listed)
    return list
  }

  private static let nowhere = MediaFile.Identity(device: 0, inode: 0, bytes: 0, modified: 0)

  /// Why an entry is not played; nil of a file that is being written.
  private func reason(
    _ entry: ListedFiles.Entry, _ broken: MusicFolder.Refused?, isThere: Bool
  ) -> String? {
    switch entry {
    case .left(let reason): reason
    case .file(_, let line, _):
      broken.map { "\(line) \($0.reason)" } ?? (isThere ? nil : "\(line) is not there")
    }
  }

  private func isThere(
    _ place: ListedFiles.Place, known: [ListedFiles.Place: MusicFile],
    _ seen: inout [ListedFiles.Place: Bool], _ found: inout [String: [MediaFolder.Found]]
  ) -> Bool {
    if let known = seen[place] { return known }
    var isThere = true
    do throws(MediaFolder.Refusal) {
      found[place.root, default: []].append(
        try MediaFolder.found(place.path, in: place.root, hidden: hidden))
    } catch {
      // A shortage forgets nothing.
      if error == .busy, let same = known[place] {
        found[place.root, default: []].append(.init(path: place.path, identity: same.identity))
      } else {
        isThere = false
      }
    }
    seen[place] = isThere
    return isThere
  }
}

extension MusicFile {
  /// Returns a part of the file, a track by itself; nil of a part that it has not.
  fileprivate func part(_ part: ListedFiles.Part) -> MusicFile? {
    guard part.cue.start < seconds || !isExact else { return nil }
    var track = self
    (track.cue, track.whole, track.key) = (part.cue, key, key.part(part.cue))
    track.title = part.title ?? title
    track.artist = part.artist ?? artist
    return track
  }
}
