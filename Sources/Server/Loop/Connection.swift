import Reactor
import Timeshift
import Wire

/// A socket and what is known of who is at its other end. It begins as one that has not yet said what it wants.
struct Connection {
  /// What only a few connections need at a time is kept outside, so that a listener's place in the table is small.
  enum State {
    /// A place in the table that nobody has.
    case free
    /// TLS, before the first request.
    case shakingHands
    /// The request's head is not complete; what came of it.
    case reading([UInt8])
    /// The head is here, the body is not.
    indirect case readingBody(RequestBody)
    /// Somebody else is working out the answer; what the client has sent ahead of it.
    indirect case answering(HTTPRequestHead, ahead: [UInt8])
    indirect case replying(Reply)
    /// Waits for the first packet or for an index.
    indirect case joining(Joining)
    /// A listener: in that shard, at that index.
    case listening(shard: Int, index: Int)
    case watching(EventWatch)
    /// Everything is sent; what still comes in is thrown away, so that no reset overtakes the last bytes.
    case lingering
  }

  /// A listener-to-be.
  struct Joining {
    var head: HTTPRequestHead
    var request: StreamRequest
    var station: String
    /// Counters of the mount that reserved its slot.
    var counters: MountCounters
  }

  // Small fields stand side by side, so that they fill one another's words.
  var fd: Int32 = -1
  /// Tells the last time that it began to wait for its client from those before.
  var idleSerial: UInt32 = 0
  /// How many connections had this place before.
  var generation: UInt64 = 0
  var state = State.free
  /// Whether its other end is a proxy that is trusted, whomever it speaks for.
  var isOfProxy = false
  /// Whether it has one of the network's places.
  var hasPlace = false
  /// Whether it is there only to be told that there is no place.
  var isRefusal = false
  /// Whether it counts against its address, as what neither listens nor watches does.
  var countsForAddress = false
  /// Whether a PROXY header has to come before the first request.
  var awaitsProxyHeader = false
  /// Whether it came in where TLS may be spoken.
  var takesTLS = false
  /// Whether it is still open what it speaks, or its handshake goes on.
  var isGreeting = false
  var origin = APIRequest.Origin.unixSocket
  /// Whether it waits for others' handshakes to end.
  var awaitsHandshake = false
  /// How much of its ClientHello it waits for, in bytes; 0: it does not.
  var helloBytes: UInt16 = 0
  /// Whether it came in where SHOUTcast's sources do, and has not said its password yet.
  var isLogin = false
  /// Whether writability is being waited for.
  var isBlocked = false
  /// Whether what it sends is left in the kernel for now.
  var isReadHeld = false
  /// Whether the client has said that it sends no more.
  var isInputEnded = false
  var isHTTP11 = false
  /// Why a listener ends as soon as its rest is out.
  var endReason: EndReason?
  /// When to give up on the state it is in, monotonic nanoseconds; `.max`: never.
  var deadline = Int64.max
  /// Of the request it is answering, where an access log wants to know.
  var note: RequestNote?
  /// nil: it speaks in clear.
  var tls: TLSStream?
  /// What is done for it elsewhere, and for nobody once it has gone.
  var work: Task<Void, Never>?
  // Of a listener:
  /// What it was let in with, where the mount wants to know who it is.
  var ticket: ListenerTicket?
  var session: SessionLink?
  /// What it has taken to be sent a file.
  var file: FilePlace?
  /// What it has taken to be sent a clip.
  var clip: ClipPlace?
  var listenerID: UInt64 = 0
  var player: PlayerName?
  var connectedAt = (wall: WallTime.epoch, monotonic: MonotonicTime(nanoseconds: 0))

  /// As listeners' lists show it.
  var protocolName: String {
    (isHTTP11 ? "http/1.1" : "http/1.0") + (tls.map { " over \($0.version)" } ?? "")
  }

  var address: String { origin.host }
}

/// A listener's session, as its loop sees it.
final class SessionLink {
  let token: SessionToken
  /// Where it stood before this connection: a probe leaves it there.
  let before: SessionRecord?
  /// Whether its token counts as a guess as long as its listener has not stayed.
  var isGuess: Bool
  /// Somebody who is moved in time is no probe.
  var isSteered = false
  /// The title that was told to be heard last, by its mark.
  var titleHeard: UInt64 = .max

  init(_ token: SessionToken, before: SessionRecord?, isGuess: Bool) {
    self.token = token
    self.before = before
    self.isGuess = isGuess
  }
}

/// A User-Agent, held once per loop however many listeners have it.
final class PlayerName: Sendable {
  let text: String
  init(_ text: String) { self.text = text }
}

/// The User-Agents of a loop's listeners.
struct PlayerNames {
  private static let countMax = 1024
  private var names: [String: PlayerName] = [:]

  mutating func name(_ text: String?) -> PlayerName? {
    guard let text else { return nil }
    // 256 characters of it are enough for anybody to recognise a player.
    let cut = String(text.prefix(256))
    if let name = names[cut] { return name }
    if names.count >= Self.countMax { names.removeAll() }
    let name = PlayerName(cut)
    names[cut] = name
    return name
  }
}
