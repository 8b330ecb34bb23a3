import Reactor
import Server

/// Parts of a server besides the configuration, kept until it ends.
struct ServerDoors: Sendable {
  /// Listen addresses that replace those of the configuration.
  var listen: [SocketAddress]?
  /// Addresses for SHOUTcast's sources that replace those of the configuration.
  var shoutcastListen: [SocketAddress]?
  /// Sockets that are open already.
  var opened: [OpenedSocket] = []
  /// The path of the administration's socket; nil when there is none.
  var unixSocket: String?
  /// Group whose members may use that socket too.
  var unixSocketGroup: UInt32?
  /// The log files, which record the requests that have ended.
  var requests: LogFiles
  /// Limit on wrong session tokens.
  var sessionGuesses: GuessLimit
  /// Decodes stations for clients.
  var samples: any SampleMaking
}
