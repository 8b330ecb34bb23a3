import Reactor
import Wire

/// A place of a station that somebody wants to hear, or to be told how it sounds.
public enum HeardPlace: Hashable, Sendable {
  case live
  /// Seconds behind live.
  case behind(Double)
  /// Media seconds.
  case media(Double)
}

/// Why a client may not hear a station at a place, in the words of an answer.
public struct HearingRefusal: Error, Sendable {
  public var status: Int
  public var code: String
  public var message: String
  public var fields: [HTTPFields.Field] = []

  static let banned = HearingRefusal(
    status: 403, code: "address-banned", message: "your address is banned")

  init(status: Int, code: String, message: String, fields: [HTTPFields.Field] = []) {
    (self.status, self.code, self.message, self.fields) = (status, code, message, fields)
  }

  /// The refusal by the rules of the server or of a station.
  init(_ refusal: AccessRules.Refusal) {
    switch refusal {
    case .address:
      self.init(
        status: 403, code: "address-denied",
        message: "listening is not allowed from your address")
    case .agent:
      self.init(
        status: 403, code: "player-denied", message: "listening is not allowed with your player")
    }
  }
}

/// What a client may hear of a station.
public struct Hearing: Hashable, Sendable {
  /// Seconds behind live that it may go; nil for as far as the window goes.
  public var reach: Double?
  /// Seconds after which the client has to ask again; nil without end.
  public var seconds: Double?

  public init(reach: Double? = nil, seconds: Double? = nil) {
    (self.reach, self.seconds) = (reach, seconds)
  }
}

extension Gate {
  /// Why the server's rules or a station's do not let a client listen; nil when they do. The administration's own
  /// socket always may.
  func refusal(
    of client: Peer, agent: String?, at station: AccessRules
  ) -> HearingRefusal? {
    let refusal =
      rules.refusal(of: client, agent: agent) ?? station.refusal(of: client, agent: agent)
    return refusal.map { HearingRefusal($0) }
  }
}
