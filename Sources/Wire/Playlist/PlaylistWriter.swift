extension Playlist {
  /// One stream or file to play.
  public struct Track: Hashable, Sendable {
    public var url: String
    public var title: String
    /// The length in seconds; nil if it is unknown or endless.
    public var seconds: Double?

    public init(url: String, title: String, seconds: Double? = nil) {
      self.url = url
      self.title = title
      self.seconds = seconds
    }

    /// The length in whole seconds; -1 where it is not known.
    fileprivate var length: Int { seconds.map { Int($0 + 0.5) } ?? -1 }
  }

  /// Returns an m3u of one endless stream: as Icecast writes it, or extended where there is a title.
  public static func m3u(url: String, title: String? = nil) -> String {
    guard let title else { return "\(oneLine(url))\r\n" }
    return m3u([Track(url: url, title: title)])
  }

  /// Returns an extended m3u of several tracks.
  ///
  /// - Parameter bytesMax: The most bytes of all entries together. The list ends before the entry that would exceed
  ///   them, and says so where its kind has words for it.
  public static func m3u(_ tracks: some Sequence<Track>, bytesMax: Int = .max) -> String {
    let list = entries(tracks, bytesMax) { _, track in
      "#EXTINF:\(track.length),\(oneLine(track.title))\r\n\(oneLine(track.url))\r\n"
    }
    return "#EXTM3U\r\n" + list.text + (list.isCut ? "# \(cutShort)\r\n" : "")
  }

  /// Returns a pls of one endless stream.
  public static func pls(url: String, title: String? = nil) -> String {
    pls([Track(url: url, title: title ?? "")])
  }

  public static func pls(_ tracks: some Sequence<Track>, bytesMax: Int = .max) -> String {
    let list = entries(tracks, bytesMax) { number, track in
      let title = oneLine(track.title)
      let titleLine = title.isEmpty ? "" : "Title\(number)=\(title)\r\n"
      return
        "File\(number)=\(oneLine(track.url))\r\n\(titleLine)Length\(number)=\(track.length)\r\n"
    }
    return "[playlist]\r\nNumberOfEntries=\(list.count)\r\n\(list.text)Version=2\r\n"
  }

  /// Returns an XSPF (xspf.org, version 1).
  public static func xspf(
    _ tracks: some Sequence<Track>, title: String, bytesMax: Int = .max
  ) -> String {
    let list = entries(tracks, bytesMax) { _, track in
      // XSPF counts durations in milliseconds.
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
        <title>\(XMLText.escaped(oneLine(title)))</title>\(
          list.isCut ? "\n  <annotation>\(cutShort)</annotation>" : "")
        <trackList>
      \(list.text)  </trackList>
      </playlist>

      """
  }

  /// Returns an ASX 3, for Windows Media Player and its kin.
  public static func asx(
    _ tracks: some Sequence<Track>, title: String, bytesMax: Int = .max
  ) -> String {
    let list = entries(tracks, bytesMax) { _, track in
      """
        <entry>
          <title>\(XMLText.escaped(oneLine(track.title)))</title>
          <ref href="\(XMLText.escaped(oneLine(track.url)))"/>
        </entry>

      """
    }
    return """
      <asx version="3.0">
        <title>\(XMLText.escaped(oneLine(title)))</title>\(
          list.isCut ? "\n  <abstract>\(cutShort)</abstract>" : "")
      \(list.text)</asx>

      """
  }

  private static let cutShort = "cut short: more than fits into a list"

  /// Returns as many entries as fit; the first one has the number 1.
  private static func entries(
    _ tracks: some Sequence<Track>, _ bytesMax: Int, _ entry: (Int, Track) -> String
  ) -> (text: String, count: Int, isCut: Bool) {
    var text = ""
    var count = 0
    for track in tracks {
      let next = entry(count + 1, track)
      if next.utf8.count > bytesMax - text.utf8.count { return (text, count, true) }
      text += next
      count += 1
    }
    return (text, count, false)
  }

  static func oneLine(_ text: String) -> String {
    controls.text(text) { left, bytes in
      let count = left[0] < 0x80 ? 1 : left.beginsWithC1 ? 2 : 0
      if count > 0 { bytes.append(ASCII.space) }
      return count
    }
  }

  private static let controls = TextRuns { $0 < 0x20 || $0 == 0x7F || $0 == 0xC2 }
}
