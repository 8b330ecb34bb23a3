import Ingest
import Server

/// The shapes of the API as JSON Schema (2020-12), of which a small part is used: `type`, `properties`, `required`,
/// `additionalProperties`, `items`, `enum`, `$ref`, `anyOf`, `minimum` and `maximum`.
enum Schema {
  static let text: JSON = ["type": "string"]
  static let flag: JSON = ["type": "boolean"]
  static let number: JSON = ["type": "number"]
  static let count: JSON = ["type": "integer", "minimum": .integer(0)]
  static let time: JSON = ["type": "string", "format": "date-time"]

  static func integer(_ range: ClosedRange<Int>) -> JSON {
    ["type": "integer", "minimum": JSON(range.lowerBound), "maximum": JSON(range.upperBound)]
  }

  static func words(_ words: [String]) -> JSON { ["enum": .array(words.map(JSON.string))] }

  static func list(_ items: JSON) -> JSON { ["type": "array", "items": items] }

  static func either(_ schemas: JSON...) -> JSON { ["anyOf": .array(schemas)] }

  /// The same, or null.
  static func known(_ schema: JSON) -> JSON {
    guard case .object(var members) = schema, case .string(let type)? = schema["type"] else {
      return either(schema, ["type": "null"])
    }
    members[0].value = [.string(type), "null"]
    return .object(members)
  }

  /// One of the shapes of `all`.
  static func named(_ name: String) -> JSON {
    ["$ref": .string("#/components/schemas/\(name)")]
  }

  /// An object with these members and no others, which are all there unless some are said to be.
  static func object(_ properties: [(String, JSON)], needed: [String]? = nil) -> JSON {
    [
      "type": "object",
      "properties": .object(properties.map { .init(key: $0.0, value: $0.1) }),
      "required": .array((needed ?? properties.map(\.0)).map(JSON.string)),
      "additionalProperties": .bool(false),
    ]
  }

  static let all: [(name: String, schema: JSON)] = answers + bans + recordings + bodies

  private static let answers: [(name: String, schema: JSON)] = [
    ("Stations", object([("stations", list(named("Station")))])),
    ("Station", station),
    ("Definitions", object([("stations", list(named("StationDefinition")))])),
    ("NowPlaying", object(nowPlaying)),
    ("History", object([("history", list(object(nowPlaying + played))), ("truncated", flag)])),
    (
      "Files",
      object([
        (
          "files",
          list(
            object([
              ("path", text), ("bytes", count), ("seconds", known(number)), ("mediaType", text),
              ("modified", time),
            ]))
        ), ("truncated", flag),
      ])
    ),
    ("Listeners", object([("listeners", list(named("Listener")))])),
    ("Listener", listener),
    ("Session", session),
    ("Stats", stats),
    ("Event", event),
    (
      "Reload",
      object(["added", "changed", "removed", "needRestart"].map { ($0, list(text)) })
    ),
    ("Error", error),
    ("Description", ["type": "object"]),
    ("IcecastStatus", object([("icestats", ["type": "object"])])),
  ]

  private static let nowPlaying = [
    ("title", known(text)), ("artist", known(text)), ("url", known(text)), ("artwork", known(text)),
    ("since", known(time)),
  ]

  /// What history tells of a title besides: `end` is null while it plays.
  private static let played = [
    ("position", known(count)), ("end", known(time)), ("seconds", number), ("inWindow", flag),
  ]

  private static let station = object([
    ("id", text), ("name", text), ("description", known(text)), ("genre", known(text)),
    ("homepage", known(text)), ("artwork", known(text)),
    ("state", words(StationState.allCases.map(\.rawValue))), ("stateReason", known(text)),
    ("sid", count),
    (
      "upstream",
      object([
        ("url", known(text)), ("connectedSince", known(time)), ("attempts", count),
        ("bytes", count), ("skipped", count),
      ])
    ),
    (
      "format",
      object([
        ("codec", known(text)), ("mediaType", known(text)), ("bitrate", known(count)),
        ("sampleRate", known(count)), ("channels", known(count)),
      ])
    ),
    (
      "window",
      object([
        ("oldest", known(time)), ("live", known(time)), ("oldestPosition", count),
        ("livePosition", count), ("seconds", number), ("bytes", count), ("secondsMax", number),
        ("bytesMax", known(count)), ("onDisk", count),
        ("storage", words(["memory-only", "healthy", "failed"])),
      ])
    ),
    ("listeners", object([("now", count), ("peak", count), ("total", count)])),
    (
      "rights",
      object([("shift", flag), ("offsetMax", known(number)), ("clip", flag), ("record", flag)])
    ),
    (
      "metadata",
      known(
        object([("url", text), ("answers", count), ("failures", count), ("trouble", known(text))]))
    ),
    ("fallback", known(text)), ("nowPlaying", named("NowPlaying")),
  ])

  static let session = object([
    ("station", text), ("state", words(SessionSnapshot.State.allCases.map(\.rawValue))),
    ("offset", number), ("position", count),
    ("window", object([("oldest", time), ("live", time)])), ("canRewind", flag),
    ("canForward", flag), ("nowPlaying", named("NowPlaying")),
  ])

  private static let listener = object([
    ("id", count), ("station", text), ("address", text), ("user", known(text)),
    ("player", known(text)), ("protocol", text), ("connectedAt", time), ("seconds", number),
    ("bytes", count),
    ("offset", known(number)), ("lag", known(number)),
    ("state", words(ListenerSnapshot.State.allCases.map(\.rawValue))), ("session", known(text)),
    ("nowPlaying", named("NowPlaying")),
  ])

  private static let stats = object([
    ("version", text), ("startedAt", time), ("uptime", number), ("stations", count),
    ("leftOut", known(text)),
    (
      "listeners",
      object(["now", "peak", "total", "max", "stalled"].map { ($0, count) })
    ),
    ("connections", object(["now", "accepted", "refused", "max"].map { ($0, count) })),
    ("watchers", object(["now", "max"].map { ($0, count) })),
    ("clips", object(["now", "total", "bytes"].map { ($0, count) })),
    ("files", object(["open", "max"].map { ($0, count) })), ("promptSlotsFull", count),
    ("bytesSent", count), ("writes", count), ("wouldBlocks", count), ("skips", count),
    ("overruns", count), ("loops", count),
    (
      "process",
      object([
        ("memory", count), ("cpuSeconds", number), ("openFiles", count), ("openFilesMax", count),
        ("threads", count),
      ])
    ),
  ])

  /// What a kind does not tell is not there.
  private static let event = object(
    [
      ("kind", words(RelayEvent.Kind.allCases.map(\.rawValue))), ("station", known(text)),
      ("time", time), ("position", known(count)),
      ("state", words(StationState.allCases.map(\.rawValue))), ("reason", known(text)),
      ("title", known(text)), ("artist", known(text)), ("url", known(text)),
      ("session", text), ("seconds", number), ("cause", text), ("stitchedSeconds", number),
      ("lostSeconds", number), ("overlapSeconds", number), ("repeatedSeconds", number),
      ("insertedSeconds", number), ("pausedSeconds", number), ("rate", number),
      ("recording", count), ("missedSeconds", number),
      ("status", known(count)), ("listener", count), ("bytes", count), ("address", text),
      ("player", known(text)), ("added", list(text)), ("changed", list(text)),
      ("removed", list(text)), ("of", words(["metadata"])), ("path", text),
      ("fallback", text), ("listeners", count),
    ], needed: ["kind", "station", "time", "position"])

  private static let error = object([
    ("error", object([("code", text), ("message", text), ("field", known(text))]))
  ])
}
