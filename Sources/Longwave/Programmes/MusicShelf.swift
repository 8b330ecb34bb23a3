import Library
import Media
import Programmes
import Wire

/// The music of a programme's folders, lists and collections, in the format that the programme has.
struct MusicShelf: Sendable {
  let stock: Stock
  /// How files come into the programme's format; nil while no music is known.
  let fit: MusicFit?
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
  /// Files that are queued and in none of the sources.
  let lent: TrackFiles?
  /// All that is known of the sources, by their keys.
  let folders: [String: MusicFolder]
  /// All that is known of what is queued and in none of the sources.
  let lentFolder: MusicFolder?
  /// Tracks that are not played.
  let excluded: Set<TrackKey>
  /// What is played of tracks of which not all is.
  private let cues: [TrackKey: TrackCue]

  /// - Parameters:
  ///   - folders: sources by their keys; one without an entry is being looked through.
  ///   - format: that of the station's log; nil: that of most of the music.
  ///   - wish: the format that the programme is to have, whatever the log has; nil: none.
  ///   - takesFirst: whether a folder is played of which the first files alone are known. A programme that has played
  ///     before would lose its place in it.
  ///   - excluded: tracks that are not played.
  ///   - cues: what is played of tracks of which not all is.
  init(
    _ folders: [String: MusicFolder], of roots: Set<String>, in format: AudioFormat?,
    wish: Programme.Format? = nil, takesFirst: Bool = true, without excluded: Set<TrackKey> = [],
    cues: [TrackKey: TrackCue] = [:]
  ) {
    var (folders, roots) = (folders, roots)
    let lentFolder = folders.removeValue(forKey: Self.lentKey)
    roots.remove(Self.lentKey)
    let own = MusicFit(wish, log: format, of: folders.values.lazy.flatMap(\.files))
    // Before anything of its own is known, what is queued may be all there is.
    let fit = own ?? MusicFit(wish, log: format, of: lentFolder?.files ?? MusicFiles())
    var stock = Stock()
    var files: [Source: TrackFiles] = [:]
    var (left, hasExcluded) = (LeftOut(), false)
    func isPlayed(_ file: MusicFile) -> Bool {
      fit?.obstacle(to: file) == nil && !file.isAny(of: excluded)
    }
    for (root, folder) in folders.sorted(by: { $0.key < $1.key }) {
      left.add(folder.refused, in: folder.root)
      for file in folder.files {
        if let reason = fit?.obstacle(to: file) { left.add(file, reason) }
        if file.isAny(of: excluded) { hasExcluded = true }
      }
      let playable = folder.files.lazy.filter(isPlayed)
      // Among the first files there may be none, and among the others some.
      let isPartial = !folder.isWhole && folder.problem == nil
      if isPartial, playable.isEmpty || !takesFirst { continue }
      let source = Self.source(root)
      files[source] = TrackFiles(folder.files, where: isPlayed)
      stock.catalogues[source] = Catalogue(
        playable.map { Catalogue.Track(Self.part(of: $0, cues)) })
    }
    lent = lentFolder.map { TrackFiles($0.files, where: isPlayed) }
    stock.queued = Catalogue(
      (lent.map(Array.init) ?? []).map { Catalogue.Track(Self.part(of: $0, cues)) })
    (self.stock, self.fit, self.files, self.cues) = (stock, fit, files, cues)
    (self.folders, self.lentFolder, self.excluded) = (folders, lentFolder, excluded)
    lack = Self.lack(folders, of: roots, left.count, hasExcluded: hasExcluded)
    remark = folders.values.allSatisfy(\.isWhole) ? left.remark(ofAll: folders) : nil
    isWhole =
      folders.count == roots.count
      && folders.values.allSatisfy { $0.isWhole && $0.problem == nil }
    count = stock.catalogues.values.reduce(0) { $0 + $1.count }
    fingerprint = stock.catalogues.values.reduce(0) { print, catalogue in
      catalogue.tracks.reduce(print &+ UInt64(catalogue.count)) {
        $0 &+ ($1.key.high ^ $1.key.low)
      }
    }
    (refusedCount, refused) = (left.count, left.first)
  }

  init() { self.init([:], of: [], in: nil) }

  /// Why a track is left out of which people have said so, in words that follow its name.
  static let excludedWords = "is kept out of every programme"

  /// What tracks are known by that are queued and in none of the sources: no collection has such a name.
  static let lentKey = " queue"

