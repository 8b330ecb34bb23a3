// Keeping addresses out.
extension Operation {
  static let bans: [Operation] = [
    Operation(
      "GET", "/api/v1/bans", "listBans", "Who is banned, in the order the bans were spoken in.",
      by: .administrators, answers: .json("Bans")
    ) { _ in .bans },
    Operation(
      "POST", "/api/v1/bans", "addBan",
      "Bans an address, a range of them, or a listener's, and ends who listens from there. A ban on the same "
        + "addresses takes the place of the one there is.",
      by: .administrators, takes: "NewBan", answers: .json("Ban", status: 201),
      errors: [400, 404, 409]
    ) { _ in .addBan },
    Operation(
      "DELETE", "/api/v1/bans/{ban}", "liftBan", "Lifts a ban.", by: .administrators,
      answers: .nothing, errors: [404]
    ) { Int64($0[0]).map { .liftBan($0) } },
  ]
}

extension Schema {
  static let bans: [(name: String, schema: JSON)] = [
    (
      "Ban",
      object([
        ("id", count), ("address", text), ("createdAt", time), ("until", known(time)),
        ("reason", known(text)),
      ])
    ),
    ("Bans", object([("bans", list(named("Ban")))])),
    (
      "NewBan",
      object(
        [
          ("address", known(text)), ("listener", known(count)),
          ("seconds", known(["type": ["number", "string"]])), ("until", known(time)),
          ("reason", known(text)),
        ], needed: [])
    ),
  ]
}
