import Longwave
import Server
import Timeshift
import Wire

// Operations on recordings made on the server.
extension Operation {
  /// The highest number of a recording's file.
  fileprivate static let partMax = 1_000_000_000
  /// What says which file of a recording is wanted, and how much of it.
  static let filePart = [
    Parameter(
      "part", Schema.integer(1...partMax),
      "The file's number in the recording's files; the first known one unless given."),
    Parameter("Range", in: .header, Schema.text, "Parts of it, answered by 206."),
  ]

  static let recordings: [Operation] = [
    Operation(
      "GET", "/api/v1/recordings", "listRecordings",
      "The recordings, running and ended, the oldest first, and the next ones of the stations' schedules.",
      by: .administrators,
      answers: .json("Recordings")
    ) { call in
      let planned = await call.relay.plannedRecordings()
      let recordings = await call.relay.recordings()
      return .madeJSON {
        ["recordings": .array(recordings.map(\.json)), "planned": .array(planned.map(\.json))]
      }
    },
    Operation(
      "GET", "/api/v1/schedule", "getSchedule",
      "The recordings that schedules are going to begin on some days, the soonest first.",
      by: .administrators,
      [
        Parameter("station", "Only this station's, on days in its time zone."),
        Parameter("from", "A time on the first day, at most a year from now; now unless given."),
        Parameter(
          "days", Schema.integer(1...RecordingCalendar.daysMax), "How many days; 7 unless given."),
      ], answers: .json("Schedule"), errors: [400, 404]
    ) { call in
      let (first, days) = (try firstDay(call.query), try dayCount(call.query))
      let calendar = try await call.relay.recordingCalendar(
        of: call.query["station"], from: first, days: days)
      return .madeJSON { calendar.json }
    },
    Operation(
      "POST", "/api/v1/recordings", "startRecording",
      "Records a station into files on the server, from now on or from what is still in the window.",
      by: .administrators, takes: "NewRecording", answers: .json("Recording", status: 201),
      errors: [400, 404, 409, 503]
    ) { call in
      let body = try call.json
      var zone = ZoneOffsets.utc
      if case .string(let station)? = body["station"] {
        zone = await call.relay.timeZone(of: station)
      }
      let options = try RecordingBody.options(body, now: Moment.now().wall, in: zone)
      return .json(201, try await call.relay.record(options).json)
    },
    Operation(
      "GET", "/api/v1/recordings/{recording}/file", "getRecordingFile",
      "A file of a recording, with ranges; a running recording gives the bytes written so far.",
      by: .administrators,
      filePart,
      answers: .audioFile,
      or: [.audioParts, .unchanged], errors: [400, 404, 416, 429, 503]
    ) { (call: Call, id: Int64) in
      let part = try call.part
      guard let recording = await call.relay.recordings().first(where: { $0.id == id }) else {
        throw APIError.unknownRecording(id)
      }
      guard let order = recording.order(part: part) else { throw APIError.noPart(part, of: id) }
      return .file(order)
    },
    Operation(
      "DELETE", "/api/v1/recordings/{recording}", "stopRecording",
      "Ends a recording with the audio sent so far, waiting for its disk; a second call ends it at once. An ended recording leaves the list; its files stay.",
      by: .administrators, answers: .nothing, errors: [404, 503]
    ) { (call: Call, id: Int64) in
      guard try await call.relay.stopRecording(id) else { throw APIError.unknownRecording(id) }
      return .nothing
    },
  ]

  private static func firstDay(_ query: HTTPQuery) throws(APIError) -> WallTime? {
    guard let text = query["from"] else { return nil }
    guard let time = try? WallTime(parsing: text),
      abs(time.seconds(since: Moment.now().wall)) <= RecordingCalendar.reach
    else {
      throw APIError.badParameter(
        "from", "write a time such as 2026-11-26T18:00:00Z, within a year")
    }
    return time
  }

  private static func dayCount(_ query: HTTPQuery) throws(APIError) -> Int {
    guard let text = query["days"] else { return 7 }
    guard let days = Int(text, in: 1...RecordingCalendar.daysMax) else {
      throw APIError.badParameter("days", "write a number from 1 to \(RecordingCalendar.daysMax)")
    }
    return days
  }
}

extension Call {
  /// The number of the file that is wanted; nil for the first that is known.
  var part: Int? {
    get throws(APIError) {
      guard let text = query["part"] else { return nil }
      guard let number = Int(text, in: 1...Operation.partMax) else {
        throw APIError.badParameter("part", "write the number of a file, from 1")
      }
      return number
    }
  }
}
