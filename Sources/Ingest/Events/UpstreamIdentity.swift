import Wire

/// A response's header lines under the names used for listeners: `icy-*`.
///
/// Icecast's sources use `ice-*`, its ancestors `x-audiocast-*`. A repeated name counts once, with its first value.
struct UpstreamIdentity {
  /// The most bytes of a value. A listener's response head must stay below Icecast's 4,096 bytes for a relayed head.
  static let valueBytesMax = 512
  static let nameBytesMax = 64
  static let passedOnMax = 24
  static let passedOnBytesMax = 1024

  private var values: [(name: String, value: String)] = []

  init(_ fields: [UpstreamHeaders.Field]) {
    for field in fields.prefix(200) {
      let name = Self.canonical(field.name.lowercased())
      let value = String(
        decoding: UTF8Text.prefix(Self.trimmed(field.value), bytes: Self.valueBytesMax),
        as: UTF8.self)
      guard !value.isEmpty, self[name] == nil else { continue }
      values.append((name, value))
    }
  }

  /// The value of a lower-case name.
  subscript(name: String) -> String? { values.first { $0.name == name }?.value }

  /// The fields for listeners that have no property in `UpstreamHeaders`, within bounds.
  var passedOn: [UpstreamHeaders.Field] {
    var fields: [UpstreamHeaders.Field] = []
    var left = Self.passedOnBytesMax
    for (name, value) in values where Self.isForListeners(name) && !Self.misleads(name, value) {
      left -= name.utf8.count + value.utf8.count
      guard left >= 0, fields.count < Self.passedOnMax else { break }
      fields.append(.init(name: name, value: value))
    }
    return fields
  }

  private static func canonical(_ name: String) -> String {
    switch name {
    case "ice-audio-info": name
    case "ice-bitrate", "x-audiocast-bitrate": "icy-br"
    case "ice-public", "x-audiocast-public": "icy-pub"
    case _ where name.hasPrefix("ice-"): "icy-" + name.dropFirst(4)
    case _ where name.hasPrefix("x-audiocast-"): "icy-" + name.dropFirst(12)
    default: name
    }
  }

  /// Whether a field may be passed on to players. Not fields that the relay sends itself, or never sends.
  ///
  /// Whether a directory may list the upstream does not tell whether it may list the relay.
  private static func isForListeners(_ name: String) -> Bool {
    guard name.hasPrefix("icy-"), name.utf8.count <= nameBytesMax, name.utf8.allSatisfy(isNameByte)
    else { return false }
    if spoken.contains(name) || name.hasPrefix("icy-notice") { return false }
    return !["password", "passwd", "auth", "token", "secret"].contains { name.contains($0) }
  }

  private static func misleads(_ name: String, _ value: String) -> Bool {
    (name.hasSuffix("url") || name.hasSuffix("logo")) && URLText.webLink(value).isEmpty
  }

  private static let spoken: Set<String> = [
    "icy-name", "icy-genre", "icy-url", "icy-description", "icy-br", "icy-pub", "icy-public",
    "icy-metaint", "icy-metadata", "icy-reset", "icy-caps", "icy-udpport",
  ]

  private static func isNameByte(_ byte: UInt8) -> Bool {
    "abcdefghijklmnopqrstuvwxyz0123456789-_".utf8.contains(byte)
  }

  private static func trimmed(_ text: String) -> String {
    var rest = text.drop { $0 == " " }
    while rest.last == " " { rest.removeLast() }
    return String(rest)
  }
}
