import Reactor
import Server

/// What a server has besides the configuration, and keeps until it ends.
struct ServerDoors: Sendable {
  /// Listen addresses that replace those of the configuration.
  var listen: [SocketAddress]?
  /// The path of the administration's socket; nil when there is none.
  var unixSocket: String?
  /// Log desk that is told of requests that have ended.
  var requests: LogDesk
  /// Limit on wrong session tokens.
  var sessionGuesses: GuessLimit
  /// Decodes stations for clients.
  var samples: any SampleMaking
}
