import Longwave
import Wire

// Schemas of recordings.
extension Schema {
  /// The fields of a schedule's entry and of one time at which it is on.
  private static let airing: [(String, JSON)] = [
    ("days", list(words(Weekday.allCases.map(\.rawValue)))), ("from", text),
    ("to", text), ("start", time), ("end", time), ("show", known(text)),
  ]

  private static let schedule = object([
    ("timeZone", object([("name", text), ("seconds", number)])),
    ("days", list(object([("date", text), ("start", time), ("end", time)]))),
    ("planned", list(named("PlannedRecording"))), ("truncated", flag),
  ])

  static let recordings: [(name: String, schema: JSON)] = [
    ("Recording", RecordingEntry.schema), ("Shows", StationShows.schema),
    (
      "PlannedRecording",
      object(
        [("station", text)] + airing + [("timeZone", text), ("split", flag), ("name", text)]
          + [("file", text)])
    ),
    ("Schedule", schedule),
    (
      "Recordings",
      object([
        ("recordings", list(named("Recording"))), ("planned", list(named("PlannedRecording"))),
      ])
    ),
    (
      "NewRecording",
      object(
        [
          ("station", text), ("from", known(text)), ("until", known(text)),
          ("seconds", known(["type": ["number", "string"]])), ("split", known(flag)),
          ("overlap", known(["type": ["number", "string"]])), ("name", known(text)),
          ("append", known(flag)), ("maxSize", known(["type": ["integer", "string"]])),
          ("keep", known(["type": ["number", "string"]])),
        ], needed: ["station"])
    ),
  ]
}
