import Reactor
import Wire

/// An encoder that has connected to send a station its audio, with what it said and sent so far.
public struct PushSource: Sendable {
  /// What stands among a station's URLs for "whoever pushes".
  public static let url = "push:"

  public var socket: DetachedSocket
  /// Who sends, as a proxy may have told; nil: somebody on this machine, by the Unix socket.
  public var peer: SocketAddress?
  /// The fields of its request: the station's identity, its Content-Type.
  public var fields: [HTTPFields.Field]
  /// Bytes that came with the request.
  public var ahead: [UInt8]
  public var body: Body

  /// How its bytes are to be read.
  public enum Body: Sendable {
    /// Audio.
    case plain
    /// Audio in chunks (RFC 9112, section 7.1).
    case chunked
    /// Fields of its own first, as SHOUTcast's sources send them, then audio.
    case afterFields
  }

  public init(
    socket: DetachedSocket, from peer: SocketAddress?, fields: [HTTPFields.Field] = [],
    ahead: [UInt8], body: Body
  ) {
    self.socket = socket
    self.peer = peer
    self.fields = fields
    self.ahead = ahead
    self.body = body
  }

  /// Its fields as header lines of an answer would have them. Lengths are left out: a source is live, whatever it says.
  static func answerFields(_ fields: [TransferField]) -> [TransferField] {
    fields.filter { !["content-length", "icy-metaint"].contains($0.name.lowercased()) }
  }
}
