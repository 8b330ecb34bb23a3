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
    indirect case watching(EventWatch)
    /// Everything is sent; what still comes in is thrown away, so that no reset overtakes the last bytes.
    case lingering
  }

  /// A listener-to-be.
  struct Joining {
    var head: HTTPRequestHead
    var request: StreamRequest
    var station: String
    /// Of the mount a place was taken of.
    var counters: MountCounters
  }

  var fd: Int32 = -1
  /// Tells an event for this connection from a late one for its predecessor at the same place: 12 bits.
  var generation: UInt32 = 0
  var state = State.free
  var origin = APIRequest.Origin.unixSocket
  /// Whether its other end is a proxy that is trusted, whomever it speaks for.
  var isOfProxy = false
  /// Whether a PROXY header has to come before the first request.
  var awaitsProxyHeader = false
  /// When to give up on the state it is in, monotonic nanoseconds; `.max`: never.
  var deadline = Int64.max
  /// Of the request it is answering, where an access log wants to know.
  var note: RequestNote?
  /// Whether it came in where TLS may be spoken.
  var takesTLS = false
  /// Whether it is still open what it speaks, or its handshake goes on.
  var isGreeting = false
  /// nil: it speaks in clear.
  var tls: TLSStream?
  /// As listeners' lists show it.
  var protocolName: String {
    (isHTTP11 ? "http/1.1" : "http/1.0") + (tls.map { " over \($0.version)" } ?? "")
  }
  /// Whether it came in where SHOUTcast's sources do, and has not said its password yet.
  var isLogin = false
  /// Whether writability is being waited for.
  var isBlocked = false
  /// Whether what it sends is left in the kernel for now.
  var isReadHeld = false
  /// Whether the client has said that it sends no more.
  var isInputEnded = false
  // Of a listener:
  /// What it was let in with, where the mount wants to know who it is.
  var ticket: ListenerTicket?
  var session: SessionLink?
  /// What it has taken to be sent a file.
  var file: FilePlace?
  /// Why it ends as soon as its rest is out.
  var endReason: EndReason?
  var listenerID: UInt64 = 0
  var player: PlayerName?
  var isHTTP11 = false
  var connectedAt = Moment(wall: .epoch, monotonic: MonotonicTime(nanoseconds: 0))

  var address: String { origin.host }
}

/// A listener's session, as its loop sees it.
final class SessionLink {
  let token: SessionToken
  /// Where it stood before this connection: a probe leaves it there.
  let before: SessionRecord?
  /// Somebody who is moved in time is no probe.
  var isSteered = false
  /// The title that was told to be heard last, by its mark.
  var titleHeard: UInt64 = .max

  init(_ token: SessionToken, before: SessionRecord?) {
    self.token = token
    self.before = before
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

/// A reader of the event ring.
struct EventWatch {
  var filter: EventFilter
  var last: UInt64
  /// What the socket did not take of the batch before; the next batch waits for it.
  var pending: [UInt8] = []
  /// When a comment is due that keeps proxies from closing, monotonic nanoseconds.
  var heartbeat: Int64
}

/// The connections of a loop, at places that do not move. A token names a place and its generation.
struct ConnectionTable {
  private static let slotBits: UInt32 = 20
  private static let generationMask: UInt32 = 0xfff

  private(set) var places: [Connection] = []
  private var free: [UInt32] = []

  var count: Int { places.count - free.count }

  subscript(slot: UInt32) -> Connection {
    get { places[Int(slot)] }
    _modify { yield &places[Int(slot)] }
  }

  /// nil: a million are open.
  mutating func add(_ fd: Int32, origin: APIRequest.Origin, deadline: Int64) -> UInt32? {
    let slot: UInt32
    if let last = free.popLast() {
      slot = last
    } else {
      if places.count == 1 << Int(Self.slotBits) { return nil }
      places.append(Connection())
      slot = UInt32(places.count - 1)
    }
    let generation = places[Int(slot)].generation
    places[Int(slot)] = Connection(
      fd: fd, generation: generation, state: .reading([]), origin: origin, deadline: deadline)
    return slot
  }

  mutating func remove(_ slot: UInt32) {
    let generation = (places[Int(slot)].generation + 1) & Self.generationMask
    places[Int(slot)] = Connection()
    places[Int(slot)].generation = generation
    free.append(slot)
  }

  func token(_ slot: UInt32) -> UInt32 {
    slot | places[Int(slot)].generation << Self.slotBits
  }

  /// nil: the connection the token meant is gone.
  func slot(of token: UInt32) -> UInt32? {
    let slot = token & (1 << Self.slotBits - 1)
    guard Int(slot) < places.count, places[Int(slot)].fd >= 0,
      places[Int(slot)].generation == token >> Self.slotBits
    else { return nil }
    return slot
  }
}
