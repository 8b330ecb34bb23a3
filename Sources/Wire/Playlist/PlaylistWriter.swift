extension Playlist {
  /// One thing to play.
  public struct Track: Hashable, Sendable {
    public var url: String
    public var title: String
    /// nil: not known, or without end.
    public var seconds: Double?

    public init(url: String, title: String, seconds: Double? = nil) {
      self.url = url
      self.title = title
      self.seconds = seconds
    }

    /// In whole seconds; -1 where it is not known.
    fileprivate var length: Int { seconds.map { Int($0 + 0.5) } ?? -1 }
  }

  /// An m3u of one endless stream: as Icecast writes it, or extended where there is a title.
  public static func m3u(url: String, title: String? = nil) -> String {
    guard let title else { return "\(oneLine(url))\r\n" }
    return m3u([Track(url: url, title: title)])
  }

  public static func m3u(_ tracks: [Track]) -> String {
    "#EXTM3U\r\n"
      + tracks.map {
        "#EXTINF:\($0.length),\(oneLine($0.title))\r\n\(oneLine($0.url))\r\n"
      }.joined()
  }

  /// A pls of one endless stream.
  public static func pls(url: String, title: String? = nil) -> String {
    pls([Track(url: url, title: title ?? "")])
  }

  public static func pls(_ tracks: [Track]) -> String {
    let entries = tracks.enumerated().map { place, track in
      let title = oneLine(track.title)
      let titleLine = title.isEmpty ? "" : "Title\(place + 1)=\(title)\r\n"
      return "File\(place + 1)=\(oneLine(track.url))\r\n\(titleLine)"
        + "Length\(place + 1)=\(track.length)\r\n"
    }
    return "[playlist]\r\nNumberOfEntries=\(tracks.count)\r\n\(entries.joined())Version=2\r\n"
  }

  /// An XSPF (xspf.org, version 1).
  public static func xspf(_ tracks: [Track], title: String) -> String {
    let list = tracks.map { track in
      // In milliseconds.
      let length =
        track.seconds.map { "\n      <duration>\(Int(bounded: $0 * 1000))</duration>" } ?? ""
      return """
            <track>
              <location>\(XMLText.escaped(oneLine(track.url)))</location>
              <title>\(XMLText.escaped(oneLine(track.title)))</title>\(length)
            </track>

        """
    }
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <playlist version="1" xmlns="http://xspf.org/ns/0/">
        <title>\(XMLText.escaped(oneLine(title)))</title>
        <trackList>
      \(list.joined())  </trackList>
      </playlist>

      """
  }

  /// An ASX 3, as Windows Media Player and its kin read it.
  public static func asx(_ tracks: [Track], title: String) -> String {
    let list = tracks.map { track in
      """
        <entry>
          <title>\(XMLText.escaped(oneLine(track.title)))</title>
          <ref href="\(XMLText.escaped(oneLine(track.url)))"/>
        </entry>

      """
    }
    return """
      <asx version="3.0">
        <title>\(XMLText.escaped(oneLine(title)))</title>
      \(list.joined())</asx>

      """
  }

  static func oneLine(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { scalars.append(scalar.isControl ? " " : scalar) }
    return String(scalars)
  }
}
