import Ingest
import Library
import Longwave
import Server
import Timeshift

// Schemas of answers.
extension Schema {
  static let all: [(name: String, schema: JSON)] =
    answers + recordings + collections + library + bodies

  private static let answers: [(name: String, schema: JSON)] = [
    ("Stations", object([("stations", list(named("Station")))])),
    ("Station", StationSnapshot.schema),
    ("UpstreamFindings", object([("upstreams", list(UpstreamFinding.schema))])),
    ("Definitions", object([("stations", list(named("StationDefinition")))])),
    ("NowPlaying", NowPlaying.schema),
    ("Programme", ProgrammeSnapshot.schema), ("Item", ProgrammeItem.schema),
    ("ProgrammePlan", ProgrammeRehearsal.schema),
    ("Play", Play.schema),
    ("Plays", object([("plays", list(named("Play"))), ("next", known(text))])),
    ("History", object([("history", list(HistoryEntry.schema)), ("truncated", flag)])),
    ("Timeline", StationTimeline.schema),
    (
      "Waveform",
      object([
        ("station", text), ("media", count), ("secondsPerPoint", count),
        ("kind", words(StationWaveform.Kind.allCases.map(\.rawValue))), ("measured", count),
        ("data", text),
      ])
    ),
    (
      "Replayed",
      object([
        ("station", text), ("media", count), ("secondsPerPoint", count), ("data", text),
      ])
    ),
    (
      "Files",
      object([("files", list(FileEntry.schema)), ("truncated", flag)])
    ),
    (
      "Listeners",
      object([("listeners", list(named("Listener"))), ("total", count), ("next", known(text))])
    ),
    ("Audience", audience),
    ("Listener", ListenerSnapshot.schema),
    ("Session", SessionSnapshot.schema),
    ("Stats", RelayFigures.schema),
    ("FigureSeries", FigureSeries.schema),
    ("Ban", BanRecord.schema), ("Bans", object([("bans", list(named("Ban")))])),
    ("Webhooks", object([("webhooks", list(WebhookState.schema))])),
    ("Event", event), ("Missed", object([("missed", count)])),
    ("Reload", object(reload)), ("ConfigurationChanges", object(reload + changes)),
    ("Dashboard", object([("url", text), ("token", known(text))])),
    ("DashboardCode", object([("url", text), ("code", known(text)), ("seconds", number)])),
    ("ListenerCredentials", object([("user", text), ("password", text)])),
    ("ListenerPass", object([("token", text), ("seconds", number)])),
    ("DashboardCodeUse", object([("code", text)])), ("DashboardToken", object([("token", text)])),
    (
      "Me",
      object([
        ("admin", flag), ("version", text), ("secure", flag),
        ("timeZone", object([("name", text), ("seconds", number)])),
      ])
    ),
    ("Error", error),
    ("Description", ["type": "object"]),
    ("IcecastStatus", object([("icestats", ["type": "object"])])),
  ]

  private static let reload = ReloadReport.keys.map { ($0, list(text)) }

  /// The fields that a look adds to what a reload does.
  private static let changes = [
    (
      "problems",
      list(object([("line", known(count)), ("key", text), ("message", text)]))
    ),
    (
      "lines",
      list(
        object([("op", words(ConfigurationChanges.operations)), ("text", text), ("line", count)]))
    ),
    ("truncated", flag),
  ]

  private static let audience = object([
    ("station", text), ("at", time), ("seconds", count),
    ("buckets", list(object([("behind", count), ("listeners", count)]))),
    ("players", list(object([("name", known(text)), ("listeners", count)]))),
    ("states", object(ListenerSnapshot.State.allCases.map { ($0.rawValue, count) })),
  ])

  /// The object of an event. A field that an event's kind does not use is absent.
  private static let event = object(
    [
      ("kind", words(RelayEvent.Kind.allCases.map(\.rawValue))), ("station", known(text)),
      ("time", time), ("position", known(count)),
      ("state", words(StationState.allCases.map(\.rawValue))), ("reason", known(text)),
      ("title", known(text)), ("artist", known(text)), ("url", known(text)),
      ("offset", number), ("kbitIn", known(number)), ("kbitOut", known(number)),
      ("lagMax", known(number)), ("seconds", known(number)), ("cause", text),
      ("stitchedSeconds", number),
      ("lostSeconds", number), ("overlapSeconds", number), ("repeatedSeconds", number),
      ("insertedSeconds", number), ("pausedSeconds", number), ("rate", number),
      ("recording", count), ("missedSeconds", number),
      ("status", known(count)), ("listener", count), ("bytes", count), ("address", text),
      ("player", known(text)), ("added", list(text)), ("changed", list(text)),
      ("removed", list(text)), ("leftOut", list(text)), ("settings", list(text)),
      ("needRestart", list(text)),
      ("names", list(text)), ("validUntil", time), ("file", text),
      ("of", words(["metadata"])), ("path", text),
      ("fallback", text), ("listeners", count), ("media", number),
      ("channels", either(levels, count)),
      ("loudness", either(loudness, number)),
      ("bound", words(["below", "above"])),
      ("correlation", known(number)),
      ("bands", either(list(object([("frequency", number), ("level", number)])), count)),
      ("columnsPerSecond", count), ("data", text), ("channel", count), ("samples", count),
    ] + RelayEvent.programmeFields, needed: ["kind", "station", "time", "position"])

  private static let error = object([
    ("error", object([("code", text), ("message", text), ("field", known(text))]))
  ])
}
