import Wire

/// Files by their tracks: four bytes for each beside the files themselves. Of equal tracks the first file counts.
public struct TrackFiles: Sequence, Sendable {
  private let files: MusicFiles
  /// Places in `files`, by rising key, each key once.
  private let byKey: [UInt32]

  /// - Parameter isWanted: whether a file is found.
  public init(_ files: MusicFiles, where isWanted: (MusicFile) -> Bool = { _ in true }) {
    self.files = files
    var keys: [(key: TrackKey, place: UInt32)] = []
    for (place, file) in files.enumerated() where isWanted(file) {
      keys.append((file.key, UInt32(truncatingIfNeeded: place)))
    }
    keys.sort { ($0.key, $0.place) < ($1.key, $1.place) }
    var last: TrackKey?
    byKey = keys.compactMap { key, place in
      defer { last = key }
      return key == last ? nil : place
    }
  }

  /// The number of tracks.
  public var count: Int { byKey.count }

  /// Returns the file of a track by its place among all, by rising key.
  public func file(at place: Int) -> MusicFile { files[Int(byKey[place])] }

  /// Whether these are all of some files, as they are.
  public func areAll(of files: MusicFiles) -> Bool { files == self.files }

  public subscript(key: TrackKey) -> MusicFile? {
    var (low, high) = (0, byKey.count)
    while low < high {
      let middle = (low + high) / 2
      if files[Int(byKey[middle])].key < key { low = middle + 1 } else { high = middle }
    }
    guard low < byKey.count else { return nil }
    let file = files[Int(byKey[low])]
    return file.key == key ? file : nil
  }

  /// The files, by rising key of their tracks.
  public func makeIterator() -> AnyIterator<MusicFile> {
    var places = byKey.makeIterator()
    return AnyIterator { [files] in places.next().map { files[Int($0)] } }
  }
}
