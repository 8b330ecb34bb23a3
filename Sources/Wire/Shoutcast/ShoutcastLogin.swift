/// The first line of a source that speaks SHOUTcast's first protocol: its password, and perhaps which stream it means.
///
/// There is no specification; DNAS 1.9.8 and what Icecast, icecast-kh and Liquidsoap take of its sources are the
/// source of this format: one line, ended by `\n` with any number of `\r` before it.
public struct ShoutcastLogin: Hashable, Sendable {
  /// One way to read the line.
  public struct Reading: Hashable, Sendable {
    public var password: [UInt8]
    /// A path, where one is named (icecast-kh's `/mount:password`).
    public var mount: String?
    /// SHOUTcast 2's number of a stream (`password:#sid`).
    public var sid: Int?

    public init(password: [UInt8], mount: String? = nil, sid: Int? = nil) {
      self.password = password
      self.mount = mount
      self.sid = sid
    }
  }

  /// Everything the line can mean, the whole line as a password first: a password may have a colon in it.
  public let readings: [Reading]

  /// What a connection to the port of these sources begins with.
  public enum Opening: Hashable, Sendable {
    /// A login, and the bytes it takes with its line's end.
    case login(ShoutcastLogin, length: Int)
    /// A request as on any other port: encoders that are told the wrong one.
    case http
    /// A probe for a server (libshout's `!POKE`), which waits for no answer.
    case probe
    /// Neither: longer than any password, or with bytes no password has.
    case garbage
  }

  /// A password has at most 256 bytes, a path 255.
  static let lineBytesMax = 600

  /// nil: the line is not complete.
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

  /// `METHOD target HTTP/1.0`: no password has blanks in it.
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
      // With another name it is a user's, whoever that is.
      let mount = name.first == UInt8(ascii: "/") ? String(decoding: name, as: UTF8.self) : nil
      readings.append(Reading(password: password, mount: mount))
    }
    self.readings = readings
  }
}

extension ShoutcastLogin {
  /// What a source waits for before it sends its fields; the 11 says that titles may be sent by `admin.cgi`.
  public static let accepted = Array("OK2\r\nicy-caps:11\r\n\r\n".utf8)
  /// What DNAS says to everybody else, with what else is wrong in its place.
  public static func refused(_ reason: String = "invalid password") -> [UInt8] {
    Array("\(reason)\r\n".utf8)
  }
}
