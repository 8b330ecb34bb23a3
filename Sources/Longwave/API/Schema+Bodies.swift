import Ingest
import Server
import Wire

// What requests bring with them.
extension Schema {
  static let bodies: [(name: String, schema: JSON)] = [
    ("StationDefinition", object(stationFields, needed: ["id"])),
    ("StationPatch", object(stationFields, needed: [])),
    (
      "Title",
      object(
        [("title", text), ("artist", known(text)), ("url", known(text))], needed: ["title"])
    ),
    ("Move", object([("station", text)])),
    ("Seek", object(seekFields, needed: [])),
    (
      "Steering",
      object(
        [("action", words(SteeringBody.Action.allCases.map(\.rawValue)))] + seekFields,
        needed: ["action"])
    ),
    ("Form", ["type": "object", "additionalProperties": text]),
    ("Audio", [:]),
  ]

  /// Seconds, or text such as `5m` or `1h30m`.
  private static let duration = known(["type": ["number", "string"]])
  /// One, or several.
  private static let texts = either(text, list(text), ["type": "null"])

  /// A page of titles; a text is its URL alone.
  private static let metadata = object(
    [
      ("url", text), ("kind", known(words(TitlePage.Kind.allCases.map(\.rawValue)))),
      ("mount", known(text)), ("sid", known(integer(ConfigurationLimits.sid))),
      ("title", known(text)), ("artist", known(text)), ("artwork", known(text)),
      ("timeZone", known(text)), ("interval", duration), ("timeout", duration),
      ("charset", known(text)), ("instead", known(flag)),
    ], needed: ["url"])

  /// What is recorded every week; a text such as `weekdays 18:00-19:30` is days and times alone.
  private static let rule = object(
    [
      ("days", texts), ("from", text), ("to", text), ("name", known(text)), ("split", known(flag)),
      ("overlap", duration), ("append", known(flag)),
      ("maxSize", known(["type": ["integer", "string"]])), ("keep", duration),
      ("keepCount", known(integer(ConfigurationLimits.keepCount))),
    ], needed: ["from", "to"])

  /// Exactly one of them says where to.
  private static let seekFields: [(String, JSON)] = [
    ("seconds", duration), ("at", known(["type": ["number", "string"]])),
    ("to", known(words(SteeringBody.places))),
  ]

  /// A station's keys as in the configuration's `stations:`; null counts as not given.
  private static let stationFields: [(String, JSON)] = [
    ("id", text), ("name", known(text)), ("description", known(text)), ("genre", known(text)),
    ("homepage", known(text)), ("artwork", known(text)), ("upstream", texts),
    ("of", known(text)), ("delay", duration), ("files", known(text)),
    ("throttleBypass", duration),
    ("public", known(flag)), ("mounts", texts), ("window", duration), ("burst", duration),
    ("behind", known(words(ListenerSettings.Behind.allCases.map(\.rawValue)))),
    ("maxLag", duration), ("pauseTimeout", duration),
    ("metaint", known(integer(ConfigurationLimits.metaint))), ("userAgent", known(text)),
    ("type", known(words(AudioType.allCases.map(\.rawValue)))),
    ("shift", known(flag)), ("offsetMax", duration), ("clip", known(flag)),
    ("maxListeners", known(integer(ConfigurationLimits.listenersMax))),
    ("maxListeningTime", duration), ("allow", texts), ("deny", texts),
    ("denyAgents", texts),
    (
      "auth",
      known(
        object(
          [
            ("tokens", texts), ("htpasswd", known(text)), ("listenerAdd", known(text)),
            ("listenerRemove", known(text)),
          ], needed: []))
    ),
    ("connectTimeout", duration), ("dataTimeout", duration), ("requestHeaders", texts),
    ("proxy", known(text)), ("verifyTls", known(flag)), ("caFile", known(text)),
    ("allowPrivate", known(flag)),
    ("sourcePassword", known(text)), ("onDemand", known(flag)), ("runOn", duration),
    ("fallback", known(text)), ("fallbackAfter", duration),
    ("metadataEncoding", known(text)), ("metadataCandidates", texts), ("titlePattern", texts),
    ("titleShift", duration), ("metadata", either(text, metadata, ["type": "null"])),
    ("record", either(text, rule, list(either(text, rule)), flag, ["type": "null"])),
    ("timeZone", known(text)),
  ]
}
