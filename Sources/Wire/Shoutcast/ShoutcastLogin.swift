/// The first line of a source that speaks SHOUTcast's first protocol: a password, and perhaps the stream it is for.
///
/// There is no specification. The format follows DNAS 1.9.8, and what Icecast, icecast-kh and Liquidsoap accept from
/// their sources. A login is one line, ended by `\n` with any number of `\r` before it.
public struct ShoutcastLogin: Hashable, Sendable {
  /// One way to read the line.
  public struct Reading: Hashable, Sendable {
    public var password: [UInt8]
    /// The path, where the line names one (icecast-kh's `/mount:password`).
    public var mount: String?
    /// SHOUTcast 2's number of a stream, where the line names one (`password:#sid`).
    public var sid: Int?

    public init(password: [UInt8], mount: String? = nil, sid: Int? = nil) {
      self.password = password
      self.mount = mount
      self.sid = sid
    }
  }

  /// All readings of the line; the whole line as a password comes first, since a password may contain a colon.
  public let readings: [Reading]

  /// The opening of a connection to the port of SHOUTcast 1 sources.
  public enum Opening: Hashable, Sendable {
    /// A login, and the bytes of its line, line end included.
    case login(ShoutcastLogin, length: Int)
    /// A request as on any other port, from an encoder that was given the wrong port.
    case http
    /// A probe for a server (libshout's `!POKE`), which expects no answer.
    case probe
    /// No login: a line longer than any password, or with bytes that no password has.
    case garbage
  }

  /// The most bytes of the line; a password has at most 256 bytes, a path 255.
  static let lineBytesMax = 600

  /// Reads the first line; nil while the line is incomplete.
  public static func open(_ bytes: [UInt8]) -> Opening? {
    let line = bytes.prefix { $0 != ASCII.lineFeed }
    guard line.count <= lineBytesMax else { return .garbage }
    guard line.count < bytes.count else { return nil }
    var text = line
    while text.last == ASCII.carriageReturn { text.removeLast() }
    if isRequest(text) { return .http }
    if text.starts(with: "!POKE".utf8) { return .probe }
    guard !text.isEmpty, !text.contains(where: ASCII.isControl) else { return .garbage }
    return .login(ShoutcastLogin(line: text), length: line.count + 1)
  }

  /// Whether a line is `METHOD target HTTP/1.0`; no password has blanks in it.
  private static func isRequest(_ line: ArraySlice<UInt8>) -> Bool {
    let words = line.split(separator: ASCII.space)
    guard words.count >= 2, let last = words.last else { return false }
    return last.starts(with: "HTTP/".utf8) || last.starts(with: "ICE/".utf8)
  }

  private init(line: ArraySlice<UInt8>) {
    var readings = [Reading(password: Array(line))]
    if let end = line.lastIndex(of: UInt8(ascii: ":")), end > line.startIndex,
      line[(end + 1)...].first == UInt8(ascii: "#"),
      let sid = Int(String(decoding: line[(end + 2)...], as: UTF8.self)), sid > 0
    {
      readings.append(Reading(password: Array(line[..<end]), sid: sid))
    }
    if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
      let (name, password) = (line[..<colon], Array(line[(colon + 1)...]))
      // A name without a slash is a user's name, which has no meaning here.
      let mount = name.first == UInt8(ascii: "/") ? String(decoding: name, as: UTF8.self) : nil
      readings.append(Reading(password: password, mount: mount))
    }
    self.readings = readings
  }
}

extension ShoutcastLogin {
  /// The answer that a source awaits before it sends its fields; the 11 says that titles may come through `admin.cgi`.
  public static let accepted = Array("OK2\r\nicy-caps:11\r\n\r\n".utf8)
  /// Returns DNAS's refusal, with `reason` as its text.
  public static func refused(_ reason: String = "invalid password") -> [UInt8] {
    Array("\(reason)\r\n".utf8)
  }
}
