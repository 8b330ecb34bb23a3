// Studios' exports of the titles on air: elements with a title and an artist, single or in a list.
extension XMLNode {
  // No schema of AudioVault's export is published, and each station has its own layout, so the usual names are read.
  // Live365's page has a `PlaylistEntry` for each title, the newest first.
  private static let titles = ["title", "songtitle", "song_title", "titlename", "song"]
  private static let artists = ["artist", "artistname", "artist_name", "performer"]
  private static let artworks = [
    "artwork", "artworkurl", "cover", "coverurl", "cover_url", "albumart", "album_art", "image",
    "imageurl", "picture",
  ]
  private static let starts = [
    "starttime", "start_time", "start", "startdate", "airtime", "air_time", "playedtime",
    "played_time", "timestamp", "datetime", "time",
  ]
  private static let zones = ["timezone", "time_zone", "tz", "utcoffset", "utc_offset"]
  private static let states = ["status", "state"]
  private static let playing: Set<String> = ["playing", "happening", "current", "onair", "on air"]

  /// Returns the entry marked as playing, else the entry with the newest time that has begun, else the first entry.
  func playing(
    at now: Int64, _ zone: ZoneOffsets?, _ kind: TitlePage.Kind
  ) throws(TitlePageError) -> FoundTitle? {
    var all = kind == .live365 ? descendants("playlistentry") : entries
    if all.contains(where: { $0.field(Self.artists) != nil }) {
      // An element without an artist may be the feed itself, which has a title too.
      all.removeAll { $0.field(Self.artists) == nil }
    }
    guard let first = all.first else {
      if kind == .auto { throw .unknown }
      throw .otherKind(kind)
    }
    if let now = all.first(where: \.saysItPlays) { return now.entry }
    let zone = field(Self.zones).flatMap(ZoneOffsets.init(fixed:)) ?? zone
    let timed = all.compactMap { node in
      node.start(zone, now).map { (start: $0, node: node) }
    }
    // Two seconds of tolerance allow for small differences between clocks.
    let begun = timed.filter { $0.start <= now + 2 }
    return (begun.max { $0.start < $1.start }?.node ?? first).entry
  }

  private var entry: FoundTitle {
    FoundTitle(
      artist: field(Self.artists), title: field(Self.titles),
      artwork: field(Self.artworks) { $0.hasPrefix("http") })
  }

  private var saysItPlays: Bool {
    field(Self.states).map { Self.playing.contains($0.lowercased()) } ?? false
  }

  private func start(_ zone: ZoneOffsets?, _ now: Int64) -> Int64? {
    let zone = field(Self.zones).flatMap(ZoneOffsets.init(fixed:)) ?? zone
    if let date = field(["date"]), let time = field(["time"]) {
      return PageTime.seconds("\(date) \(time)", zone, near: now)
    }
    return field(Self.starts).flatMap { PageTime.seconds($0, zone, near: now) }
  }

  /// The elements with a title of their own, this element first.
  private var entries: [XMLNode] {
    let isEntry = Self.titles.contains { name in
      attributes[name] != nil || children.contains { $0.name == name && $0.children.isEmpty }
    }
    return (isEntry ? [self] : []) + children.flatMap(\.entries)
  }

  private func descendants(_ name: String) -> [XMLNode] {
    children.flatMap { ($0.name == name ? [$0] : []) + $0.descendants(name) }
  }

  /// Returns the first text for one of `names`, as an element or an attribute, that `isGood` accepts.
  func field(_ names: [String], where isGood: (String) -> Bool = { _ in true }) -> String? {
    for name in names {
      if let text = value(name) ?? attributes[name], !text.isEmpty, isGood(text) { return text }
    }
    return nil
  }
}

// Documents of no known format.
extension XMLNode {
  func found(at paths: TitlePage.Paths) throws(TitlePageError) -> FoundTitle? {
    guard let path = paths.title, let title = text(at: path) else {
      throw .nothingAt(paths.title ?? "title")
    }
    return FoundTitle(
      artist: paths.artist.flatMap(text(at:)), title: title,
      artwork: paths.artwork.flatMap(text(at:)))
  }

  /// Returns the text at `path`, which may begin with the document's own element; nil if nothing is there.
  func text(at path: String) -> String? {
    let steps = path.lowercased().split(separator: ".")[...]
    if let text = text(at: steps) { return text }
    return steps.first.map { $0 == name } == true ? text(at: steps.dropFirst()) : nil
  }

  private func text(at steps: ArraySlice<Substring>) -> String? {
    guard let step = steps.first else { return children.isEmpty ? text : nil }
    let rest = steps.dropFirst()
    if step.hasPrefix("@") { return rest.isEmpty ? attributes[String(step.dropFirst())] : nil }
    for child in children where child.name == step {
      if let text = child.text(at: rest) { return text }
    }
    return nil
  }
}
