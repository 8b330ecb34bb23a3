/// The rules for names of stations in URLs, folders and commands.
public enum StationID {
  public static let bytesMax = 64

  /// The first path parts that the server itself uses.
  public static let reserved: Set<String> = [
    "7.html", "admin", "api", "assets", "crossdomain.xml", "currentsong", "events", "favicon.ico",
    "healthz", "index.html", "listen", "manifest.webmanifest", "metrics", "played", "readyz",
    "robots.txt", "statistics", "stats", "status-json.xsl", "stream",
  ]

  /// The endings of a station's playlists, which no id may have.
  public static let playlistEndings = [".m3u", ".m3u8", ".pls", ".xspf", ".asx"]

  /// Returns the fault of an id, in words that follow it in a sentence; nil for a valid id.
  ///
  /// An id has 1 to 64 of `a–z 0–9 - _ .` and begins with a letter or digit; so `.` and `..` are invalid.
  public static func problem(_ id: String) -> String? {
    guard let first = id.utf8.first else { return "is empty" }
    if id.utf8.count > bytesMax { return "is longer than \(bytesMax) characters" }
    guard id.utf8.allSatisfy(isAllowed) else {
      return "has a character other than a-z, 0-9, - _ and ."
    }
    guard isLetterOrDigit(first) else { return "does not begin with a letter or digit" }
    if let ending = playlistEndings.first(where: id.hasSuffix) {
      return "ends in \(ending), which is the name of a playlist"
    }
    return reserved.contains(id) ? "is one of the server's own paths" : nil
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    ASCII.isDigit(byte) || (0x61...0x7A).contains(byte)
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    isLetterOrDigit(byte) || "-_.".utf8.contains(byte)
  }
}
