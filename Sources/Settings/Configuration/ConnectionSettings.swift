/// How upstreams are reached, as far as it is set: for all stations (`upstream:`) or for one.
public struct ConnectionSettings: Hashable, Sendable {
  /// Seconds for looking up and connecting; nil when not set here.
  public var connectTimeout: Double?
  /// Seconds without a byte after which a connection counts as dead; nil when not set here.
  public var dataTimeout: Double?
  /// Seconds of audio that a connection has to bring before its station plays; nil when not set here.
  public var prebuffer: Double?
  /// Whether upstreams are asked for ICY titles; nil when not set here.
  public var asksForTitles: Bool?
  /// Further request header lines, `Name: value`.
  public var requestHeaders: [String] = []
  /// URL of a proxy: `http://`, `socks5h://` and the like, HOST:PORT, userinfo allowed; nil when not set here.
  public var proxy: String?
  /// Whether certificates of upstreams are checked; nil when not set here.
  public var verifyTLS: Bool?
  /// Path of a PEM file with the authorities to trust; nil when not set here.
  public var caFile: String?
  /// Whether public servers may lead to private addresses; nil when not set here.
  public var allowsPrivate: Bool?

  /// Makes settings in which nothing is set.
  public init() {}
}

extension ValueRule where Value == String {
  /// A header line of a request. Headers that libcurl or ingest sets itself cannot be set here.
  package static var headerLine: ValueRule {
    let wanted = "a header such as \"Referer: https://example.org/\""
    let own = ["host", "icy-metadata", "user-agent", "connection", "content-length"]
    // Header lines often are passwords.
    return ValueRule(wanted: wanted, secrecy: .whole) { text throws(InvalidValue) in
      let name = text.prefix { $0 != ":" }
      let isToken = name.utf8.allSatisfy {
        $0 > 32 && $0 < 127 && !"()<>@,;\\\"/[]?={}".utf8.contains($0)
      }
      let isClean = text.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }
      guard !name.isEmpty, name.count < text.count, isToken, isClean, text.utf8.count <= 4096 else {
        // The text is not quoted: without a colon, all of it may be a secret.
        throw InvalidValue("a line does not begin with the name of a header; write \(wanted)")
      }
      if own.contains(name.lowercased()) {
        throw InvalidValue("\(name) is set by the relay itself; leave it out")
      }
      return text
    }
  }

  static var proxyURL: ValueRule {
    let wanted = "a proxy such as http://proxy:3128 or socks5h://127.0.0.1:1080"
    return ValueRule(wanted: wanted, secrecy: .behindHost) { text throws(InvalidValue) in
      let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
      guard WebURL.isValid(text, of: schemes) else {
        // The URL is not quoted: it may contain a password.
        throw InvalidValue("is not \(wanted)")
      }
      return text
    }
  }
}
