import Library
import Media
import Programmes
import Wire

/// The music of a programme's folders, in the format that the programme has.
struct MusicShelf: Sendable {
  let stock: Stock
  /// What alone can be played; nil while no music is known.
  let format: AudioFormat?
  /// Why there is nothing to play, for people.
  let lack: String
  private let files: [Source: [TrackKey: MusicFile]]

  /// - Parameters:
  ///   - folders: by their paths; a folder without an entry is being looked through.
  ///   - format: that of the station's log; nil: that of most of the music.
  init(_ folders: [String: MusicFolder], of roots: Set<String>, in format: AudioFormat?) {
    let format = format ?? Self.format(of: folders.values)
    var stock = Stock()
    var files: [Source: [TrackKey: MusicFile]] = [:]
    for (root, folder) in folders {
      let playable = folder.files.filter { $0.format == format }
      // Among the first files there may be none, and among the others some.
      if playable.isEmpty, !folder.isWhole, folder.problem == nil { continue }
      files[.folder(root)] = Dictionary(playable.map { ($0.key, $0) }) { one, _ in one }
      stock.catalogues[.folder(root)] = Catalogue(
        playable.map {
          Catalogue.Track(
            key: $0.key, seconds: $0.seconds, isExact: $0.isExact, artist: $0.artist.lowercased(),
            title: $0.title.lowercased(), album: $0.album.lowercased(),
            added: $0.identity.modified / 1_000_000_000)
        })
    }
    (self.stock, self.format, self.files) = (stock, format, files)
    lack = Self.lack(folders, of: roots)
  }

  init() { self.init([:], of: [], in: nil) }

  /// The file of an item; nil of one that is no file, or gone.
  func file(of planned: Planned) -> MusicFile? {
    guard let key = planned.track?.key, let source = planned.source else { return nil }
    return files[source]?[key]
  }

  private static func lack(_ folders: [String: MusicFolder], of roots: Set<String>) -> String {
    let sorted = roots.sorted()
    if let waiting = sorted.first(where: { folders[$0] == nil }) {
      return "looks through \(waiting)"
    }
    if let (root, problem) = sorted.lazy.compactMap({ root in
      folders[root]?.problem.map { (root, $0) }
    }).first {
      return "cannot look through \(root): \(problem)"
    }
    let refused = folders.values.reduce(0) { $0 + $1.refused.count }
    let list = sorted.joined(separator: ", ")
    return refused == 0
      ? "there is no music in \(list)"
      : "of \(refused) files in \(list) none can be played"
  }

  /// The format of most seconds of music.
  private static func format(of folders: some Sequence<MusicFolder>) -> AudioFormat? {
    var seconds: [AudioFormat: Double] = [:]
    for file in folders.lazy.flatMap(\.files) { seconds[file.format, default: 0] += file.seconds }
    return seconds.max { ($0.value, "\($0.key)") < ($1.value, "\($1.key)") }?.key
  }
}
