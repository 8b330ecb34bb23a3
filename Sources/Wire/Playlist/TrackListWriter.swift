extension TrackList {
  /// Returns an extended m3u, in UTF-8 but for paths that are none.
  ///
  /// What has a line end in its path is written with escapes, which players know from addresses.
  public static func m3u(_ entries: some Sequence<TrackListEntry>) -> [UInt8] {
    var bytes = Array("#EXTM3U\n".utf8)
    for entry in entries {
      let length = entry.seconds.map {
        Int(bounded: $0 + 0.5, in: 0...Int(Bounds.durations.upperBound))
      }
      let name = [entry.artist, entry.title].compactMap(\.self).joined(separator: " - ")
      if length != nil || !name.isEmpty {
        bytes += "#EXTINF:\(length ?? -1),\(Playlist.oneLine(name))\n".utf8
      }
      switch entry.place {
      case .url(let url): bytes += Playlist.oneLine(url).utf8
      case .path(let path): bytes += line(of: path)
      }
      bytes.append(ASCII.lineFeed)
    }
    return bytes
  }

  /// Returns an XSPF (xspf.org, version 1).
  public static func xspf(_ entries: some Sequence<TrackListEntry>, title: String) -> [UInt8] {
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <playlist version="1" xmlns="http://xspf.org/ns/0/">
        <title>\(XMLText.escaped(Playlist.oneLine(title)))</title>
        <trackList>

      """
    func element(_ name: String, _ value: String?) -> String {
      guard let value, !value.isEmpty else { return "" }
      return "      <\(name)>\(XMLText.escaped(Playlist.oneLine(value)))</\(name)>\n"
    }
    for entry in entries {
      let place =
        switch entry.place {
        case .url(let url): url
        case .path(let path): reference(path)
        }
      // XSPF counts durations in milliseconds.
      let milliseconds = entry.seconds.map { Int(bounded: $0 * 1000 + 0.5, in: 0...Int.max) }
      // The elements of a track are in the order that the schema demands.
      text += "    <track>\n" + element("location", place) + element("title", entry.title)
      text += element("creator", entry.artist)
      text += element("duration", milliseconds.map(String.init)) + "    </track>\n"
    }
    return Array((text + "  </trackList>\n</playlist>\n").utf8)
  }

  /// A path as a reference of RFC 3986: a `file` URI of an absolute one.
  private static func reference(_ path: [UInt8]) -> String {
    let escaped = PercentEncoding.path(path)
    return path.first == UInt8(ascii: "/") ? "file://" + escaped : escaped
  }

  private static func line(of path: [UInt8]) -> [UInt8] {
    if path.contains(where: { $0 == ASCII.lineFeed || $0 == ASCII.carriageReturn }) {
      return Array(reference(path).utf8)
    }
    // What looks like a comment or an address stands in this folder.
    let ink = ASCII.trimmed(path[...])
    let isOther =
      ink.isEmpty || path.first == UInt8(ascii: "#") || TrackListEntry.isAddress(ink)
    return isOther ? Array("./".utf8) + path : path
  }
}
