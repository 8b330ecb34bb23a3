import Wire

/// Finds the tracks that an imported list means, among those of a library.
///
/// Tried in turn, for each reading of an entry's path: the same bytes from the list's folder on, then from each root on;
/// then the same text whatever its composition (NFC, NFD); then whatever its case. Where no path leads to a track, artist
/// and title do, with a length that differs by 2 s at most.
public struct ListMatch: Sendable {
  /// A file of the library.
  public struct File: Sendable {
    /// The root's path, without a slash at its end.
    public var root: String
    /// Below the root.
    public var path: [UInt8]
    public var track: TrackKey

    public init(root: String, path: [UInt8], track: TrackKey) {
      (self.root, self.path, self.track) = (root, path, track)
    }
  }

  public struct Track: Sendable {
    public var key: TrackKey
    public var artist: String
    public var title: String
    public var seconds: Double

    public init(key: TrackKey, artist: String, title: String, seconds: Double) {
      (self.key, self.artist, self.title, self.seconds) = (key, artist, title, seconds)
    }
  }

  /// What of an entry is found.
  public enum Answer: Hashable, Sendable {
    case track(TrackKey)
    case url(String)
    /// Why there is none, in words.
    case none(String)
  }

  private static let secondsMax = 2.0

  private let roots: [[UInt8]]
  private var byBytes: [[UInt8]: TrackKey] = [:]
  /// Swift compares texts by canonical equivalence, so that NFC and NFD are one key.
  private var byText: [String: TrackKey] = [:]
  private var byCase: [String: TrackKey] = [:]
  private var byName: [String: [Track]] = [:]

  public init(files: some Sequence<File>, tracks: some Sequence<Track>) {
    var roots: [[UInt8]] = []
    for file in files {
      let root = PathText.resolved(Array(file.root.utf8), in: [])
      if !roots.contains(root) { roots.append(root) }
      let path = PathText.resolved(file.path, in: root)
      let text = Charset.decode(path)
      if byBytes[path] == nil { byBytes[path] = file.track }
      if byText[text] == nil { byText[text] = file.track }
      let lower = text.lowercased()
      if byCase[lower] == nil { byCase[lower] = file.track }
    }
    self.roots = roots
    for track in tracks where !track.title.isEmpty {
      byName[Self.name(track.artist, track.title), default: []].append(track)
    }
  }

  private static func name(_ artist: String, _ title: String) -> String {
    artist.lowercased() + "\u{0}" + title.lowercased()
  }

  /// - Parameter base: the folder of the list; nil: it has none here.
  public func answer(to entry: TrackListEntry, base: [UInt8]?) -> Answer {
    switch entry.place {
    case .url(let url): return .url(url)
    case .path(let written):
      if entry.part != nil {
        return .none(TrackListEntry.Part.unmatched)
      }
      if let key = byPath(entry, base) ?? byTags(entry, written) { return .track(key) }
      let isList = TrackList.Format(name: String(decoding: written, as: UTF8.self)) != nil
      return .none(
        isList
          ? "is a list; import it by itself"
          : "is no track of the library, also not by artist and title")
    }
  }

  private func byPath(_ entry: TrackListEntry, _ base: [UInt8]?) -> TrackKey? {
    let paths = entry.readings.flatMap { reading -> [[UInt8]] in
      let isAbsolute = reading.first == UInt8(ascii: "/")
      // What another machine has from its root on may stand in a root here.
      let below = isAbsolute ? Array(reading.drop { $0 == UInt8(ascii: "/") }) : reading
      let own =
        isAbsolute
        ? [PathText.resolved(reading, in: [])]
        : base.map { [PathText.resolved(reading, in: $0)] } ?? []
      return own + roots.map { PathText.resolved(below, in: $0) }
    }
    if let key = paths.lazy.compactMap({ byBytes[$0] }).first { return key }
    let texts = paths.map { Charset.decode($0) }
    return texts.lazy.compactMap { byText[$0] }.first
      ?? texts.lazy.compactMap { byCase[$0.lowercased()] }.first
  }

  private func byTags(_ entry: TrackListEntry, _ written: [UInt8]) -> TrackKey? {
    var (artist, title) = (entry.artist, entry.title)
    if title == nil || artist == nil {
      let last = written.split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }.last ?? []
      let guess = FileNameTags(Charset.decode(Array(last)))
      (artist, title) = (artist ?? guess?.artist, title ?? guess?.title)
    }
    guard let artist, let title, let tracks = byName[Self.name(artist, title)] else { return nil }
    guard let seconds = entry.seconds else { return tracks.count == 1 ? tracks[0].key : nil }
    func distance(_ track: Track) -> Double { abs(track.seconds - seconds) }
    return tracks.filter { distance($0) <= Self.secondsMax }
      .min { (distance($0), $0.key) < (distance($1), $1.key) }?.key
  }
}
