import Reactor
import Wire

/// How a delivery ended.
enum UpstreamEnd: Sendable {
  /// A playlist; the scope of its server decides where its entries may lead.
  case playlist([PlaylistEntry], from: AddressScope)
  /// A body of known length arrived whole. `isLast`: nothing can follow it.
  case fileComplete(isLast: Bool)
  /// The upstream ended its body, or closed in good order.
  case saidGoodbye(reason: String)
  /// The connection was lost, or was ended here.
  case disconnected(reason: String)
  /// A good answer had an empty body.
  case empty
  /// Another status than a good one; `retryAfter`: the seconds for which the upstream asks to be left alone.
  case status(Int, retryAfter: Double? = nil)
  case notAudio(reason: String)
  case timedOut(reason: String)
  /// The upstream delivers `rate` seconds of audio in a second, and another upstream is there.
  case tooSlow(rate: Double)
  case failed(reason: String)
  /// A program ended with an error, or cannot be run. `isHopeless`: it gave no audio.
  case programEnded(reason: String, isHopeless: Bool)

  /// The upstream plays what this station plays.
  static let loop = UpstreamEnd.status(508)

  /// Whether the end is an answer that waiting will not cure.
  var isHopeless: Bool {
    switch self {
    case .status(401, _), .status(403, _), .status(404, _), .status(410, _), .notAudio, .empty: true
    case .programEnded(_, let isHopeless): isHopeless
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
