import Library
import Media
import Programmes
import Wire

/// The music of a programme's folders, lists and collections, in the format that the programme has.
struct MusicShelf: Sendable {
  let stock: Stock
  /// What alone can be played; nil while no music is known.
  let format: AudioFormat?
  /// Why there is nothing to play, for people.
  let lack: String
  /// What the log tells of files that are left out; nil where there are none.
  let remark: String?
  /// Whether all folders were looked through, and are there.
  let isWhole: Bool
  /// The number of tracks that can be played.
  let count: Int
  /// Equal for equal tracks, whatever their order.
  let fingerprint: UInt64
  /// Files that are left out, and the first of them.
  let refusedCount: Int
  let refused: [ProgrammeSnapshot.Refused]
  let files: [Source: TrackFiles]
  /// All that is known of the sources, by their keys.
  let folders: [String: MusicFolder]
  /// Tracks that are not played.
  let excluded: Set<TrackKey>

  /// - Parameters:
  ///   - folders: sources by their keys; one without an entry is being looked through.
  ///   - format: that of the station's log; nil: that of most of the music.
  ///   - takesFirst: whether a folder is played of which the first files alone are known. A programme that has played
  ///     before would lose its place in it.
  ///   - excluded: tracks that are not played.
  init(
    _ folders: [String: MusicFolder], of roots: Set<String>, in format: AudioFormat?,
    takesFirst: Bool = true, without excluded: Set<TrackKey> = []
  ) {
    let format = format ?? Self.format(of: folders.values)
    var stock = Stock()
    var files: [Source: TrackFiles] = [:]
    for (root, folder) in folders {
      func isPlayed(_ file: MusicFile) -> Bool {
        file.format == format && !excluded.contains(file.key)
      }
      let playable = folder.files.lazy.filter(isPlayed)
      // Among the first files there may be none, and among the others some.
      let isPartial = !folder.isWhole && folder.problem == nil
      if isPartial, playable.isEmpty || !takesFirst { continue }
      let source = Self.source(root)
      files[source] = TrackFiles(folder.files, where: isPlayed)
      stock.catalogues[source] = Catalogue(
        playable.map {
          Catalogue.Track(
            key: $0.key, seconds: $0.seconds, isExact: $0.isExact, artist: $0.artist.lowercased(),
            title: $0.title.lowercased(), album: $0.album.lowercased(),
            added: $0.identity.modified / 1_000_000_000)
        })
    }
    (self.stock, self.format, self.files) = (stock, format, files)
    (self.folders, self.excluded) = (folders, excluded)
    let hasExcluded = folders.values.contains { folder in
      folder.files.contains { excluded.contains($0.key) }
    }
    lack = Self.lack(folders, of: roots, hasExcluded: hasExcluded)
    remark = Self.remark(folders, in: format)
    isWhole =
      folders.count == roots.count
      && folders.values.allSatisfy { $0.isWhole && $0.problem == nil }
    count = stock.catalogues.values.reduce(0) { $0 + $1.count }
    fingerprint = stock.catalogues.values.reduce(0) { print, catalogue in
      catalogue.tracks.reduce(print &+ UInt64(catalogue.count)) {
        $0 &+ ($1.key.high ^ $1.key.low)
      }
    }
    (refusedCount, refused) = Self.refused(folders, in: format)
  }

  init() { self.init([:], of: [], in: nil) }

  /// Why a file is left out whose format is not the programme's, in words that follow its name.
  static let otherFormat = "is of another format than most of the music"
  /// The same of a track that people have said so of.
  static let excludedWords = "is kept out of every programme"

  /// What a list is known by. A folder is known by its path, a collection by its name.
  static func key(ofList path: String) -> String { Source.list(path).text }

  private static func source(_ key: String) -> Source {
    key.utf8.first == UInt8(ascii: "/") ? .folder(key) : (try? Source(key)) ?? .collection(key)
  }

  /// The file of an item; nil of one that is no file, or gone.
  func file(of planned: Planned) -> MusicFile? {
    guard let key = planned.track?.key, let source = planned.source else { return nil }
    return files[source]?[key]
  }

