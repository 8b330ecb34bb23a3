import Wire

/// Decides who may listen to a mount. Called off the loops, so it may await.
public protocol ListenerAuthorizing: Sendable {
  func admit(_ request: ListenerRequest) async -> ListenerVerdict
}

/// A request to listen.
public struct ListenerRequest: Sendable {
  public var head: HTTPRequestHead
  public var origin: Peer
  /// Number that the listener will have.
  public var id: UInt64

  public init(head: HTTPRequestHead, origin: Peer, id: UInt64) {
    self.head = head
    self.origin = origin
    self.id = id
  }
}

/// Outcome of a request to listen.
public enum ListenerVerdict: Sendable {
  case admitted(ListenerTicket)
  /// - message: one sentence for the answer's body.
  case refused(status: Int, code: String, message: String, fields: [HTTPFields.Field] = [])
}

/// Ticket that a listener is admitted with. The ticket is given back once, when listening ends or does not come about.
public final class ListenerTicket: Sendable {
  /// Name of the listener, for the access log.
  public let user: String?
  /// Seconds after which listening ends; nil for the mount's limit.
  public let timeMax: Double?
  /// Called with the seconds that listening lasted, on a loop's thread: it must not block.
  let whenOver: (@Sendable (Double) -> Void)?

  public init(
    user: String? = nil, timeMax: Double? = nil, whenOver: (@Sendable (Double) -> Void)? = nil
  ) {
    self.user = user
    self.timeMax = timeMax
    self.whenOver = whenOver
  }
}
