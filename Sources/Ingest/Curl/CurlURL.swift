import Wire

/// URLs as people write them in playlists.
enum CurlURL {
  /// Makes a URL acceptable to libcurl: escapes blanks and bytes beyond ASCII, reads `icy:` as `http:`.
  static func acceptable(_ url: String) -> String {
    var text = ""
    for byte in url.utf8.drop(while: { $0 <= 32 }) {
      if byte > 32 && byte < 127 {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    while text.hasSuffix("%20") || text.hasSuffix("%0A") || text.hasSuffix("%0D") {
      text.removeLast(3)
    }
    return URLText.readingICY(text)
  }
}
