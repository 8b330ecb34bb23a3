/// `auth:` of a station: who may listen besides what addresses say. Any of these ways that lets somebody in will do.
public struct AuthSettings: Hashable, Sendable {
  /// Values of `token` in the query.
  public var tokens: [String] = []
  /// The path of a file of users, as `htpasswd -B` writes it.
  public var passwordFile: String?
  /// Asked about each listener, as Icecast asks (`listener_add`).
  public var addURL: String?
  /// Told when a listener has gone (`listener_remove`).
  public var removeURL: String?

  public init() {}

  /// Whether a password could help.
  var takesPasswords: Bool { passwordFile != nil || addURL != nil }
}

extension AuthSettings {
  /// nil where nothing is given.
  static func read(_ station: SettingReader) -> AuthSettings? {
    guard let node = station.node("auth") else { return nil }
    if case .nothing = node.content { return nil }
    let reader = SettingReader(
      node, path: station.full("auth"), known: ConfigurationKeys.auth, problems: station.problems)
    var auth = AuthSettings()
    reader.readList("tokens", into: &auth.tokens, .token)
    reader.read(
      "htpasswd", into: &auth.passwordFile, .text(max: 4096, wanted: "the path of an htpasswd file")
    )
    reader.read("listener-add", into: &auth.addURL, .webURL)
    reader.read("listener-remove", into: &auth.removeURL, .webURL)
    if auth.removeURL != nil, reader.node("listener-add") == nil {
      reader.report("is told of nobody without a listener-add:", key: "listener-remove")
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

  /// As request bodies and the store have it.
  var json: JSON {
    [
      "tokens": tokens.isEmpty ? .null : .array(tokens.map(JSON.string)),
      "htpasswd": JSON(passwordFile), "listenerAdd": JSON(addURL),
      "listenerRemove": JSON(removeURL),
    ]
  }
}
