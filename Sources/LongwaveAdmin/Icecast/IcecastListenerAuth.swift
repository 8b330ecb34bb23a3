import Longwave
import Wire

/// Converts the listener authentication of an Icecast mount to Longwave's `auth:`. It reads `<authentication
/// type="htpasswd">` and `type="url"` with their options, and the roles that 2.5 puts in between.
struct IcecastListenerAuth {
  private(set) var settings: AuthSettings?
  private(set) var notes: [String] = []

  init(_ authentication: IcecastNode) {
    let roles = authentication.all("role")
    var auth = AuthSettings()
    for role in roles.isEmpty ? [authentication] : roles {
      switch role.attribute("type") {
      case "htpasswd": readFile(Options(role), into: &auth)
      case "url": readService(Options(role), into: &auth)
      case let type:
        note("type \(type ?? "none")", "has no counterpart")
        noteRest(of: Options(role), besides: [])
      }
      // All of its options have been told or taken.
      for option in role.all("option") { option.useAll() }
    }
    if auth.passwordFile != nil || auth.addURL != nil { settings = auth }
    // Without this note, a closed mount would silently become open.
    if settings == nil { note("", "everybody may listen now; write an auth: to close it") }
  }

  private mutating func readFile(_ options: Options, into auth: inout AuthSettings) {
    guard let file = options["filename"], file.utf8.count <= 4096 else {
      return note("htpasswd", "it names no file")
    }
    auth.passwordFile = file
    note(file, "its passwords must be made anew with htpasswd -B; Icecast's MD5 is not taken")
    if options["allow_duplicate_users"] == "0" {
      note("allow_duplicate_users 0", "a user may listen several times")
    }
    noteRest(of: options, besides: ["filename", "allow_duplicate_users"])
  }

  private mutating func readService(_ options: Options, into auth: inout AuthSettings) {
    auth.addURL = url("listener_add", options)
    auth.removeURL = url("listener_remove", options)
    if auth.addURL == nil, auth.removeURL != nil {
      auth.removeURL = nil
      note(
        "listener_remove \(options["listener_remove"] ?? "")",
        "it is asked only besides a listener_add")
    }
    if let header = options["auth_header"], !Self.says(header, "icecast-auth-user") {
      note("auth_header \(header)", "the service must answer icecast-auth-user: 1")
    }
    if let header = options["timelimit_header"], !Self.says(header, "icecast-auth-timelimit") {
      note("timelimit_header \(header)", "the service must answer icecast-auth-timelimit: SECONDS")
    }
    for (name, reason) in [
      ("mount_add", "see the events"), ("mount_remove", "see the events"),
      ("stream_auth", "a source has the station's source-password"),
      ("headers", "the service is told the usual fields"),
      ("header_prefix", "the service is told the usual fields"),
    ] {
      if let value = options[name], !value.isEmpty { note("\(name) \(value)", reason) }
    }
    noteRest(
      of: options,
      besides: [
        "listener_add", "listener_remove", "username", "password", "auth_header",
        "timelimit_header", "mount_add", "mount_remove", "stream_auth", "headers", "header_prefix",
      ])
  }

  /// Returns the service's URL with the user and password that the service demands.
  private mutating func url(_ name: String, _ options: Options) -> String? {
    guard let text = options[name], !text.isEmpty else { return nil }
    guard WebURL.isValid(text) else {
      note("\(name) \(URLText.withoutSecrets(text))", "it must begin with http:// or https://")
      return nil
    }
    guard let user = options["username"], !user.isEmpty,
      URLText.withoutCredentials(text) == text, let start = text.firstRange(of: "://")
    else { return text }
    let password = URLText.percentEncoded(options["password"] ?? "")
    return text[..<start.upperBound] + "\(URLText.percentEncoded(user)):\(password)@"
      + text[start.upperBound...]
  }

  /// Whether a header setting means `name`: `icecast-auth-user: 1` does, and so does the name by itself.
  private static func says(_ header: String, _ name: String) -> Bool {
    let words = header.split { $0 == ":" || $0 == " " }
    return words.first?.lowercased() == name && (words.count < 2 || words[1] == "1")
  }

  /// Names the options that are none of Icecast's.
  private mutating func noteRest(of options: Options, besides known: Set<String>) {
    for name in options.names where !known.contains(name) {
      note("\(name) \(options[name] ?? "")", "is not known here")
    }
  }

  private mutating func note(_ what: String, _ reason: String) {
    notes.append("<authentication>\(what.isEmpty ? "" : " \(what.prefix(80))"): \(reason).")
  }

  /// The `<option name="…" value="…"/>` elements by name.
  private struct Options {
    private let values: [String: String]

    init(_ role: IcecastNode) {
      let pairs = role.all("option").compactMap { option in
        option.look(attribute: "name").map { ($0, option.look(attribute: "value") ?? "") }
      }
      values = Dictionary(pairs) { _, last in last }
    }

    var names: [String] { values.keys.sorted() }

    subscript(name: String) -> String? { values[name] }
  }
}
