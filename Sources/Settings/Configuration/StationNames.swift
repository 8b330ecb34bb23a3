import Wire

extension StationID {
  static let wanted = "1 to 64 of a-z 0-9 - _ . that begin with a letter or digit"
}

extension StationID {
  /// Names of streams that say nothing about their station.
  private static let commonNames: Set<String> = [
    "", "stream", "live", "listen", "radio", "index", "audio", "mp3", "aac", "autodj", "play",
    "main", "1", "2", "3",
  ]

  private static let commonHosts: Set<String> = [
    "www", "stream", "streams", "live", "ice", "radio",
  ]

  /// Returns a good id for an upstream: the stream's own name if it has one, else the host's.
  public static func derived(from url: String) -> String {
    let parts = WebURL.parts(of: url)
    let last = parts.path.split(separator: "/").last.map(String.init) ?? ""
    let name = cleaned(withoutAudioEnding(last))
    let candidate = commonNames.contains(name) ? hostName(parts.host) : name
    return problem(candidate) == nil ? candidate : "station"
  }

  /// Returns the id of a host: `www.jazz.example.org` becomes `jazz.example`; an IP address stays whole.
  private static func hostName(_ host: String) -> String {
    let isAddress = host.allSatisfy { $0.isHexDigit || ".:".contains($0) }
    if isAddress { return cleaned(host) }
    var labels = host.split(separator: ".").map(String.init)
    if labels.count > 2, commonHosts.contains(labels[0]) { labels.removeFirst() }
    if labels.count > 1 { labels.removeLast() }
    return cleaned(labels.joined(separator: "."))
  }

  /// Returns the last part of a path in lower case, without an ending for a kind of audio or a playlist.
  package static func withoutAudioEnding(_ name: String) -> String {
    let endings = [".mp3", ".aac", ".aacp", ".ogg", ".opus", ".flac"] + playlistEndings
    let lower = name.lowercased()
    guard let ending = endings.first(where: { lower.hasSuffix($0) }) else { return lower }
    return String(lower.dropLast(ending.count))
  }

  /// Returns a text in which everything but letters, digits, `.` and `_` is a hyphen.
  package static func cleaned(_ text: String) -> String {
    var id = ""
    for byte in text.lowercased().utf8 {
      if "abcdefghijklmnopqrstuvwxyz0123456789._".utf8.contains(byte) {
        id.unicodeScalars.append(Unicode.Scalar(byte))
      } else if !id.hasSuffix("-") {
        id += "-"
      }
    }
    let inner = id.drop { "-_.".contains($0) }.prefix(64)
    return String(inner.reversed().drop { "-_.".contains($0) }.reversed())
  }
}

/// The rules for a station's further paths.
package enum MountPath {
  /// The names that no further path may begin with. `/stream` and `/listen` are allowed: many stations have used them
  /// for years, but as ids they would mislead.
  private static let reserved = StationID.reserved.subtracting(["stream", "listen"])
    .union([".well-known"])

  /// Returns what is wrong with a path, in words; nil when nothing is.
  package static func problem(in path: String) -> String? {
    let isVisible = path.utf8.allSatisfy { $0 > 32 && $0 < 127 && !"?#%\"\\".utf8.contains($0) }
    guard path.hasPrefix("/"), path.utf8.count > 1, path.utf8.count <= 256, isVisible else {
      return "\(Secrecy.quoted(path)) is not a path; write one such as /stream.mp3"
    }
    let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    if parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }) {
      return
        "\(Secrecy.quoted(path)) has an empty, . or .. part; write a plain path such as /live/jazz.mp3"
    }
    if reserved.contains(String(parts[0])) {
      return "\(Secrecy.quoted(path)) is one of the server's own paths; choose another"
    }
    if let ending = StationID.playlistEndings.first(where: { path.hasSuffix($0) }) {
      return "\(Secrecy.quoted(path)) ends in \(ending), which is a playlist's name; leave it off"
    }
    return nil
  }
}
