import Longwave
import Reactor
import Server
import Timeshift
import Wire

/// Reads the bodies of requests that change a session's or a listener's place in time.
enum SteeringBody {
  /// Reads the body of `POST /api/v1/sessions/TOKEN`: `action` and its argument. `rewind` and `forward` need `seconds`;
  /// `seek` needs one of `seconds`, `at` and `to`.
  ///
  /// - Parameter zone: The zone of times of day.
  static func action(
    _ json: JSON, now: WallTime, in zone: ZoneOffsets
  ) throws(APIError) -> Steering {
    let fields = try Fields(json, known: ["action", "seconds", "at", "to"], now, zone)
    guard let action = fields.action else {
      throw APIError.badField("action", "is missing; write one of \(Action.words)")
    }
    switch action {
    case .seek: return try fields.target()
    case .rewind: return .rewind(try fields.time(for: action))
    case .forward: return .forward(try fields.time(for: action))
    case .pause, .resume, .live:
      if let field = fields.placeFields.first {
        throw APIError.badField(field, "does not go with \(action.rawValue)")
      }
      return action == .pause ? .pause : action == .resume ? .resume : .live
    }
  }

  /// The body of `POST /api/v1/sessions/TOKEN` as far as it says whose session it is.
  struct Session {
    /// The station where a session that is not there yet begins; nil where none is to begin.
    let station: String?
    /// The rest of the body.
    let json: JSON

    init(_ json: JSON) throws(APIError) {
      guard case .object(let members) = json else { throw APIError.badJSON }
      var station: String?
      for member in members where member.key == "station" && member.value != .null {
        guard case .string(let id) = member.value, StationID.problem(id) == nil else {
          throw APIError.badField("station", "is no id of a station")
        }
        station = id
      }
      self.station = station
      self.json = .object(members.filter { $0.key != "station" })
    }

    /// Whether the body says what to do, besides beginning the session.
    var isSteering: Bool { station == nil || !json.members.isEmpty }
  }

  /// Reads the body of `POST /api/v1/listeners/ID/seek`: one of `seconds`, `at` and `to`.
  static func target(
    _ json: JSON, now: WallTime, in zone: ZoneOffsets
  ) throws(APIError) -> Steering {
    try Fields(json, known: ["seconds", "at", "to"], now, zone).target()
  }

  enum Action: String, CaseIterable {
    case pause, resume, rewind, forward, seek, live

    static var words: String { allCases.map(\.rawValue).joined(separator: ", ") }
  }

  /// The names of places to which `seek` can go.
  static let places = TrackPlace.allCases.map(\.rawValue) + ["live"]

  private struct Fields {
    var action: Action?
    var seconds: Double?
    var at: WallTime?
    var to: String?

    init(
      _ json: JSON, known: [String], _ now: WallTime, _ zone: ZoneOffsets
    ) throws(APIError) {
      guard case .object = json else { throw APIError.badJSON }
      let problems = SettingReader.Problems(file: "", sections: ConfigurationKeys.sections)
      let reader = SettingReader(
        SettingNode(json: json.withoutNulls), path: "", known: known, problems: problems)
      reader.read("action", into: &action, .word)
      reader.read("seconds", into: &seconds, .duration(0...DurationText.secondsMax))
      reader.read("at", into: &at, .time(now: now, in: zone))
      reader.read("to", into: &to, .text())
      if let problem = problems.list.first { throw APIError.badField(problem.key, problem.message) }
      if let to, !SteeringBody.places.contains(to) {
        throw APIError.badField(
          "to", "\"\(to)\" is none of \(SteeringBody.places.joined(separator: ", "))")
      }
    }

    var placeFields: [String] {
      [seconds.map { _ in "seconds" }, at.map { _ in "at" }, to.map { _ in "to" }].compactMap { $0 }
    }

    func target() throws(APIError) -> Steering {
      guard placeFields.count == 1 else {
        throw APIError.badField(
          placeFields.dropFirst().first ?? "seconds",
          "write exactly one of seconds (behind live), at and to")
      }
      if let seconds { return seconds == 0 ? .live : .behind(MediaTime(seconds: seconds)) }
      if let at { return .at(at) }
      return to.flatMap(TrackPlace.init).map { .track($0) } ?? .live
    }

    func time(for action: Action) throws(APIError) -> MediaTime {
      if let field = placeFields.first(where: { $0 != "seconds" }) {
        throw APIError.badField(field, "does not go with \(action.rawValue)")
      }
      guard let seconds, seconds > 0 else {
        throw APIError.badField("seconds", "write how far to \(action.rawValue), more than 0")
      }
      return MediaTime(seconds: seconds)
    }
  }
}

/// A session as a JSON object, for a client that knows its token.
extension SessionSnapshot: ShapedObject {
  package static let shape: [Shape<Self>] = [
    Shape("station", \.station), Shape("state", \.state), Shape("offset", \.offset),
    Shape("position", \.position),
    Shape("window", [Shape("oldest", \.oldest), Shape("live", \.live)]),
    Shape("canRewind", \.canRewind), Shape("canForward", \.canForward),
    Shape("rewindSeconds", \.rewindSeconds), Shape("forwardSeconds", \.forwardSeconds),
    Shape("listener", \.listener),
    Shape("nowPlaying", Schema.named("NowPlaying")) {
      ($0.title.map(NowPlaying.init) ?? NowPlaying()).json
    },
    Shape("connection", \.connection),
  ]
}

extension SessionSnapshot.State: Shaped {}

extension SessionSnapshot.Connection: ShapedObject {
  package static let shape: [Shape<Self>] = [
    Shape("since", \.since), Shape("media", \.media), Shape("position", \.position),
    Shape("air", \.air), Shape("jumps", \.jumps), Shape("after", \.after),
  ]
}
