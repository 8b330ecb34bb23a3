import Reactor
import Wire

/// How a connection ended.
enum UpstreamEnd: Sendable {
  /// A playlist; the scope of its server decides where its entries may lead.
  case playlist([PlaylistEntry], from: AddressScope)
  /// A body of known length arrived whole.
  case fileComplete
  /// The upstream ended its body, or closed in good order.
  case saidGoodbye(reason: String)
  /// The connection was lost, or was ended here.
  case disconnected(reason: String)
  /// A good answer had an empty body.
  case empty
  case status(Int)
  case notAudio(reason: String)
  case timedOut(reason: String)
  /// The upstream delivers `rate` seconds of audio in a second, and another upstream is there.
  case tooSlow(rate: Double)
  case failed(reason: String)
  /// A program gave no audio and ended, or cannot be run.
  case hopeless(reason: String)

  /// The upstream plays what this station plays.
  static let loop = UpstreamEnd.status(508)

  /// Whether the end is an answer that waiting will not cure.
  var isHopeless: Bool {
    switch self {
    case .status(401), .status(403), .status(404), .status(410), .notAudio, .empty, .hopeless: true
    case .playlist, .fileComplete, .saidGoodbye, .disconnected, .status, .timedOut, .tooSlow,
      .failed:
      false
    }
  }

  /// Whether the upstream itself has ended its audio.
  var isGoodbye: Bool {
    switch self {
    case .saidGoodbye, .fileComplete: true
    default: false
    }
  }
}
