/// An entry of `webhooks:`: a web service that is told of events.
public struct WebhookSettings: Hashable, Sendable {
  public var url = ""
  /// Empty for every kind that is an event.
  public var kinds: [String] = []
  /// Ids; empty for all, and for the server's own events.
  public var stations: [String] = []
  /// Key that deliveries are signed with; nil for none.
  public var secret: String?
  /// Whether listeners' addresses and players are told.
  public var isIdentified = false
  /// Events that a body may have, which then is a list of them; nil for one event a body, and no list.
  public var batch: Int?

  public init() {}
}

extension WebhookSettings {
  /// Most web services: each has a thread.
  private static let countMax = 16

  static let rows: [KeyRow<Self>] = [
    KeyRow("url", \.url, .serviceURL, missing: "write where events are sent"),
    KeyRow("kinds", list: \.kinds, .eventKind),
    KeyRow("stations", list: \.stations, .stationID),
    KeyRow("secret", \.secret, .text(wanted: "a secret of your own", secrecy: .whole)),
    KeyRow("identified", \.isIdentified, .flag),
    KeyRow("batch", \.batch, .integer(ConfigurationLimits.webhookBatch)),
  ]

  /// Reads `webhooks:`.
  static func read(_ top: SettingReader) -> [WebhookSettings] {
    top.entries("webhooks", max: countMax, known: rows.names()).map { reader in
      var settings = WebhookSettings()
      rows.read(reader, into: &settings)
      return settings
    }
  }
}

extension ValueRule where Value == String {
  /// The rule for the URL of a web service, whose path may be a secret as well.
  fileprivate static var serviceURL: ValueRule {
    ValueRule(wanted: webURL.wanted, secrecy: .behindHost) { text throws(InvalidValue) in
      do throws(InvalidValue) {
        return try webURL.parse(text)
      } catch {
        throw InvalidValue("\(Secrecy.mask) is not \(webURL.wanted), a host and a port that can be")
      }
    }
  }

  /// The rule for a kind of events that web services are told of.
  fileprivate static var eventKind: ValueRule {
    let told = RelayEvent.Kind.allCases.filter { $0.row.group != .figures }
    return ValueRule(wanted: "a kind of events, such as state") { text throws(InvalidValue) in
      guard RelayEvent.Kind(rawValue: text)?.row.group != .figures else {
        throw InvalidValue(quoting: text, "are figures, which only watchers of /events are told")
      }
      return try eventKind(of: told).parse(text)
    }
  }

  /// The rule for a kind of events that can be watched.
  package static var watchedKind: ValueRule { eventKind(of: RelayEvent.Kind.allCases) }

  /// The kinds that can be watched, in words.
  package static var watchedKinds: String {
    RelayEvent.Kind.allCases.map(\.rawValue).joined(separator: ", ")
  }

  private static func eventKind(of kinds: [RelayEvent.Kind]) -> ValueRule {
    let known = kinds.map(\.rawValue)
    return ValueRule(wanted: "a kind of events, such as state") { text throws(InvalidValue) in
      if known.contains(text) { return text }
      let meant = KeySuggestion.nearest(to: text, among: known)
      throw InvalidValue(
        quoting: text,
        "is no kind of events; "
          + (meant.map { "did you mean \($0)?" } ?? "write \(known.joined(separator: ", "))"))
    }
  }
}
