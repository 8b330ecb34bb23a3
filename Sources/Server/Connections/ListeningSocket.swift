import Reactor

/// A socket that clients connect to.
struct ListeningSocket {
  /// Kind of peers that connect: clients, the administration, or sources of SHOUTcast's first protocol.
  enum Kind { case tcp, unix, shoutcast }

  let fd: Int32
  let origin: Kind
  /// Gives an accepted connection to the loop whose turn it is; nil where this loop keeps all.
  let pass: ((_ client: Int32, _ address: SocketAddress) -> Void)?
  /// Until when no connection is accepted, monotonic nanoseconds; 0 when the socket is watched.
  var heldUntil: Int64 = 0

  var isHeld: Bool { heldUntil > 0 }
}

extension OpenedSocket {
  var kind: ListeningSocket.Kind { isForShoutcast ? .shoutcast : .tcp }
}
