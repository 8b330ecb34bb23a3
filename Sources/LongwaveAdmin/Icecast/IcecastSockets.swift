import Longwave
import Reactor
import Wire

/// The listen-sockets of Icecast's configuration: where listeners, sources and SHOUTcast's encoders come.
struct IcecastSockets {
  /// Entries of `listen:`.
  private(set) var listen: [String] = []
  /// Entries of `shoutcast-listen:`, and the mount to which Icecast led sources there.
  private(set) var shoutcast: [(place: String, mount: String)] = []
  /// The file of the certificate and its key; nil where nothing is encrypted.
  private(set) var certificate: String?
  private(set) var notes: [String] = []

  init(_ root: IcecastNode, _ machine: IcecastMachine) {
    let paths = root.child("paths")
    for name in ["tls-certificate", "ssl-certificate"] where certificate == nil {
      certificate = paths?.use(name) { machine.isCertificate($0) ? $0 : nil }
    }
    let sockets = root.all("listen-socket")
    // Before 2.3 Icecast had one port for all.
    for socket in sockets.isEmpty ? [root] : sockets { read(socket, root) }
    // Such an encoder asks for the port behind the listeners' one.
    if listen.isEmpty, let place = shoutcast.first?.place, let address = SocketAddress(place),
      let port = address.port, port > 1
    {
      listen = [String(place.dropLast(String(port).count)) + String(port - 1)]
    }
  }

  private mutating func read(_ socket: IcecastNode, _ root: IcecastNode) {
    guard let port = socket.use("port", { UInt16($0).flatMap { $0 > 0 ? $0 : nil } }) else {
      return
    }
    if let flag = socket.look("tls") ?? socket.look("ssl"), flag != "0", flag != "disabled" {
      guard certificate != nil else {
        notes.append(
          "Port \(port) spoke TLS: here each port of listen: does, once tls: has certificate and key."
        )
        return
      }
      socket.child("tls")?.use()
      socket.child("ssl")?.use()
      notes.append("Port \(port) spoke TLS only: here each port takes https beside http.")
    }
    let host = host(of: socket)
    if socket.look("shoutcast-compat") == "1" {
      socket.child("shoutcast-compat")?.use()
      let mount = socket.value("shoutcast-mount") ?? root.value("shoutcast-mount") ?? "/stream"
      return add(shoutcast: "\(host):\(port)", mount)
    }
    add("\(host):\(port)")
    guard socket !== root, let mount = socket.value("shoutcast-mount") else { return }
    if port < .max { add(shoutcast: "\(host):\(port + 1)", mount) }
  }

  /// Returns the host of an address; every address of the machine where the file's is none.
  private mutating func host(of socket: IcecastNode) -> String {
    // Icecast takes IPv4 where no address is written.
    let every = "0.0.0.0"
    return socket.use("bind-address") { address in
      let host = address.contains(":") ? "[\(address)]" : address
      return (try? ValueRule<SocketAddress>.listenAddress.parse("\(host):1")) == nil ? nil : host
    } ?? every
  }

  private mutating func add(_ place: String) {
    if !listen.contains(place) { listen.append(place) }
  }

  private mutating func add(shoutcast place: String, _ mount: String) {
    if shoutcast.contains(where: { $0.place == place }) { return }
    shoutcast.append((place, mount))
    notes.append(
      "SHOUTcast sources of \(place) went to \(mount): their password chooses the station.")
  }

  /// The entries of `shoutcast-listen:` that are none of `listen:`.
  var shoutcastPlaces: [String] { shoutcast.map(\.place).filter { !listen.contains($0) } }
}
