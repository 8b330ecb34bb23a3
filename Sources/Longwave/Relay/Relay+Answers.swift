import Reactor
import Server
import Settings

extension Relay {
  public var configuration: Configuration { stations.configuration }

  /// The addresses that the relay listens on, with the ports that the system chose.
  public var addresses: [SocketAddress] { serving.server?.boundAddresses ?? [] }

  /// The addresses where sources of SHOUTcast's first protocol connect.
  public var shoutcastAddresses: [SocketAddress] { serving.server?.boundShoutcastAddresses ?? [] }

  /// Returns a station's URL as this machine can open it.
  public func url(of station: String) -> String {
    let server = configuration.server
    let base = ServerURL.base(
      addresses, publicURL: server.publicURL, isEncrypted: server.tls?.isOnly == true)
    return "\(base)/\(station)"
  }

  public var stationIDs: [String] { stations.order }

  /// Returns the events from now on, until the relay has stopped: `for await event in relay.events(of: .metadataLive)`.
  ///
  /// The stream has no figures, and no events that only the watchers of a session receive. A loop that is 2048 events
  /// behind misses the oldest of them.
  /// - Parameter kinds: the kinds to receive; without any, all kinds.
  public nonisolated func events(of kinds: RelayEvent.Kind...) -> AsyncStream<RelayEvent> {
    events.streams.stream(of: Set(kinds))
  }
}
