import Library
import Programmes
import Timeshift
import Wire

/// Which tracks of a programme's sources people mean. All files are looked at, so no thread that others wait for does it.
extension MusicShelf {
  /// Returns those of some tracks that are in none of the sources.
  func strangers(among tracks: [ProgrammeCommand.Track]) -> [ProgrammeCommand.Track] {
    var wanted = WantedPaths(tracks)
    var found: Set<Int> = []
    for (index, track) in tracks.enumerated() {
      if case .key(let key) = track, files.values.contains(where: { $0[key] != nil }) {
        found.insert(index)
      }
    }
    for files in files.values where !wanted.isEmpty {
      for file in files { found.formUnion(wanted.take(file)) }
    }
    return tracks.indices.filter { !found.contains($0) }.map { tracks[$0] }
  }

  /// Returns what is to be queued for tracks, each in its source, or by its key where it is lent.
  func entries(
    of tracks: [ProgrammeCommand.Track], _ place: ProgrammeCommand.Place
  ) throws(ProgrammeFeed.Refusal) -> [ProgrammeState.Queued] {
    var due: Int64?
    if case .at(let time) = place { due = time.milliseconds }
    let sources = files.sorted { $0.key.text < $1.key.text }
    var wanted = WantedPaths(tracks)
    var entries: [ProgrammeState.Queued?] = tracks.map { track in
      guard case .key(let key) = track else { return nil }
      if let source = sources.first(where: { $0.value[key] != nil }) {
        return ProgrammeState.Queued(source: source.key, key: key, due: due)
      }
      return lent?[key] == nil ? nil : ProgrammeState.Queued(source: nil, key: key, due: due)
    }
    for (source, files) in sources where !wanted.isEmpty {
      for file in files {
        for index in wanted.take(file) {
          entries[index] = ProgrammeState.Queued(source: source, key: file.key, due: due)
        }
      }
    }
    var found: [ProgrammeState.Queued] = []
    for (track, entry) in zip(tracks, entries) {
      guard let entry else {
        throw refusal(of: track).map { .trackRefused(track.text, reason: $0) }
          ?? .unknownTrack(track.text)
      }
      found.append(entry)
    }
    return found
  }

  /// Why a track is left out; nil of one that is not, or not known.
  private func refusal(of track: ProgrammeCommand.Track) -> String? {
    let lent = lentFolder.map { [$0] } ?? []
    for folder in folders.sorted(by: { $0.key < $1.key }).map(\.value) + lent {
      switch track {
      case .key(let key):
        if let file = folder.files.first(where: { $0.key == key }) { return obstacle(to: file) }
      case .path(let path):
        let wanted = PathText.resolved(Array(path.utf8), in: [])
        let refused = folder.refused.first {
          wanted == MusicFile.absolute($0.path, in: folder.root)
        }
        if let refused { return refused.reason }
        if let file = folder.files.first(where: { $0.absolutePath == wanted }) {
          return obstacle(to: file)
        }
      case .collection: return nil
      }
    }
    return nil
  }

  private func obstacle(to file: MusicFile) -> String? {
    if file.isAny(of: excluded) { return Self.excludedWords }
    return fit?.obstacle(to: file)
  }
}

/// Files that are wanted by their absolute paths, and not found yet.
private struct WantedPaths {
  private let slash = UInt8(ascii: "/")
  /// Indices of what is wanted, by path.
  private var paths: [[UInt8]: [Int]] = [:]
  /// The paths that lie below each folder, as they are written in it.
  private var below: [[UInt8]: [[UInt8]: [[UInt8]]]] = [:]

  init(_ tracks: [ProgrammeCommand.Track]) {
    for (index, track) in tracks.enumerated() {
      if case .path(let path) = track { paths[Array(path.utf8), default: []].append(index) }
    }
  }

  var isEmpty: Bool { paths.isEmpty }

  /// Takes out what a file is; returns the indices.
  mutating func take(_ file: MusicFile) -> [Int] {
    // A path is that of all of the file.
    if file.whole != nil { return [] }
    let root = Array(file.root.utf8)
    if below[root] == nil { below[root] = places(in: root) }
    return (below[root]?[file.path] ?? []).flatMap { paths.removeValue(forKey: $0) ?? [] }
  }

  private func places(in root: [UInt8]) -> [[UInt8]: [[UInt8]]] {
    var places: [[UInt8]: [[UInt8]]] = [:]
    for path in paths.keys where path.starts(with: root) {
      let rest = path.dropFirst(root.count)
      // Slashes may be doubled.
      guard rest.isEmpty || rest.first == slash || root.last == slash else { continue }
      places[Array(rest.drop { $0 == slash }), default: []].append(path)
    }
    return places
  }
}
