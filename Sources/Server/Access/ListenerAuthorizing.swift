import Wire

/// Decides who may listen to a mount. Called off the loops, so it may await.
public protocol ListenerAuthorizing: Sendable {
  func admit(_ request: ListenerRequest) async -> ListenerVerdict
}

/// Somebody who wants to listen.
public struct ListenerRequest: Sendable {
  public var head: HTTPRequestHead
  public var origin: APIRequest.Origin
  /// The number it will listen under.
  public var id: UInt64

  public init(head: HTTPRequestHead, origin: APIRequest.Origin, id: UInt64) {
    self.head = head
    self.origin = origin
    self.id = id
  }
}

/// What became of it.
public enum ListenerVerdict: Sendable {
  case admitted(ListenerTicket)
  /// - message: one sentence for the answer's body.
  case refused(status: Int, code: String, message: String, fields: [HTTPFields.Field] = [])
}

/// What somebody was let in with. It is given back once, when the listening ends or does not come about.
public final class ListenerTicket: Sendable {
  /// Who it is, for the access log.
  public let user: String?
  /// Seconds after which the listening ends; nil: as the mount says.
  public let timeMax: Double?
  /// Told how long it lasted, in seconds, on a loop's thread: it must not block.
  let whenOver: (@Sendable (Double) -> Void)?

  public init(
    user: String? = nil, timeMax: Double? = nil, whenOver: (@Sendable (Double) -> Void)? = nil
  ) {
    self.user = user
    self.timeMax = timeMax
    self.whenOver = whenOver
  }
}