  /// What a list is known by. A folder is known by its path, a collection by its name.
  static func key(ofList path: String) -> String { Source.list(path).text }

  private static func source(_ key: String) -> Source {
    key.utf8.first == UInt8(ascii: "/") ? .folder(key) : (try? Source(key)) ?? .collection(key)
  }

  /// Whether a track can be played.
  func has(_ key: TrackKey) -> Bool {
    lent?[key] != nil || files.values.contains { $0[key] != nil }
  }

  /// Of what alone can be played; nil while no music is known.
  var format: AudioFormat? { fit?.format }

  /// What an item's file is made into; nil of one that is played as it is.
  func making(of file: MusicFile) -> MadeFormat? {
    if case .made(let format)? = fit?.way(of: file) { format } else { nil }
  }

  /// The file of an item; nil of one that is no file, or gone.
  func file(of planned: Planned) -> MusicFile? {
    guard let key = planned.track?.key else { return nil }
    let file = planned.source.map { files[$0]?[key] } ?? lent?[key]
    return file.map { Self.part(of: $0, cues) }
  }

  /// A file of which that is played which people want; what a list says is played else.
  private static func part(of file: MusicFile, _ cues: [TrackKey: TrackCue]) -> MusicFile {
    guard !cues.isEmpty, let cue = cues[file.key] else { return file }
    var file = file
    file.cue = cue
    return file
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

  /// The first line is for everybody; the second, for administrators, names folders.
  private static func lack(
    _ folders: [String: MusicFolder], of roots: Set<String>, _ refused: Int, hasExcluded: Bool
  ) -> String {
    let sorted = roots.sorted()
    if let waiting = sorted.first(where: { folders[$0]?.isBegun ?? true }) {
      let count = folders[waiting]?.countSoFar ?? 0
      return "looks through its music" + (count > 0 ? ": \(count) files so far" : "")
        + "\n\(waiting)"
    }
    if let (root, problem) = sorted.lazy.compactMap({ root in
      folders[root]?.problem.map { (root, $0) }
    }).first {
      return "its music cannot be looked through\n\(root): \(problem)"
    }
    let list = sorted.joined(separator: ", ")
    return switch refused {
    case 0 where hasExcluded: "all of its music is kept out of every programme\n\(list)"
    case 0: "there is no music in its folders\n\(list)"
    case 1: "its only file cannot be played\n\(list)"
    default: "none of its \(refused) files can be played\n\(list)"
    }
  }
}

/// Files that are not played, and why.
private struct LeftOut {
  private(set) var count = 0
  private(set) var first: [ProgrammeSnapshot.Refused] = []

  private var hasRoom: Bool { first.count < ProgrammeSnapshot.refusedMax }

  mutating func add(_ refused: [MusicFolder.Refused], in root: String) {
    count += refused.count
    first += refused.prefix(ProgrammeSnapshot.refusedMax - first.count).map {
      .init(track: nil, path: MusicFolder.shown($0.path, in: root), reason: $0.reason)
    }
  }

  mutating func add(_ file: MusicFile, _ reason: String) {
    count += 1
    if hasRoom { first.append(.init(track: file.key, path: file.shownPath, reason: reason)) }
  }

  /// Returns what the log tells; nil where nothing is left out.
  func remark(ofAll folders: [String: MusicFolder]) -> String? {
    let all = folders.values.reduce(0) { $0 + $1.files.count + $1.refused.count }
    return first.first.map { "\(count) of \(all) files are left out; \($0.path) \($0.reason)" }
  }
}

extension Catalogue.Track {
  fileprivate init(_ file: MusicFile) {
    self.init(
      key: file.key, seconds: file.heardSeconds, isExact: file.isExact,
      artist: file.artist.lowercased(), title: file.title.lowercased(),
      album: file.album.lowercased(), added: file.identity.modified / 1_000_000_000)
  }
}

extension MusicFile {
  /// Whether it is one of some tracks, or a part of one.
  func isAny(of tracks: Set<TrackKey>) -> Bool {
    tracks.contains(key) || whole.map(tracks.contains) ?? false
  }
}

extension MusicFolder {
  /// Files that were found, or looked at, so far.
  fileprivate var countSoFar: Int { max(lookedSoFar, files.count + refused.count) }

  /// Whether the first look at it goes on.
  fileprivate var isBegun: Bool { !isWhole && problem == nil }
}
