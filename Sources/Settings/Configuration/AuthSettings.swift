/// `auth:` of a station: who may listen, besides the rules for addresses. One of these ways is enough to be admitted.
public struct AuthSettings: Hashable, Sendable {
  /// Accepted values of `token` in the query.
  public var tokens: [String] = []
  /// The path of a file of users, as `htpasswd -B` writes it.
  public var passwordFile: String?
  /// URL that is asked about each listener, as Icecast asks (`listener_add`).
  public var addURL: String?
  /// URL that is told when a listener has gone (`listener_remove`).
  public var removeURL: String?

  public init() {}

  /// The kind of check in Icecast's word for it, which monitors read; a service's answer counts before a file.
  package var authenticator: String? {
    if addURL != nil { return "url" }
    return passwordFile != nil ? "htpasswd" : tokens.isEmpty ? nil : "url"
  }

  /// What a listener may show: a token in the query, or a name and a password.
  package var ways: [String] {
    (tokens.isEmpty ? [] : ["token"]) + (takesPasswords ? ["password"] : [])
  }

  /// Whether a password could admit a listener.
  package var takesPasswords: Bool { passwordFile != nil || addURL != nil }
}

extension AuthSettings {
  /// Reads `auth:` of a station; nil when nothing is given.
  static func read(_ station: SettingReader) -> AuthSettings? {
    guard let node = station.node("auth") else { return nil }
    if case .nothing = node.content { return nil }
    let reader = SettingReader(
      node, path: station.full("auth"), known: rows.names(), problems: station.problems)
    var auth = AuthSettings()
    rows.read(reader, into: &auth)
    if auth.removeURL != nil, reader.node("listener-add") == nil {
      reader.report("has no effect without listener-add:; write that too", key: "listener-remove")
    }
    guard case .fields = node.content else { return auth }
    if auth.tokens.allSatisfy(\.isEmpty), reader.node("htpasswd") == nil,
      reader.node("listener-add") == nil
    {
      station.report("lets nobody in; write tokens:, htpasswd: or listener-add:", key: "auth")
    }
    auth.tokens.removeAll(where: \.isEmpty)
    return auth
  }

  static let rows: [KeyRow<Self>] = [
    KeyRow("tokens", list: \.tokens, .token),
    KeyRow("htpasswd", \.passwordFile, .pathOfSecret("the path of an htpasswd file")),
    KeyRow("listener-add", \.addURL, .webURL),
    KeyRow("listener-remove", \.removeURL, .webURL),
  ]

  /// The settings as request bodies and the store have them.
  var json: JSON { .object(Self.rows.members(of: self)) }
}
