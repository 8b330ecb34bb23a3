import Longwave

// Schemas of bans.
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
