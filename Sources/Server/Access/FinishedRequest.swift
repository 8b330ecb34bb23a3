import Reactor
import Timeshift
import Wire

/// A request that has had all of its answer, as an access log tells it.
public struct FinishedRequest: Sendable {
  public var origin: APIRequest.Origin
  /// Who a listener has shown to be; nil: nobody asked.
  public var user: String?
  /// `GET /jazz HTTP/1.1`, the target as it came; nil: what came was no request.
  public var line: (method: String, target: String, version: HTTPVersion)?
  public var referer: String?
  public var player: String?
  /// 499 where the client left before there was an answer, as nginx has it.
  public var status: Int
  /// What the socket took, head included.
  public var bytes: UInt64
  public var endedAt: WallTime
  /// From the request's last byte to the answer's.
  public var seconds: Double

  public init(
    origin: APIRequest.Origin, user: String? = nil,
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

/// Who wants to be told of finished requests.
public protocol RequestRecording: Sendable {
  /// Asked once a request: while false nothing is remembered of it.
  var isOn: Bool { get }
  /// Called on a loop's thread, with those of one slot: it must not block.
  func take(_ requests: [FinishedRequest])
}

/// What is remembered of a request until its answer is out. On its own, so that a connection is small while nobody
/// wants to know.
final class RequestNote {
  let origin: APIRequest.Origin
  var line: (method: String, target: String, version: HTTPVersion)?
  let referer: String?
  let player: String?
  let startedAt: Int64
  var user: String?
  var status = 499
  var bytes: UInt64 = 0

  /// More of a field than this is nobody's name.
  private static let fieldMax = 1024

  init(_ head: HTTPRequestHead?, from origin: APIRequest.Origin, at now: Int64) {
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
