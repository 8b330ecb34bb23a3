import Ingest
import Longwave
import Server
import Timeshift

// Schemas of answers.
extension Schema {
  static let all: [(name: String, schema: JSON)] =
    answers + recordings + bodies

  /// Returns a reference to one of the schemas of `all`.
  static func named(_ name: String) -> JSON {
    ["$ref": .string("#/components/schemas/\(name)")]
  }

  private static let answers: [(name: String, schema: JSON)] = [
    ("Stations", object([("stations", list(named("Station")))])),
    ("Station", station),
    ("UpstreamFindings", object([("upstreams", list(finding))])),
    ("Definitions", object([("stations", list(named("StationDefinition")))])),
    ("NowPlaying", object(nowPlaying)),
    ("History", object([("history", list(object(nowPlaying + played))), ("truncated", flag)])),
    ("Timeline", timeline),
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
    (
      "Listeners",
      object([("listeners", list(named("Listener"))), ("total", count), ("next", known(text))])
    ),
    ("Audience", audience),
    ("Listener", listener),
    ("Session", session),
    ("Stats", stats),
    (
      "FigureSeries",
      object([
        ("from", time), ("step", count), ("listeners", list(known(count))),
        ("kbitIn", list(known(number))), ("kbitOut", list(known(number))),
        ("lagMax", list(known(number))),
      ])
    ),
    ("Ban", BanRecord.schema), ("Bans", object([("bans", list(named("Ban")))])),
    ("Webhooks", object([("webhooks", list(WebhookState.schema))])),
    ("Event", event), ("Missed", object([("missed", count)])),
    ("Reload", object(reload)), ("ConfigurationChanges", object(reload + changes)),
    ("Dashboard", object([("url", text), ("token", known(text))])),
    ("DashboardCode", object([("url", text), ("code", known(text)), ("seconds", number)])),
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

  private static let nowPlaying = [
    ("title", known(text)), ("artist", known(text)), ("url", known(text)), ("artwork", known(text)),
    ("since", known(time)),
  ]

  /// The fields that the history adds to a title; `end` is null while the title plays.
  private static let played = [
    ("position", known(count)), ("end", known(time)), ("seconds", number), ("inWindow", flag),
  ]

  private static let timeline = object([
    ("station", text), ("timeZone", object([("name", text), ("seconds", number)])),
    ("oldest", object(instant)), ("live", object(instant)),
    ("anchors", list(object([("media", number), ("air", time)]))),
    (
      "gaps",
      list(
        object([
          ("media", number), ("position", count), ("seconds", number),
          ("cause", words(GapCause.allCases.map(\.word))),
        ]))
    ),
    (
      "titles",
      list(object(nowPlaying + [("media", number), ("position", known(count))]))
    ),
  ])

  /// A place in a window.
  private static let instant = [("media", number), ("air", time), ("position", count)]

  private static let station = object(
    stationFields + [("isConfigured", flag)], needed: stationFields.map(\.0))

  private static let finding = object([
    ("url", text), ("ok", flag), ("codec", known(text)), ("bitrate", known(count)),
    ("name", known(text)), ("title", known(text)), ("trouble", known(text)),
    (
      "steps",
      list(
        object([
          ("step", words(UpstreamFinding.Step.Kind.allCases.map(\.rawValue))), ("text", text),
          ("seconds", number),
        ]))
    ),
  ])

  private static let stationFields: [(String, JSON)] = [
    ("id", text), ("name", text), ("description", known(text)), ("genre", known(text)),
    ("homepage", known(text)), ("artwork", known(text)),
    ("state", words(StationState.allCases.map(\.rawValue))), ("stateReason", known(text)),
    ("sid", count),
    (
      "upstream",
      object([
        ("url", known(text)), ("command", known(list(text))), ("connectedSince", known(time)),
        ("attempts", count),
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
    ("renditionOf", known(text)),
    ("renditions", list(object([("id", text), ("bitrate", count)]))),
    ("beginsAt", known(time)),
    (
      "metadata",
      known(
        object([("url", text), ("answers", count), ("failures", count), ("trouble", known(text))]))
    ),
    ("fallback", known(text)),
    (
      "sound",
      object([
        ("state", words(["measured", "idle", "unavailable"])), ("reason", known(text)),
        ("channels", known(channels)), ("loudness", known(loudness)), ("silent", known(flag)),
        ("loudnessState", known(words(LoudnessState.allCases.map(\.rawValue)))),
      ])
    ),
    ("nowPlaying", named("NowPlaying")),
  ]

  /// Decibels of full scale, -120 at least, and the lit part of a bar, 0 to 1.
  private static let channels = list(
    object([("rms", number), ("peak", number), ("display", number)]))

  /// LUFS, LU and dBTP by EBU R 128.
  private static let loudness = object(
    ["momentary", "shortTerm", "integrated", "range", "truePeak"].map { ($0, known(number)) })

  static let session = object([
    ("station", text), ("state", words(SessionSnapshot.State.allCases.map(\.rawValue))),
    ("offset", number), ("position", count),
    ("window", object([("oldest", time), ("live", time)])), ("canRewind", flag),
    ("canForward", flag), ("rewindSeconds", number), ("forwardSeconds", number),
    ("listener", known(count)), ("nowPlaying", named("NowPlaying")),
    (
      "connection",
      known(
        object([
          ("since", time), ("media", number), ("position", count), ("air", time), ("jumps", count),
          ("after", known(number)),
        ]))
    ),
  ])

  private static let listener = object([
    ("id", count), ("station", text), ("address", text), ("user", known(text)),
    ("player", known(text)), ("protocol", text), ("connectedAt", time), ("seconds", number),
    ("bytes", count),
    ("offset", known(number)), ("lag", known(number)),
    ("state", words(ListenerSnapshot.State.allCases.map(\.rawValue))), ("session", known(text)),
    ("nowPlaying", named("NowPlaying")),
  ])

  private static let audience = object([
    ("station", text), ("at", time), ("seconds", count),
    ("buckets", list(object([("behind", count), ("listeners", count)]))),
    ("players", list(object([("name", known(text)), ("listeners", count)]))),
    ("states", object(ListenerSnapshot.State.allCases.map { ($0.rawValue, count) })),
  ])

  private static let stats = object([
    ("version", text), ("startedAt", time), ("uptime", number), ("stations", count),
    ("leftOut", known(text)),
    ("database", object([("storage", words(["healthy", "failed"])), ("reason", known(text))])),
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
      "certificates",
      list(object([("names", list(text)), ("validFrom", time), ("validUntil", time)]))
    ),
    (
      "process",
      object([
        ("memory", count), ("cpuSeconds", number), ("openFiles", count), ("openFilesMax", count),
        ("threads", count),
      ])
    ),
    ("threads", list(object([("name", text), ("count", count)]))),
    (
      "lanes",
      list(object([("name", text)] + ["busy", "limit", "waiting"].map { ($0, count) }))
    ),
  ])

  /// The object of an event. A field that an event's kind does not use is absent.
  private static let event = object(
    [
      ("kind", words(RelayEvent.Kind.allCases.map(\.rawValue))), ("station", known(text)),
      ("time", time), ("position", known(count)),
      ("state", words(StationState.allCases.map(\.rawValue))), ("reason", known(text)),
      ("title", known(text)), ("artist", known(text)), ("url", known(text)),
      ("offset", number), ("kbitIn", known(number)), ("kbitOut", known(number)),
      ("lagMax", known(number)), ("seconds", number), ("cause", text), ("stitchedSeconds", number),
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
      ("channels", either(channels, count)), ("loudness", either(loudness, number)),
      ("bound", words(["below", "above"])),
      ("correlation", known(number)),
      ("bands", either(list(object([("frequency", number), ("level", number)])), count)),
      ("columnsPerSecond", count), ("data", text), ("channel", count), ("samples", count),
    ], needed: ["kind", "station", "time", "position"])

  private static let error = object([
    ("error", object([("code", text), ("message", text), ("field", known(text))]))
  ])
}
