import Reactor
import Timeshift
import Wire

/// A request that has had all of its answer, as an access log records it.
public struct FinishedRequest: Sendable {
  public var origin: Peer
  /// Name that a listener has proved; nil when none was asked for.
  public var user: String?
  /// `GET /jazz HTTP/1.1`, the target as it came; nil when the input was no request.
  public var line: (method: String, target: String, version: HTTPVersion)?
  public var referer: String?
  public var player: String?
  /// Status of the answer; 499 where the client left before there was one, as nginx has it.
  public var status: Int
  /// Bytes that the socket took, head included.
  public var bytes: UInt64
  public var endedAt: WallTime
  /// Seconds from the request's last byte to the answer's.
  public var seconds: Double

  public init(
    origin: Peer, user: String? = nil,
    line: (method: String, target: String, version: HTTPVersion)?, referer: String? = nil,
    player: String? = nil, status: Int, bytes: UInt64, endedAt: WallTime, seconds: Double
  ) {
    self.origin = origin
    self.user = user
    self.line = line
    self.referer = referer
    self.player = player
    self.status = status
    self.bytes = bytes
    self.endedAt = endedAt
    self.seconds = seconds
  }
}

/// Records finished requests, as an access log does.
public protocol RequestRecording: Sendable {
  /// Asked once a request: while false nothing is remembered of the request.
  var isOn: Bool { get }
  /// Records the requests of one slot. Called on a loop's thread: it must not block.
  func record(_ requests: [FinishedRequest])
}

/// Notes on a request until its answer is out. They are an object of their own, so that a connection is small while no
/// log wants them.
final class RequestNote {
  let origin: Peer
  var line: (method: String, target: String, version: HTTPVersion)?
  let referer: String?
  let player: String?
  let startedAt: Int64
  var user: String?
  var status = RequestNote.clientGone
  var bytes: UInt64 = 0

  /// The status where the client left before there was an answer.
  static let clientGone = 499

  /// Characters kept of a field; a longer one is no name.
  private static let fieldMax = 1024

  init(_ head: HTTPRequestHead?, from origin: Peer, at now: Int64) {
    self.origin = origin
    line = head.map { ($0.method, $0.target, $0.version) }
    referer = head?.fields["Referer"].map { String($0.prefix(Self.fieldMax)) }
    player = head?.fields["User-Agent"].map { String($0.prefix(Self.fieldMax)) }
    startedAt = now
  }

  func finished(at now: Int64) -> FinishedRequest {
    FinishedRequest(
      origin: origin, user: user, line: line, referer: referer, player: player, status: status,
      bytes: bytes, endedAt: Moment.now().wall, seconds: max(0, Double(now - startedAt) / 1e9))
  }
}
