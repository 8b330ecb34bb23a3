import Reactor
import Timeshift
import Wire

/// A socket and what is known of its other end. At first it is unknown what the client wants.
struct Connection {
  /// State of a connection. Values that only a few connections need at a time are kept outside, so that a listener's
  /// entry in the table is small.
  enum State {
    /// An entry of the table without a connection.
    case free
    /// The TLS handshake, before the first request.
    case shakingHands
    /// The request's head is not complete; the bytes are what has come of it.
    case reading([UInt8])
    /// The request's head is complete, the body is not.
    indirect case readingBody(RequestBody)
    /// The answer is being worked out; `ahead` is what the client has already sent behind the request.
    indirect case answering(HTTPRequestHead, ahead: [UInt8])
    indirect case replying(Reply)
    /// Waits for the first packet or for an index.
    indirect case joining(Joining)
    /// A listener: its shard, and its index there.
    case listening(shard: Int, index: Int)
    case watching(EventWatch)
    /// Everything is sent. Input is thrown away, so that no reset overtakes the last bytes.
    case lingering
  }

  /// A listener that waits to join.
  struct Joining {
    var head: HTTPRequestHead
    var request: StreamRequest
    var station: String
    /// Counters of the mount that reserved its slot.
    var counters: MountCounters
  }

  // Small fields stand side by side, so that they share machine words.
  var fd: Int32 = -1
  /// Number of times that the connection began to wait for its client; only the last one counts.
  var idleSerial: UInt32 = 0
  /// Number of connections that had this slot before.
  var generation: UInt64 = 0
  var state = State.free
  /// Whether the other end is a trusted proxy, whichever client it speaks for.
  var isOfProxy = false
  /// Whether the connection has reserved one of the network's places.
  var hasPlace = false
  /// Whether the connection exists only to be told that there is no place.
  var isRefusal = false
  /// Whether the connection counts against its address, as one that neither listens nor watches.
  var countsForAddress = false
  /// Whether a PROXY header must come before the first request.
  var awaitsProxyHeader = false
  /// Whether the connection came in on a socket where TLS may be spoken.
  var takesTLS = false
  /// Whether the protocol is still unknown, or the handshake goes on.
  var isGreeting = false
  var origin = Peer.unixSocket
  /// Whether the connection waits for other handshakes to end.
  var awaitsHandshake = false
  /// Bytes of the ClientHello that the connection waits for; 0 when it waits for none.
  var helloBytes: UInt16 = 0
  /// Whether the connection came in on the port of SHOUTcast's sources and has not given its password yet.
  var isLogin = false
  /// Whether the loop watches for writability.
  var isBlocked = false
  /// Whether input is left in the kernel for now.
  var isReadHeld = false
  /// Whether the client has said that it sends no more.
  var isInputEnded = false
  var isHTTP11 = false
  /// Reason for which a listener ends as soon as its rest is out.
  var endReason: EndReason?
  /// Time to give up on the current state, monotonic nanoseconds; `.max` for never.
  var deadline = Int64.max
  /// Note of the request that is being answered; nil unless an access log wants it.
  var note: RequestNote?
  /// TLS stream; nil when the connection is in clear.
  var tls: TLSStream?
  /// Work that is done elsewhere for this connection alone, and cancelled when the connection goes.
  var work: Task<Void, Never>?
  // Fields of a listener:
  /// Ticket that the listener was admitted with, where the mount has an authority.
  var ticket: ListenerTicket?
  var session: SessionLink?
  /// Reservation of a connection that is sent a file.
  var file: FilePlace?
  /// Reservation of a connection that is sent a clip, or samples.
  var clip: ClipPlace?
  var listenerID: UInt64 = 0
  var player: PlayerName?
  var connectedAt = (wall: WallTime.epoch, monotonic: MonotonicTime(nanoseconds: 0))

  /// Protocol as lists of listeners show it.
  var protocolName: String {
    (isHTTP11 ? "http/1.1" : "http/1.0") + (tls.map { " over \($0.version)" } ?? "")
  }

  var address: String { origin.host }
}
