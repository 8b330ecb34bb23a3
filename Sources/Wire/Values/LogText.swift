/// Makes texts from outside fit for one line of a log that other programs read.
public enum LogText {
  /// Escapes a text for a field in quotation marks. All bytes except printable ASCII become `\xHH`, and so do `"` and
  /// `\`. So a line stays one line, and a field ends at its own quotation mark. Apache's and nginx' readers know this
  /// form.
  public static func quotable(_ text: String) -> String {
    escaped(text, quoted)
  }

  /// Escapes a text for a field that ends at a blank; an empty text becomes `-`.
  public static func word(_ text: String) -> String {
    if text.isEmpty { return "-" }
    return escaped(text, worded)
  }

  /// Escapes a text that people read up to the end of a line. Only controls become `\xHH`: C0, DEL and C1, the
  /// separators that some programs read as line ends, and the characters that turn the direction of writing.
  public static func line(_ text: String) -> String {
    lineRuns.text(text) { left, line in
      let count = lengthOfControl(left)
      for byte in left[..<count] { line += hex(byte).utf8 }
      return count
    }
  }

  private static let lineRuns = TextRuns { $0 < 0x20 || $0 == 0x7f || $0 == 0xC2 || $0 == 0xE2 }

  /// Returns the bytes of the control with which the text begins; 0 if it begins with another character.
  private static func lengthOfControl(_ text: UnsafeBufferPointer<UInt8>) -> Int {
    if text[0] < 0x80 { return 1 }
    if text.beginsWithC1 { return 2 }
    guard text.count > 2, text[0] == 0xE2 else { return 0 }
    switch (text[1], text[2]) {
    // U+2028 to U+202E, and U+2066 to U+2069.
    case (0x80, 0xA8...0xAE), (0x81, 0xA6...0xA9): return 3
    default: return 0
    }
  }

  /// Returns a request's target or a whole URL without its secrets. The values of `token`, `pass`, `password` and
  /// `session` become `-`. So do a session's token in a path of the API, and the code that lets have HLS segments.
  /// User, password and fragment are cut.
  public static func withoutSecrets(target: String) -> String {
    let shown = Substring(target.utf8.prefix { $0 != UInt8(ascii: "#") })
    let whole = URLText.withoutCredentials(String(shown))
    guard let mark = whole.utf8.firstIndex(of: UInt8(ascii: "?")) else {
      return withoutSecrets(path: whole[...])
    }
    // The query is split as bytes, like in `HTTPQuery`.
    let items = whole.utf8[mark...].dropFirst().split(
      separator: UInt8(ascii: "&"), omittingEmptySubsequences: false
    ).map { item -> Substring in
      let key = Substring(item.prefix { $0 != UInt8(ascii: "=") })
      let isSecret = secretKeys.contains { ASCII.equalIgnoringCase($0, HTTPQuery.key(key)) }
      return isSecret && key.utf8.count < item.count ? key + "=-" : Substring(item)
    }
    return withoutSecrets(path: whole[..<mark]) + "?" + items.joined(separator: "&")
  }

  /// Hides what lets in by a path. The parts are read as where the path is looked up: decoded, without empty ones.
  private static func withoutSecrets(path: Substring) -> String {
    var parts = PathParts(Array(path.utf8)[...])
    var (found, isOfHLS) = (0, false)
    while let part = parts.next() {
      let start = path.utf8.index(path.utf8.startIndex, offsetBy: part.start)
      if found == sessionPath.count { return path[..<start] + "-" }
      if isOfHLS, part.bytes.first == UInt8(ascii: "s"), part.bytes.contains(UInt8(ascii: "-")) {
        let end = path.utf8.index(path.utf8.startIndex, offsetBy: part.end)
        return path[..<start] + "-" + path[end...]
      }
      isOfHLS = part.bytes == hlsPath
      found =
        part.bytes == sessionPath[found] ? found + 1 : part.bytes == sessionPath[0] ? 1 : 0
    }
    return String(path)
  }

  private static let sessionPath = ["api", "v1", "sessions"].map { Array($0.utf8) }

  private static let hlsPath = Array("hls".utf8)

  private static let secretKeys = ["token", "pass", "password", "session"]

  private static func escaped(_ text: String, _ runs: TextRuns) -> String {
    runs.text(text) { left, line in
      line += hex(left[0]).utf8
      return 1
    }
  }

  private static let quoted = TextRuns { !isFit($0) }
  private static let worded = TextRuns { !isFit($0) || $0 == 0x20 }

  private static func isFit(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x7f && byte != 0x22 && byte != 0x5c
  }

  private static func hex(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return "\\x" + (digits.count == 1 ? "0" : "") + digits
  }
}

/// Reads the decoded parts of a path; an escaped `/` ends a part as well.
private struct PathParts {
  private var left: ArraySlice<UInt8>

  init(_ path: ArraySlice<UInt8>) { left = path }

  /// - Returns: The next part's decoded bytes, and where the part begins and ends in the path as sent; nil at the end.
  mutating func next() -> (bytes: [UInt8], start: Int, end: Int)? {
    var bytes: [UInt8] = []
    var (start, end) = (left.startIndex, left.startIndex)
    while let (byte, length) = first() {
      if byte != UInt8(ascii: "/") {
        if bytes.isEmpty { start = left.startIndex }
        bytes.append(byte)
      }
      left = left.dropFirst(length)
      if byte != UInt8(ascii: "/") { end = left.startIndex }
      if byte == UInt8(ascii: "/"), !bytes.isEmpty { break }
    }
    return bytes.isEmpty ? nil : (bytes, start, end)
  }

  private func first() -> (byte: UInt8, length: Int)? {
    guard let byte = left.first else { return nil }
    if byte == UInt8(ascii: "%"), let escaped = PercentEncoding.decoded(left.prefix(3))?.first {
      return (escaped, 3)
    }
    return (byte, 1)
  }
}
