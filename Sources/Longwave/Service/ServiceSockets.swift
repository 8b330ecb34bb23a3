import Reactor
import Server

extension RelayOptions {
  /// Listens on the sockets of a service manager, if it has opened any, in place of `server.listen`; those that it calls
  /// "shoutcast" stand in place of `server.shoutcast-listen`.
  mutating func adoptSockets(_ environment: [String: String]) throws(RelayError) {
    do throws(InheritedSocket.Failure) {
      for socket in try InheritedSocket.adopt(environment) {
        opened.append(
          OpenedSocket(
            fd: socket.fd, address: socket.address,
            isForShoutcast: socket.name == Self.shoutcastName))
      }
    } catch {
      throw .cannotStart("\(error)")
    }
    if opened.contains(where: { !$0.isForShoutcast }) { listen = [] }
    if opened.contains(where: \.isForShoutcast) { shoutcastListen = [] }
  }

  /// The manager's name for the sockets of SHOUTcast's sources.
  static let shoutcastName = "shoutcast"
}
