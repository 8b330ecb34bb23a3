import Ingest
import Wire

/// Secret part of a key's value.
package enum Secrecy: Sendable {
  case none
  /// User, password, query and fragment of a URL.
  case inURL
  /// Everything but scheme and host of a URL: the path is a secret too, as chat services have it.
  case behindHost
  /// Everything but the path of a file, which then holds the secret.
  case besidePath
  case whole

  static let mask = "•••"
  /// Most bytes of a text that is shown or looked into; no valid value is as long.
  static let textBytesMax = 8192
  /// Most bytes of a quotation in a message.
  private static let quotedBytesMax = 100

  /// Returns a value as it may be shown.
  ///
  /// - Parameter isValid: whether its key accepts it; what is no URL may hold a password anywhere.
  func shown(_ text: String, isValid: @autoclosure () -> Bool) -> String {
    if text.utf8.count > Self.textBytesMax { return Self.mask }
    switch self {
    case .none: return Self.mayHoldPassword(text) ? Self.mask : text
    case .inURL, .behindHost:
      let whole = URLText.withoutSecrets(text)
      // A password may hold a slash that nobody has escaped, and then looks like the path.
      if whole.contains("@") || whole.contains("…") || !isValid() { return Self.mask }
      let url = Self.withoutTail(self == .behindHost ? Self.host(whole) : whole)
      return url == text ? url : "\(url) \(Self.mask)"
    case .besidePath: return Self.isPath(text) ? text : Self.mask
    case .whole: return Self.mask
    }
  }

  private static func host(_ url: String) -> String {
    ["", "/"].contains(WebURL.parts(of: url).path) ? url : WebURL.server(of: url)
  }
}

// MARK: What a message may quote

extension Secrecy {
  /// Returns a text of a file as a message may quote it: in quotation marks, short, on one line, and only where no
  /// password may be in it.
  package static func quoted(_ text: String) -> String {
    mayHoldPassword(text) ? mask : "\"\(LogText.line(cut(text, quotedBytesMax)))\""
  }

  /// Returns the path of a file with secrets as a message may name it; another text in its place may be what such a
  /// file holds.
  package static func pathOfSecret(_ text: String) -> String {
    isPath(text) || isPlainPath(text) ? text : mask
  }

  /// Returns the path of another file as a message may name it.
  static func path(_ text: String) -> String {
    mayHoldPassword(text) ? mask : cut(text, messageBytesMax / 4)
  }

  /// Returns at most so many bytes of a text, with a mark where something is left out.
  static func cut(_ text: String, _ bytesMax: Int) -> String {
    if text.utf8.count <= bytesMax { return text }
    return String(decoding: UTF8Text.prefix(text, bytes: bytesMax), as: UTF8.self) + "…"
  }

  /// Most bytes of a message.
  private static let messageBytesMax = 2000

  /// Returns a message that fits on a line, without words that may be URLs with passwords.
  static func message(_ text: String) -> String {
    // What is cut before it is looked at is longer: the end of a URL says whether it has a password.
    let text = cut(text, 4 * messageBytesMax)
    guard text.contains("@") || text.contains("//") else {
      return LogText.line(cut(text, messageBytesMax))
    }
    let words = text.split(separator: " ", omittingEmptySubsequences: false).map { word in
      mayHoldPassword(String(trimmed(word))) ? mask : String(word)
    }
    return LogText.line(cut(words.joined(separator: " "), messageBytesMax))
  }

  /// Returns a word without the signs that end a sentence or a quotation.
  private static func trimmed(_ word: Substring) -> Substring {
    var word = word
    while let last = word.last, "?;,.:\")".contains(last) { word.removeLast() }
    return word
  }

  /// Whether a text where no URL is meant may have one with a password or a query in it, or be a key.
  static func mayHoldPassword(_ text: String) -> Bool {
    if text.utf8.count > textBytesMax || text.contains("-----BEGIN") { return true }
    let isURL = text.contains("://") || text.hasPrefix("//")
    if isURL, text.contains("@") || withoutTail(text) != text { return true }
    if !text.contains("@") { return false }
    // A path may have an @ in it, and the name of a person has one before a domain.
    let isPath = text.hasPrefix("/") && !text.hasPrefix("//") && !text.contains(":")
    return !isPath
      && text.split(whereSeparator: \.isWhitespace).contains { word in
        word.contains("@") && word.contains { ":/".contains($0) }
      }
  }

  /// What ends the part of a URL that all may see: a query, a fragment, or what other programs write behind one.
  private static let tails = ["?", "#", ";", "|", "%3f", "%40", "？"].map { Array($0.utf8) }
  /// What players write behind the address of a SHOUTcast server.
  private static let knownTails = ["", "stream", "stream.mp3", "stream.nsv", ".mp3"]

  private static func withoutTail(_ url: String) -> String {
    let bytes = url.utf8.map { (65...90).contains($0) ? $0 | 32 : $0 }
    let begin = bytes.indices.first { index in
      tails.contains { bytes[index...].starts(with: $0) }
    }
    guard let begin else { return url }
    let isKnown =
      bytes[begin] == UInt8(ascii: ";")
      && knownTails.contains { bytes[(begin + 1)...].elementsEqual($0.utf8) }
    return isKnown ? url : String(decoding: url.utf8.prefix(begin), as: UTF8.self)
  }

  /// Folders in the root of a system: what begins with one of them is a path.
  private static let rootFolders: Set<Substring> = [
    "data", "etc", "home", "media", "mnt", "opt", "root", "run", "srv", "tmp", "usr", "var",
  ]

  /// Whether a text is an absolute path without capitals, which Base64 has.
  private static func isPlainPath(_ text: String) -> Bool {
    text.utf8.first == UInt8(ascii: "/") && text.utf8.count <= 256
      && text.utf8.allSatisfy {
        (97...122).contains($0) || (48...57).contains($0) || "._-/".utf8.contains($0)
      }
  }

  /// Whether a text is an absolute path of a file with an ending, or in one of the system's folders, and nothing else;
  /// Base64 has no dots.
  private static func isPath(_ text: String) -> Bool {
    let names = text.split(separator: "/")
    let isKnown = names.count > 1 && rootFolders.contains(names[0])
    return text.first == "/" && text.utf8.count <= 4096
      && (isKnown || names.last?.dropFirst().contains(".") == true)
      && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-/".contains($0)) }
  }
}
