import Ingest

/// How upstreams are reached, as far as somebody has said: everywhere (`upstream:`), or for one station.
public struct ConnectionSettings: Hashable, Sendable {
  public var connectTimeout: Double?
  public var dataTimeout: Double?
  /// Further request header lines, `Name: value`.
  public var requestHeaders: [String] = []
  public var proxy: String?
  public var verifyTLS: Bool?
  public var caFile: String?
  public var allowsPrivate: Bool?

  public init() {}

  func apply(to settings: inout UpstreamSettings) {
    if let connectTimeout { settings.connectTimeout = connectTimeout }
    if let dataTimeout { settings.dataTimeout = dataTimeout }
    if !requestHeaders.isEmpty { settings.requestHeaders = requestHeaders }
    if let proxy { settings.proxy = proxy }
    if let verifyTLS { settings.verifyTLS = verifyTLS }
    if let caFile { settings.caFile = caFile }
    if let allowsPrivate { settings.allowsPrivate = allowsPrivate }
  }

  mutating func read(_ reader: SettingReader) {
    reader.read(
      "connect-timeout", into: &connectTimeout, .duration(ConfigurationLimits.connectTimeout))
    reader.read("data-timeout", into: &dataTimeout, .duration(ConfigurationLimits.dataTimeout))
    reader.readList("request-headers", into: &requestHeaders, .headerLine)
    reader.read("proxy", into: &proxy, .proxyURL)
    reader.read("verify-tls", into: &verifyTLS, .flag)
    reader.read("ca-file", into: &caFile, .text(max: 4096, wanted: "the path of a PEM file"))
    reader.read("allow-private", into: &allowsPrivate, .flag)
  }

  /// As request bodies and the store have it.
  var members: [JSON.Member] {
    [
      .init(key: "connectTimeout", value: JSON(connectTimeout)),
      .init(key: "dataTimeout", value: JSON(dataTimeout)),
      .init(
        key: "requestHeaders",
        value: requestHeaders.isEmpty ? .null : .array(requestHeaders.map(JSON.string))),
      .init(key: "proxy", value: JSON(proxy)),
      .init(key: "verifyTls", value: verifyTLS.map(JSON.bool) ?? .null),
      .init(key: "caFile", value: JSON(caFile)),
      .init(key: "allowPrivate", value: allowsPrivate.map(JSON.bool) ?? .null),
    ]
  }
}

extension ValueRule where Value == String {
  /// A line of a request's head. What libcurl or ingest sets itself cannot be set here.
  static var headerLine: ValueRule {
    let wanted = "a header such as \"Referer: https://example.org/\""
    let own = ["host", "icy-metadata", "user-agent", "range", "connection", "content-length"]
    return ValueRule(wanted: wanted) { text throws(InvalidValue) in
      let name = text.prefix { $0 != ":" }
      let isToken = name.utf8.allSatisfy {
        $0 > 32 && $0 < 127 && !"()<>@,;\\\"/[]?={}".utf8.contains($0)
      }
      let isClean = text.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }
      guard !name.isEmpty, name.count < text.count, isToken, isClean, text.utf8.count <= 4096 else {
        // Not quoted: where the colon is missing, all of it may be a secret.
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
    return ValueRule(wanted: wanted) { text throws(InvalidValue) in
      let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
      guard WebURL.isValid(text, of: schemes) else {
        // It may have a password in it: it is not shown.
        throw InvalidValue("is not \(wanted)")
      }
      return text
    }
  }
}
