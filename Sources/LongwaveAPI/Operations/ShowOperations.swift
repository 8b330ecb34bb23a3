import Longwave
import Server
import Timeshift
import Wire

// The shows of stations: when they are on air, and what was recorded of them.
extension Operation {
  static let shows: [Operation] = [
    Operation(
      "GET", "/api/v1/stations/{station}/shows", "getShows",
      "A station's shows, their airings in the window and in the next 7 days, and what was recorded of them, the "
        + "newest first. Of recordings, only those that listeners may go back to.",
      by: .everybodyInPart, answers: .json("Shows"), errors: [404]
    ) { (call: Call, station: String) in
      let shows = try await call.shows(of: station)
      return .madeJSON(shows.key("shows \(station)")) { shows.value.json }
    },
    Operation(
      "GET", "/api/v1/stations/{station}/shows/{recording}", "getShowFile",
      "A file of a show's recording, with ranges, for everybody who may hear the station as far back; one that is being "
        + "recorded gives the bytes written so far.",
      by: .everybodyInPart,
      filePart + listenerQuery,
      answers: .audioFile,
      or: [.audioParts], errors: [400, 401, 403, 404, 416, 429, 503],
      answeredBy: Answering { (call: Call, station: String, id: Int64) in
        let part = try call.part
        try await call.hearing(of: station)
        guard let recording = try await call.relay.recordedShow(id, of: station) else {
          throw APIError.unknownRecording(id)
        }
        guard let order = recording.entry.order(part: part, isAsLeft: true) else {
          throw APIError.noPart(part, of: id)
        }
        return .file(order)
      }),
  ]
}
