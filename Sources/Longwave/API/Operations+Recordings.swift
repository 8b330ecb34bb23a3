// What is recorded on the server.
extension Operation {
  static let recordings: [Operation] = [
    Operation(
      "GET", "/api/v1/recordings", "listRecordings",
      "What is being recorded, and what was, the oldest first, and what the stations' schedules begin next.",
      by: .administrators,
      answers: .json("Recordings")
    ) { _ in .recordings },
    Operation(
      "POST", "/api/v1/recordings", "startRecording",
      "Records a station into files on the server, from now on or from what is still in the window.",
      by: .administrators, takes: "NewRecording", answers: .json("Recording", status: 201),
      errors: [400, 404, 409]
    ) { _ in .startRecording },
    Operation(
      "DELETE", "/api/v1/recordings/{recording}", "stopRecording",
      "Ends a recording with what the station has sent so far, for which it waits for its disk; told again, as it is. One that has ended is taken off the list. Its files stay.",
      by: .administrators, answers: .nothing, errors: [404]
    ) { Int64($0[0]).map { .stopRecording($0) } },
  ]
}

extension Schema {
  private static let recordingFile = object([
    ("name", text), ("bytes", count), ("seconds", number), ("title", known(text)),
  ])

  /// An entry of a schedule, and one time that it is on.
  private static let airing: [(String, JSON)] = [
    ("days", list(words(RecordingRule.Day.allCases.map(\.rawValue)))), ("from", text),
    ("to", text), ("start", time), ("end", time),
  ]

  static let recordings: [(name: String, schema: JSON)] = [
    (
      "Recording",
      object([
        ("id", count), ("station", text),
        ("state", words(RecordingEntry.State.allCases.map(\.rawValue))), ("reason", known(text)),
        ("startedAt", time), ("from", known(time)), ("until", known(time)), ("split", flag),
        ("overlap", number), ("name", text), ("append", flag), ("maxSize", known(count)),
        ("seconds", number),
        ("bytes", count), ("missedSeconds", number), ("fileCount", count),
        ("schedule", either(object(airing), ["type": "null"])),
        ("current", either(recordingFile, ["type": "null"])), ("files", list(recordingFile)),
      ])
    ),
    (
      "PlannedRecording", object([("station", text)] + airing + [("split", flag), ("name", text)])
    ),
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
