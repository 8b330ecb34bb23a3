import Reactor
import Wire

/// An encoder that has connected to send a station its audio, with what it said and sent so far.
public struct PushSource: Sendable {
  /// What stands among a station's URLs for "whoever pushes".
  public static let url = "push:"

  public var socket: DetachedSocket
  /// The fields of its request: the station's identity, its Content-Type.
  public var fields: [HTTPFields.Field]
  /// Body bytes that came with the request.
  public var ahead: [UInt8]
  /// Whether the body comes in chunks.
  public var isChunked: Bool

  public init(
    socket: DetachedSocket, fields: [HTTPFields.Field], ahead: [UInt8], isChunked: Bool = false
  ) {
    self.socket = socket
    self.fields = fields
    self.ahead = ahead
    self.isChunked = isChunked
  }

  /// As header lines of an answer would have it. Lengths are left out: a source is live, whatever it says.
  var answerFields: [TransferField] {
    fields.filter { !["content-length", "icy-metaint"].contains($0.name.lowercased()) }
      .map { ($0.name, Array($0.value.utf8)) }
  }
}
