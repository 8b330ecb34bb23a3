import Longwave
import Reactor
import Timeshift
import Wire

/// The body of `POST /api/v1/bans`. `address` (one address or a range) or `listener` (whose address is banned) gives
/// the target. `seconds` or `until` gives the end; without both the ban never ends. `reason` is a text for people.
struct BanBody: Hashable, Sendable {
  var target: BanTarget
  var until: WallTime?
  var reason: String?

  init(_ json: JSON, now: WallTime) throws(APIError) {
    guard case .object = json else { throw APIError.badJSON }
    let problems = SettingReader.Problems(file: "", sections: ConfigurationKeys.sections)
    let reader = SettingReader(
      SettingNode(json: json.withoutNulls), path: "",
      known: ["address", "listener", "seconds", "until", "reason"], problems: problems)
    var range: AddressRange?
    reader.read("address", into: &range, .addressRange)
    var listener: Int?
    reader.read("listener", into: &listener, .integer(1...Int.max))
    var seconds: Double?
    reader.read("seconds", into: &seconds, .duration(1...DurationText.secondsMax))
    reader.read("until", into: &until, .moment(after: now))
    reader.read("reason", into: &reason, .text())
    if let problem = problems.list.first { throw APIError.badField(problem.key, problem.message) }
    switch (range, listener) {
    case (let range?, nil): target = .range(range)
    case (nil, let listener?): target = .listener(UInt64(listener))
    case (nil, nil): throw APIError.badField("address", "is missing; write it, or a listener")
    case (_?, _?): throw APIError.badField("listener", "write this or an address, not both")
    }
    guard let seconds else { return }
    if until != nil { throw APIError.badField("until", "write this or seconds, not both") }
    until = now.adding(seconds: seconds)
  }
}

extension BanBody {
  static let schema = Schema.object(
    [
      ("address", Schema.known(Schema.text)), ("listener", Schema.known(Schema.count)),
      ("seconds", Schema.known(["type": ["number", "string"]])),
      ("until", Schema.known(Schema.time)), ("reason", Schema.known(Schema.text)),
    ], needed: [])
}

extension ValueRule where Value == WallTime {
  /// Makes a rule for RFC 3339 or Unix seconds after `now`.
  static func moment(after now: WallTime) -> ValueRule {
    ValueRule(wanted: "a time such as 2026-11-20T18:00:00Z") { text throws(InvalidValue) in
      let moment: WallTime
      do throws(TimestampError) {
        moment = try WallTime(parsing: text)
      } catch {
        throw InvalidValue("\"\(text.prefix(64))\" \(error)")
      }
      if moment <= now { throw InvalidValue("\(text) is over") }
      return moment
    }
  }
}

extension BanRecord: ShapedObject {
  package static let shape: [Shape<Self>] = [
    Shape("id", \.id), Shape("address", \.range.text), Shape("createdAt", \.createdAt),
    Shape("until", \.until), Shape("reason", \.reason),
  ]
}
