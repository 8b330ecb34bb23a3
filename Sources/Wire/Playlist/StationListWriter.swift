extension StationList {
  /// Returns a whole list in one of the formats; details for which the format has no place are left out.
  ///
  /// Where a format has one address per stream, a station with several addresses becomes several streams of one name.
  /// When they are read again, they become one station.
  public static func text(_ items: [PlaylistItem], as format: Format) -> String {
    switch format {
    case .m3u: m3u(items)
    case .pls: pls(items)
    case .xspf: xspf(items)
    case .opml: opml(items)
    }
  }

  private static func m3u(_ items: [PlaylistItem]) -> String {
    var text = "#EXTM3U\r\n"
    for item in items {
      let logo = quoted("tvg-logo", item.artwork)
      let group = quoted("group-title", item.genre)
      for url in item.urls() {
        text += "#EXTINF:-1\(logo)\(group),\(Playlist.oneLine(item.title ?? url))\r\n\(url)\r\n"
      }
    }
    return text
  }

  /// Returns ` name="value"`; a quotation mark inside the value becomes `'`, since the format cannot express it.
  private static func quoted(_ name: String, _ value: String?) -> String {
    guard let value else { return "" }
    let inner = quotes.text(Playlist.oneLine(value)) { _, bytes in
      bytes += "'".utf8
      return 1
    }
    return " \(name)=\"\(inner)\""
  }

  private static let quotes = TextRuns { $0 == UInt8(ascii: "\"") }

  private static func pls(_ items: [PlaylistItem]) -> String {
    let streams = items.flatMap { item in item.urls().map { (url: $0, title: item.title ?? $0) } }
    var text = "[playlist]\r\nNumberOfEntries=\(streams.count)\r\n"
    for (index, stream) in streams.enumerated() {
      let number = index + 1
      text += "File\(number)=\(stream.url)\r\nTitle\(number)=\(Playlist.oneLine(stream.title))\r\n"
      text += "Length\(number)=-1\r\n"
    }
    return text + "Version=2\r\n"
  }

  private static func xspf(_ items: [PlaylistItem]) -> String {
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <playlist version="1" xmlns="http://xspf.org/ns/0/">
        <trackList>

      """
    for item in items {
      // The elements of a track are in the order that the schema demands.
      text += "    <track>\n"
      for url in item.urls() { text += element("location", url) }
      text += element("title", item.title) + element("annotation", item.description)
      text += element("info", item.homepage) + element("image", item.artwork)
      if let genre = item.genre {
        text += "      <extension application=\"urn:x-longwave\">\n  "
        text += element("genre", genre) + "      </extension>\n"
      }
      text += "    </track>\n"
    }
    return text + "  </trackList>\n</playlist>\n"
  }

  private static func element(_ name: String, _ value: String?) -> String {
    value.map { "      <\(name)>\(escaped($0))</\(name)>\n" } ?? ""
  }

  private static func opml(_ items: [PlaylistItem]) -> String {
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <opml version="2.0">
        <head><title>Stations</title></head>
        <body>

      """
    for item in items {
      let urls = item.urls()
      let places = urls.prefix(9).enumerated().map { ($0 == 0 ? "URL" : "URL\($0 + 1)", $1) }
      let values: [(String, String?)] =
        [("type", "audio"), ("text", item.title ?? urls.first)] + places.map { ($0.0, $0.1) } + [
          ("image", item.artwork), ("category", item.genre), ("htmlUrl", item.homepage),
          ("description", item.description),
        ]
      let attributes = values.compactMap { name, value in
        value.map { " \(name)=\"\(escaped($0))\"" }
      }
      text += "    <outline\(attributes.joined())/>\n"
    }
    return text + "  </body>\n</opml>\n"
  }

  private static func escaped(_ text: String) -> String {
    XMLText.escaped(Playlist.oneLine(text))
  }
}
