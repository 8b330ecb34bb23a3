/// What strangers send, made fit for one line of a log that other programs read.
public enum LogText {
  /// For within quotation marks: everything but printable ASCII, and `"` and `\`, as `\xHH`, so that a line stays one
  /// and a field's end is where it seems to be. Apache's and nginx' readers know it.
  public static func quotable(_ text: String) -> String {
    escaped(text, quoted)
  }

  /// For a field that ends at a blank; `-` for nothing.
  public static func word(_ text: String) -> String {
    if text.isEmpty { return "-" }
    return escaped(text, worded)
  }

  /// For a text people read, up to the end of a line: only controls are `\xHH` (C1, the separators that some programs
  /// take for line ends, and what turns the direction of writing, as well).
  public static func line(_ text: String) -> String {
    lineRuns.text(text) { left, line in
      let count = lengthOfControl(left)
      for byte in left[..<count] { line += hex(byte).utf8 }
      return count
    }
  }

  private static let lineRuns = TextRuns { $0 < 0x20 || $0 == 0x7f || $0 == 0xC2 || $0 == 0xE2 }

  /// Bytes of the control that the text begins with; 0: it begins with something else.
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

  /// A request's target, or a whole URL, without what opens doors: the values of `token`, `pass`, `password` and
  /// `session` are `-`, and so is the token of a session in a path of the API's. User, password and fragment are cut.
  public static func withoutSecrets(target: String) -> String {
    let shown = Substring(target.utf8.prefix { $0 != UInt8(ascii: "#") })
    let whole = URLText.withoutCredentials(String(shown))
    guard let mark = whole.utf8.firstIndex(of: UInt8(ascii: "?")) else {
      return withoutSession(path: whole[...])
    }
    // Bytes, as the query itself is read.
    let items = whole.utf8[mark...].dropFirst().split(
      separator: UInt8(ascii: "&"), omittingEmptySubsequences: false
    ).map { item -> Substring in
      let key = Substring(item.prefix { $0 != UInt8(ascii: "=") })
      let isSecret = secretKeys.contains { ASCII.equalIgnoringCase($0, HTTPQuery.key(key)) }
      return isSecret && key.utf8.count < item.count ? key + "=-" : Substring(item)
    }
    return withoutSession(path: whole[..<mark]) + "?" + items.joined(separator: "&")
  }

  /// Its parts count as they do where the path is looked up: decoded, and without empty ones.
  private static func withoutSession(path: Substring) -> String {
    var parts = PathParts(Array(path.utf8)[...])
    var found = 0
    while let part = parts.next() {
      if found == sessionPath.count {
        let start = path.utf8.index(path.utf8.startIndex, offsetBy: part.start)
        return path[..<start] + "-"
      }
      found =
        part.bytes == sessionPath[found] ? found + 1 : part.bytes == sessionPath[0] ? 1 : 0
    }
    return String(path)
  }

  private static let sessionPath = ["api", "v1", "sessions"].map { Array($0.utf8) }

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

/// The parts of a path, as its escapes are read; an escaped `/` ends one as well.
private struct PathParts {
  private var left: ArraySlice<UInt8>

  init(_ path: ArraySlice<UInt8>) { left = path }

  /// - Returns: what it says, and where it begins in the path as it was sent.
  mutating func next() -> (bytes: [UInt8], start: Int)? {
    var bytes: [UInt8] = []
    var start = left.startIndex
    while let (byte, length) = first() {
      if byte != UInt8(ascii: "/") {
        if bytes.isEmpty { start = left.startIndex }
        bytes.append(byte)
      }
      left = left.dropFirst(length)
      if byte == UInt8(ascii: "/"), !bytes.isEmpty { break }
    }
    return bytes.isEmpty ? nil : (bytes, start)
  }

  private func first() -> (byte: UInt8, length: Int)? {
    guard let byte = left.first else { return nil }
    if byte == UInt8(ascii: "%"), let escaped = PercentEncoding.decoded(left.prefix(3))?.first {
      return (escaped, 3)
    }
    return (byte, 1)
  }
}
