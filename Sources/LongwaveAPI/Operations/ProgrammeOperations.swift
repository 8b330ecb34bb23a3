import Longwave
import Server
import Timeshift
import Wire

// Operations on programmes: what they play, and what administrators do to that.
extension Operation {
  static let programmes: [Operation] = [
    Operation(
      "GET", "/api/v1/stations/{station}/programme", "getProgramme",
      "What a programme plays, has played and is to play, and by which rules.",
      by: .everybodyInPart, answers: .json("Programme"), errors: [404]
    ) { (call: Call, station: String) in
      let shown = try await call.programme(of: station)
      let isAdmin = call.isAdmin
      return .madeJSON(shown.key("programme \(station)")) { shown.value.json(identified: isAdmin) }
    },
    Operation(
      "POST", "/api/v1/stations/{station}/programme", "steerProgramme",
      "Plays the next or the previous item, takes items out, or queues tracks; the answer follows the change.",
      by: .administrators, takes: "ProgrammeAction", answers: .json("Programme"),
      errors: [400, 403, 404, 409, 503]
    ) { (call: Call, station: String) in
      let zone = await call.relay.timeZone(of: station)
      let command = try ProgrammeBody.command(try call.json, now: Moment.now().wall, in: zone)
      let shown = try await call.relay.perform(
        command, onProgramme: station, from: call.request.origin)
      return .json(200, shown.changedJSON)
    },
    Operation(
      "PATCH", "/api/v1/stations/{station}/programme", "changeProgramme",
      "Changes rules beside the station's definition, also of one of the file; null takes a change back.",
      by: .administrators, takes: "ProgrammePatch", answers: .json("Programme"),
      errors: [400, 404]
    ) { (call: Call, station: String) in
      let shown = try await call.relay.changeRules(of: station, by: try call.json)
      return .json(200, shown.json(identified: true))
    },
    Operation(
      "GET", "/api/v1/stations/{station}/programme/plan", "getProgrammePlan",
      "What a programme would play in some time, if nothing were changed: at most 5,000 items.",
      by: .administrators,
      [
        Parameter("from", "A time up to a year ahead, such as 18:00; now unless given."),
        Parameter("for", "How long: 1 s to 366 days, such as 24h; 24h unless given."),
      ],
      answers: .json("ProgrammePlan"), errors: [400, 404, 409, 503]
    ) { (call: Call, station: String) in
      let zone = await call.relay.timeZone(of: station)
      let (from, seconds) = try ProgrammeBody.span(call.query, now: Moment.now().wall, in: zone)
      let rehearsal = try await call.relay.rehearsal(of: station, from: from, seconds: seconds)
      var order = PageOrder(longKey: "", mediaType: "application/json") { isWanted in
        rehearsal.json(while: isWanted).bytes + [10]
      }
      // What was asked for is this client's own.
      order.key = nil
      return .made(order)
    },
  ]
}
