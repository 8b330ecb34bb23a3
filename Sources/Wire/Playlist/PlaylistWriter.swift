extension Playlist {
  /// An m3u of one endless stream: as Icecast writes it, or extended where there is a title.
  public static func m3u(url: String, title: String? = nil) -> String {
    let url = oneLine(url)
    guard let title else { return "\(url)\r\n" }
    return "#EXTM3U\r\n#EXTINF:-1,\(oneLine(title))\r\n\(url)\r\n"
  }

  /// A pls of one endless stream.
  public static func pls(url: String, title: String? = nil) -> String {
    let titleLine = title.map { "Title1=\(oneLine($0))\r\n" } ?? ""
    return "[playlist]\r\nNumberOfEntries=1\r\nFile1=\(oneLine(url))\r\n\(titleLine)"
      + "Length1=-1\r\nVersion=2\r\n"
  }

  /// An XSPF of one endless stream (xspf.org, version 1).
  public static func xspf(url: String, title: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <playlist version="1" xmlns="http://xspf.org/ns/0/">
      <title>\(XMLText.escaped(oneLine(title)))</title>
      <trackList>
        <track>
          <location>\(XMLText.escaped(oneLine(url)))</location>
          <title>\(XMLText.escaped(oneLine(title)))</title>
        </track>
      </trackList>
    </playlist>

    """
  }

  /// An ASX 3 of one endless stream, as Windows Media Player and its kin read it.
  public static func asx(url: String, title: String) -> String {
    """
    <asx version="3.0">
      <title>\(XMLText.escaped(oneLine(title)))</title>
      <entry>
        <title>\(XMLText.escaped(oneLine(title)))</title>
        <ref href="\(XMLText.escaped(oneLine(url)))"/>
      </entry>
    </asx>

    """
  }

  static func oneLine(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { scalars.append(scalar.isControl ? " " : scalar) }
    return String(scalars)
  }
}
