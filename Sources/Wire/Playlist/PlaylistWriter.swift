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

  private static func oneLine(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { scalars.append(scalar.isControl ? " " : scalar) }
    return String(scalars)
  }
}
