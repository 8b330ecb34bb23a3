import Ingest
import Longwave
import Server
import Wire

// Schemas of the bodies of requests.
extension Schema {
  static let bodies: [(name: String, schema: JSON)] = [
    ("StationDefinition", StationDefinition.schema),
    ("StationPatch", StationDefinition.patchSchema),
    ("UpstreamCheck", object([("upstream", either(text, list(text)))])),
    (
      "Title",
      object(
        [("title", text), ("artist", known(text)), ("url", known(text))], needed: ["title"])
    ),
    ("ProgrammeAction", programmeAction), ("ProgrammePatch", RuleChanges.schema),
    ("NewBan", BanBody.schema),
    ("Move", object([("station", text)])),
    ("Seek", object(seekFields, needed: [])),
    (
      "Steering",
      object(
        [
          ("action", known(words(SteeringBody.Action.allCases.map(\.rawValue)))),
          ("station", known(text)),
        ] + seekFields,
        needed: [])
    ),
    ("Form", ["type": "object", "additionalProperties": text]),
    ("Audio", [:]),
  ]

  private static let programmeAction = object(
    [
      ("action", words(ProgrammeBody.Action.allCases.map(\.rawValue))), ("item", known(count)),
      ("items", known(list(count))), ("track", either(text, list(text), ["type": "null"])),
      ("collection", known(text)), ("url", known(text)),
      ("path", either(text, list(text), ["type": "null"])),
      ("at", known(["type": ["number", "string"]])),
    ], needed: ["action"])

  /// A duration in seconds, or a text such as `5m` or `1h30m`.
  private static let duration = known(["type": ["number", "string"]])

  /// The fields for the destination of a seek; exactly one of them must be given.
  private static let seekFields: [(String, JSON)] = [
    ("seconds", duration), ("at", known(["type": ["number", "string"]])),
    ("to", known(words(SteeringBody.places))),
  ]
}
