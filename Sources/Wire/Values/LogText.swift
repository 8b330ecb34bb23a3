/// What strangers send, made fit for one line of a log that other programs read.
public enum LogText {
  /// For within quotation marks: everything but printable ASCII, and `"` and `\`, as `\xHH`, so that a line stays one
  /// and a field's end is where it seems to be. Apache's and nginx' readers know it.
  public static func quotable(_ text: String) -> String {
    escaped(text) { $0 >= 0x20 && $0 < 0x7f && $0 != 0x22 && $0 != 0x5c }
  }

  /// For a field that ends at a blank; `-` for nothing.
  public static func word(_ text: String) -> String {
    if text.isEmpty { return "-" }
    return escaped(text) { $0 > 0x20 && $0 < 0x7f && $0 != 0x22 && $0 != 0x5c }
  }

  /// For a text people read, up to the end of a line: only controls are `\xHH` (C1, the separators that some programs
  /// take for line ends, and what turns the direction of writing, as well).
  public static func line(_ text: String) -> String {
    var line = ""
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0..<0x20, 0x7f..<0xa0, 0x2028...0x202e, 0x2066...0x2069:
        for byte in String(scalar).utf8 { line += hex(byte) }
      default: line.unicodeScalars.append(scalar)
      }
    }
    return line
  }

  /// A request's target, or a whole URL, without what opens doors: the values of `token`, `pass`, `password` and
  /// `session` are `-`, and so is the token of a session in a path of the API's.
  public static func withoutSecrets(target: String) -> String {
    guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else {
      return withoutSession(path: target[...])
    }
    // Bytes, as the query itself is read.
    let items = target.utf8[mark...].dropFirst().split(
      separator: UInt8(ascii: "&"), omittingEmptySubsequences: false
    ).map { item -> Substring in
      let key = Substring(item.prefix { $0 != UInt8(ascii: "=") })
      let isSecret = secretKeys.contains { ASCII.equalIgnoringCase($0, HTTPQuery.key(key)) }
      return isSecret && key.utf8.count < item.count ? key + "=-" : Substring(item)
    }
    return withoutSession(path: target[..<mark]) + "?" + items.joined(separator: "&")
  }

  private static func withoutSession(path: Substring) -> String {
    // Bytes, as a path is read.
    let bytes = Array(path.utf8)
    guard let start = sessions.first(in: bytes[...]), start + sessions.bytes.count < bytes.count
    else {
      return String(path)
    }
    return String(decoding: bytes[..<(start + sessions.bytes.count)], as: UTF8.self) + "-"
  }

  private static let sessions = ByteNeedle(Array("/api/v1/sessions/".utf8))

  private static let secretKeys = ["token", "pass", "password", "session"]

  private static func escaped(_ text: String, _ isFit: (UInt8) -> Bool) -> String {
    if text.utf8.allSatisfy(isFit) { return text }
    var line = ""
    for byte in text.utf8 {
      if isFit(byte) { line.unicodeScalars.append(Unicode.Scalar(byte)) } else { line += hex(byte) }
    }
    return line
  }

  private static func hex(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return "\\x" + (digits.count == 1 ? "0" : "") + digits
  }
}
