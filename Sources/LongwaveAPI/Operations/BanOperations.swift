import Longwave
import Timeshift

// Operations on bans.
extension Operation {
  static let bans: [Operation] = [
    Operation(
      "GET", "/api/v1/bans", "listBans", "The bans, the oldest first.",
      by: .administrators, answers: .json("Bans")
    ) { call in
      let bans = await call.relay.bans()
      return .madeJSON { ["bans": .array(bans.map(\.json))] }
    },
    Operation(
      "POST", "/api/v1/bans", "addBan",
      "Bans an address, a range, or a listener's address, and ends the listeners there. A new ban on the same "
        + "addresses replaces the old one.",
      by: .administrators, takes: "NewBan", answers: .json("Ban", status: 201),
      errors: [400, 404, 409, 503]
    ) { call in
      let ban = try BanBody(try call.json, now: Moment.now().wall)
      let record = try await call.relay.ban(ban.target, until: ban.until, reason: ban.reason)
      return .json(201, record.json)
    },
    Operation(
      "DELETE", "/api/v1/bans/{ban}", "liftBan", "Lifts a ban.", by: .administrators,
      answers: .nothing, errors: [404, 503]
    ) { (call: Call, id: Int64) in
      guard try await call.relay.liftBan(id) else { throw APIError.unknownBan(id) }
      return .nothing
    },
  ]
}