  /// The files of all sources; one that is in several counts for each.
  var fileCount: Int { files.values.reduce(0) { $0 + $1.count } }

  /// Returns a file by its place among all; nil behind the last.
  func file(at place: Int) -> MusicFile? {
    var place = place
    for tracks in files.values {
      if place < tracks.count { return tracks.file(at: place) }
      place -= tracks.count
    }
    return nil
  }

  private static func refused(
    _ folders: [String: MusicFolder], in format: AudioFormat?
  ) -> (Int, [ProgrammeSnapshot.Refused]) {
    var (count, list): (Int, [ProgrammeSnapshot.Refused]) = (0, [])
    for (_, folder) in folders.sorted(by: { $0.key < $1.key }) {
      let others = folder.files.lazy.filter { $0.format != format }
      count += folder.refused.count + others.count
      list += folder.refused.prefix(ProgrammeSnapshot.refusedMax - list.count).map {
        .init(track: nil, path: MusicFolder.shown($0.path, in: folder.root), reason: $0.reason)
      }
      list += others.prefix(ProgrammeSnapshot.refusedMax - list.count).map {
        .init(
          track: $0.key, path: $0.shownPath,
          reason: Self.otherFormat)
      }
    }
    return (count, list)
  }

  /// The first line is for everybody; the second, for administrators, names folders.
  private static func lack(
    _ folders: [String: MusicFolder], of roots: Set<String>, hasExcluded: Bool
  ) -> String {
    let sorted = roots.sorted()
    if let waiting = sorted.first(where: { folders[$0]?.isBegun ?? true }) {
      let count = folders[waiting]?.lookedSoFar ?? 0
      return "looks through its music" + (count > 0 ? ": \(count) files so far" : "")
        + "\n\(waiting)"
    }
    if let (root, problem) = sorted.lazy.compactMap({ root in
      folders[root]?.problem.map { (root, $0) }
    }).first {
      return "its music cannot be looked through\n\(root): \(problem)"
    }
    let refused = folders.values.reduce(0) { $0 + $1.refused.count }
    let list = sorted.joined(separator: ", ")
    return switch refused {
    case 0 where hasExcluded: "all of its music is kept out of every programme\n\(list)"
    case 0: "there is no music in its folders\n\(list)"
    case 1: "its only file cannot be played\n\(list)"
    default: "none of its \(refused) files can be played\n\(list)"
    }
  }

  /// Returns what to tell of files that are left out; nil while there are none, or not all is known.
  private static func remark(
    _ folders: [String: MusicFolder], in format: AudioFormat?
  ) -> String? {
    guard folders.values.allSatisfy(\.isWhole) else { return nil }
    var (left, example): (Int, String?) = (0, nil)
    for (_, folder) in folders.sorted(by: { $0.key < $1.key }) {
      let others = folder.files.lazy.filter { $0.format != format }
      left += folder.refused.count + others.count
      if example == nil {
        example =
          folder.refused.first.map { "\(MusicFolder.shown($0.path, in: folder.root)) \($0.reason)" }
          ?? others.first.map { "\($0.shownPath) \(Self.otherFormat)" }
      }
    }
    let all = folders.values.reduce(0) { $0 + $1.files.count + $1.refused.count }
    return example.map { "\(left) of \(all) files are left out; \($0)" }
  }

  /// The format of most seconds of music.
  private static func format(of folders: some Sequence<MusicFolder>) -> AudioFormat? {
    var seconds: [AudioFormat: Double] = [:]
    for file in folders.lazy.flatMap(\.files) { seconds[file.format, default: 0] += file.seconds }
    return seconds.max { ($0.value, "\($0.key)") < ($1.value, "\($1.key)") }?.key
  }
}

extension MusicFolder {
  /// Whether the first look at it has found nothing yet, and goes on.
  fileprivate var isBegun: Bool { !isWhole && problem == nil && files.isEmpty }
}
