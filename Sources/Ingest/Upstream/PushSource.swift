import Reactor
import Wire

/// An encoder that has connected to send a station its audio, with its request and first bytes.
public struct PushSource: Sendable {
  /// The entry among a station's URLs that stands for any source that pushes.
  public static let url = "push:"

  public var socket: DetachedSocket
  /// The sender's address, as a proxy may have told it; nil for a sender on this machine, by the Unix socket.
  public var peer: SocketAddress?
  /// The fields of the request: the station's identity, its Content-Type.
  public var fields: [HTTPFields.Field]
  /// Bytes that came with the request.
  public var ahead: [UInt8]
  public var body: Body
  /// The answer to a body that has come to its end; empty where the source has its answer already.
  public var farewell: [UInt8]

  /// The form of the source's bytes.
  public enum Body: Sendable {
    /// Audio until the connection ends.
    case plain
    /// Audio of so many bytes, more than 0 (Content-Length; RFC 9112, section 6.3).
    case sized(Int)
    /// Audio in chunks (RFC 9112, section 7.1).
    case chunked
    /// Fields first, as SHOUTcast's sources send them, then audio.
    case afterFields
  }

  public init(
    socket: DetachedSocket, from peer: SocketAddress?, fields: [HTTPFields.Field] = [],
    ahead: [UInt8], body: Body, farewell: [UInt8] = []
  ) {
    self.socket = socket
    self.peer = peer
    self.fields = fields
    self.ahead = ahead
    self.body = body
    self.farewell = farewell
  }

  /// The fields as header lines of an answer. Lengths are left out: a source is live, whatever it says.
  static func answerFields(_ fields: [TransferField]) -> [TransferField] {
    fields.filter { !["content-length", "icy-metaint"].contains($0.name.lowercased()) }
  }
}

extension UpstreamSettings {
  /// Whether nothing is pulled, and a source comes by itself.
  var isOnlyPushed: Bool { urls.allSatisfy { $0 == PushSource.url } }
}
