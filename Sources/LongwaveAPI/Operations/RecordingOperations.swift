import Longwave
import Timeshift
import Wire

// Operations on recordings made on the server.
extension Operation {
  static let recordings: [Operation] = [
    Operation(
      "GET", "/api/v1/recordings", "listRecordings",
      "What is being recorded, and what was, the oldest first, and what the stations' schedules begin next.",
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
      "POST", "/api/v1/recordings", "startRecording",
      "Records a station into files on the server, from now on or from what is still in the window.",
      by: .administrators, takes: "NewRecording", answers: .json("Recording", status: 201),
      errors: [400, 404, 409]
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
      "DELETE", "/api/v1/recordings/{recording}", "stopRecording",
      "Ends a recording with what the station has sent so far, for which it waits for its disk; told again, as it is. One that has ended is taken off the list. Its files stay.",
      by: .administrators, answers: .nothing, errors: [404]
    ) { (call: Call, id: Int64) in
      guard try await call.relay.stopRecording(id) else { throw APIError.unknownRecording(id) }
      return .nothing
    },
  ]
}
