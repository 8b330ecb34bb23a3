import Longwave
import Server
import Timeshift
import Wire

/// Reads what requests to programmes bring.
enum ProgrammeBody {
  enum Action: String, CaseIterable {
    case next, previous, skip, queue, unqueue, clear, reshuffle

    static var words: String { allCases.map(\.rawValue).joined(separator: ", ") }

    /// The fields that go with it.
    var fields: [String] {
      switch self {
      case .skip: ["item"]
      case .queue: ["track", "collection", "url", "path", "at"]
      case .unqueue: ["items"]
      case .next, .previous, .clear, .reshuffle: []
      }
    }
  }

  /// Items of one request.
  static let itemsMax = 500
  private static let numberMax: Int64 = 9_007_199_254_740_991
  private static let yearSeconds = 366.0 * 86_400

  /// Reads the body of `POST …/programme`: `action` and what goes with it.
  ///
  /// - Parameter zone: The zone of times of day.
  static func command(
    _ json: JSON, now: WallTime, in zone: ZoneOffsets
  ) throws(APIError) -> ProgrammeCommand {
    guard case .object(let all) = json else { throw APIError.badJSON }
    let members = all.filter { $0.value != .null }
    guard let word = json["action"], word != .null else {
      throw APIError.badField("action", "is missing; write one of \(Action.words)")
    }
    guard case .string(let text) = word, let action = Action(rawValue: text) else {
      throw APIError.badField("action", "is none of \(Action.words)")
    }
    let known = Action.allCases.flatMap(\.fields)
    for member in members where member.key != "action" && !action.fields.contains(member.key) {
      if !known.contains(member.key) { throw APIError.unknownKey(member.key, among: known) }
      throw APIError.badField(member.key, "does not go with \(text)")
    }
    switch action {
    case .next: return .next
    case .previous: return .previous
    case .clear: return .clear
    case .reshuffle: return .reshuffle
    case .skip:
      guard let item = number(json["item"]) else {
        throw APIError.badField("item", "write the number of an item")
      }
      return .skip(item: item)
    case .unqueue:
      guard case .array(let items)? = json["items"], (1...itemsMax).contains(items.count) else {
        throw APIError.badField("items", "write 1 to \(itemsMax) numbers of items in a list")
      }
      let numbers = items.compactMap { number($0) }
      guard numbers.count == items.count else {
        throw APIError.badField("items", "has what is no number of an item")
      }
      return .unqueue(Set(numbers))
    case .queue:
      return .queue(try tracks(members), try place(json["at"], now, zone))
    }
  }

  private static func number(_ json: JSON?) -> Int64? {
    guard case .integer(let number)? = json, (1...numberMax).contains(number) else { return nil }
    return number
  }

  private static func tracks(
    _ members: [JSON.Member]
  ) throws(APIError) -> [ProgrammeCommand.Track] {
    let whats = members.filter { ["track", "collection", "url", "path"].contains($0.key) }
    guard let what = whats.first, whats.count == 1 else {
      throw APIError.badField(
        whats.dropFirst().first?.key ?? "track", "write exactly one of track, collection, url, path"
      )
    }
    let values: [JSON] = if case .array(let list) = what.value { list } else { [what.value] }
    guard (1...itemsMax).contains(values.count) else {
      throw APIError.badField(what.key, "write 1 to \(itemsMax) of them")
    }
    var tracks: [ProgrammeCommand.Track] = []
    for value in values {
      guard case .string(let text) = value else {
        throw APIError.badField(what.key, "is no text")
      }
      switch what.key {
      case "track":
        guard let key = TrackKey(text) else {
          throw APIError.badField("track", "is no track: write its 32 hexadecimal digits")
        }
        tracks.append(.key(key))
      case "path":
        guard text.utf8.first == UInt8(ascii: "/"), text.utf8.count <= 4096, !text.contains("\0")
        else { throw APIError.badField("path", "is no absolute path; write it from / on") }
        tracks.append(.path(text))
      case "collection": tracks.append(.collection(text))
      default:
        throw APIError.badField(
          what.key, "cannot be queued yet; write a track, a collection or a path")
      }
    }
    return tracks
  }

  private static func place(
    _ json: JSON?, _ now: WallTime, _ zone: ZoneOffsets
  ) throws(APIError) -> ProgrammeCommand.Place {
    let text: String
    switch json {
    case nil, .null, .string("end"): return .end
    case .string("next"): return .next
    case .string(let moment): text = moment
    case .integer(let seconds): text = "\(seconds)"
    default: throw APIError.badField("at", "write next, end or a time")
    }
    do throws(InvalidValue) {
      return .at(try time(text, now, zone))
    } catch {
      throw APIError.badField("at", error.message)
    }
  }

  /// Returns a moment from now on, up to a year ahead.
  private static func time(
    _ text: String, _ now: WallTime, _ zone: ZoneOffsets
  ) throws(InvalidValue) -> WallTime {
    let time = try ValueRule<WallTime>.time(now: now, in: zone, behind: now).parse(text)
    let ahead = time.seconds(since: now)
    guard ahead > -60 else { throw InvalidValue("is over; write a time to come") }
    guard ahead <= yearSeconds else {
      throw InvalidValue("is more than a year ahead; write a sooner time")
    }
    return time
  }

  /// Reads the query of `GET …/programme/plan`: when it begins, nil for now, and its seconds.
  static func span(
    _ query: HTTPQuery, now: WallTime, in zone: ZoneOffsets
  ) throws(APIError) -> (from: WallTime?, seconds: Double) {
    var field = "for"
    do throws(InvalidValue) {
      var seconds = 86_400.0
      if let text = query["for"] {
        let range = 1...Double(ProgrammeRehearsal.reach)
        seconds = try ValueRule<Double>.duration(range).parse(text)
      }
      field = "from"
      guard let text = query["from"] else { return (nil, seconds) }
      return (try time(text, now, zone), seconds)
    } catch {
      throw APIError.badParameter(field, error.message)
    }
  }
}
