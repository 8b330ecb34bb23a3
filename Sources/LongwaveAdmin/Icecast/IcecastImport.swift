import Longwave
import Reactor
import Server
import Wire

/// Converts Icecast's configuration (icecast.xml of 2.3 to 2.5) into one for Longwave.
///
/// Settings without a counterpart, or with another meaning, are written as comments: nothing is dropped silently.
public struct IcecastImport: Sendable {
  /// The YAML, which a server accepts unchanged.
  public private(set) var text: String

  private let root: XMLNode
  /// Makes a password where Longwave would refuse Icecast's.
  private let newPassword: @Sendable () -> String

  /// - Parameter file: The file's name, for messages.
  public init(_ bytes: [UInt8], file: String) throws(ConfigurationError) {
    try self.init(bytes, file: file, newPassword: Self.randomPassword)
  }

  init(
    _ bytes: [UInt8], file: String, newPassword: @escaping @Sendable () -> String
  ) throws(ConfigurationError) {
    guard let root = XMLNode(bytes), root.name == "icecast" else {
      throw ConfigurationError(
        file, "is no configuration of Icecast: <icecast> is missing; name its icecast.xml")
    }
    // Icecast refuses such a file, too. A cut file may be cut in the middle of a name or a number.
    if let fault = XMLFault(in: bytes) {
      let advice =
        fault.isEnd ? XMLFault.cutAdvice : "mend it: Icecast does not take it either"
      throw ConfigurationError(file, line: fault.line, "\(fault); \(advice)")
    }
    let count = root.children.count { ["relay", "mount"].contains($0.name) }
    guard count <= ConfigurationLimits.stationsMax else {
      throw ConfigurationError(
        file,
        "has \(count) relays and mounts; a relay has at most \(ConfigurationLimits.stationsMax) stations"
      )
    }
    self.root = root
    self.newPassword = newPassword
    text = ""
    var yaml = IcecastYAML()
    yaml.comment(
      "Made from \(file). What Icecast's file says and this one cannot stands in comments.")
    writeServer(to: &yaml)
    writeListeners(to: &yaml)
    writeLogs(to: &yaml)
    writeAdministration(to: &yaml)
    var stations = IcecastStations(root: root, newPassword: newPassword)
    stations.write(to: &yaml)
    text = yaml.text
  }

  /// Reads a file.
  public static func read(from path: String) throws(ConfigurationError) -> IcecastImport {
    try IcecastImport(Array(try NamedFile.contents(of: path)), file: path)
  }

  private static func randomPassword() -> String {
    let letters = Array("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789")
    var random = SystemRandomNumberGenerator()
    return String((0..<20).map { _ in letters[Int.random(in: 0..<letters.count, using: &random)] })
  }
}

extension IcecastImport {
  private func writeServer(to yaml: inout IcecastYAML) {
    yaml.section("server")
    let places = writeSockets(to: &yaml)
    yaml.list("listen", places)
    if let host = root.value("hostname"), host != "localhost" {
      let port = places.first.flatMap { $0.split(separator: ":").last } ?? "8000"
      let url = port == "80" ? "http://\(host)" : "http://\(host):\(port)"
      if WebURL.isValid(url) { yaml.value("public-url", url) }
    }
    yaml.number(
      "max-listeners", root.child("limits")?.value("clients"), ConfigurationLimits.listenersMax)
    writePaths(root.child("paths") ?? XMLNode(name: "paths"), to: &yaml)
  }

  /// Returns the addresses on which to listen, in the form of `listen`.
  private func writeSockets(to yaml: inout IcecastYAML) -> [String] {
    let sockets = root.all("listen-socket")
    // Before 2.3 Icecast had one port for all.
    return (sockets.isEmpty ? [root] : sockets).compactMap { socket in
      guard let port = socket.value("port").flatMap(UInt16.init), port > 0 else { return nil }
      if let tls = socket.value("tls") ?? socket.value("ssl"), tls != "0", tls != "disabled" {
        yaml.note("Port \(port) spoke TLS: here each port does, once tls: has certificate and key.")
        return nil
      }
      if let mount = socket.value("shoutcast-mount") {
        yaml.note(
          "SHOUTcast sources of port \(port) went to \(mount): they use that station's password.")
      }
      let address = socket.value("bind-address") ?? "0.0.0.0"
      let place = address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
      if (try? ValueRule<SocketAddress>.listenAddress.parse(place)) != nil { return place }
      yaml.note("bind-address \(address): write the address itself, a name will not do.")
      return "0.0.0.0:\(port)"
    }
  }

  private func writePaths(_ paths: XMLNode, to yaml: inout IcecastYAML) {
    let proxies = paths.all("x-forwarded-for").map(\.text)
    yaml.list(
      "trusted-proxies",
      proxies.filter { (try? ValueRule<AddressRange>.addressRange.parse($0)) != nil })
    for (name, key) in [
      ("allow-ip", "allow"), ("deny-ip", "deny"), ("deny-agents", "deny-agents"),
    ] {
      if let file = paths.value(name) {
        yaml.note("\(file): write its lines into \(key): [\"…\"] here.")
      }
    }
    for alias in paths.all("alias") {
      guard let from = alias.attributes["source"], let to = alias.attributes["destination"],
        from != "/"
      else { continue }
      yaml.note("The alias \(from) of \(to): write mounts: [\(from)] at that station.")
    }
  }

  /// Converts the bytes of a burst to seconds at the usual bitrate.
  static func burst(bytes: String?) -> String? {
    guard let bytes = bytes.flatMap(Double.init), bytes >= 0 else { return nil }
    let seconds = bytes * 8 / (ConfigurationReport.bitrateAssumed * 1000)
    let range = ConfigurationLimits.burst
    return DurationText.format(min(max(seconds.rounded(), range.lowerBound), range.upperBound))
  }

  private func writeListeners(to yaml: inout IcecastYAML) {
    let limits = root.child("limits") ?? XMLNode(name: "limits")
    yaml.section("listeners")
    if limits.value("burst-on-connect") == "0" {
      yaml.value("burst", "0s")
    } else if let burst = Self.burst(bytes: limits.value("burst-size")) {
      yaml.note("burst-size \(limits.value("burst-size") ?? "") bytes, at 128 kbit/s:")
      yaml.value("burst", burst)
    }
    for (name, reason) in [
      ("queue-size", "a listener who is slow keeps its place in the window (behind: shift)"),
      ("client-timeout", "pause-timeout is for listeners that take nothing"),
      ("header-timeout", "the server has its own"), ("sources", "there is no limit"),
      ("threadpool", "see server: threads"),
    ] {
      if let value = limits.value(name) { yaml.note("\(name) \(value): \(reason).") }
    }
    yaml.section("upstream")
    if let seconds = limits.value("source-timeout").flatMap(Double.init),
      ConfigurationLimits.dataTimeout.contains(seconds)
    {
      yaml.value("data-timeout", DurationText.format(seconds))
    }
  }

  private func writeLogs(to yaml: inout IcecastYAML) {
    guard let logging = root.child("logging") else { return }
    let folder = root.child("paths")?.value("logdir") ?? "/var/log/icecast2"
    yaml.section("log")
    yaml.note("Longwave needs a folder it may write; Icecast wrote into \(folder).")
    for (name, key) in [("accesslog", "access"), ("playlistlog", "playlist")] {
      if let file = logging.value(name) {
        yaml.note("\(key): /var/log/longwave/\(file.split(separator: "/").last ?? "")")
      }
    }
    if logging.value("errorlog") != nil {
      yaml.note("errorlog: what goes wrong is told on standard error, for journald.")
    }
  }

  private func writeAdministration(to yaml: inout IcecastYAML) {
    yaml.section("admin")
    let password = root.child("authentication")?.value("admin-password")
    if let password {
      let isFit = (try? ValueRule<String>.token.parse(password)) != nil && password.count >= 8
      yaml.note(
        "Icecast had an admin password. Here the Unix socket needs none; for /admin/ over TCP write:"
      )
      yaml.note(isFit ? "token: \(YAMLText.string(password))" : "token: (8 characters or more)")
    }
    yaml.value("token", "")
    for (name, reason) in [
      ("directory", "nothing is listed in directories"),
      ("http-headers", "streams carry what browsers need (CORS)"),
      ("fileserve", "files are not served"), ("security", "the unit of systemd says the user"),
      ("location", "nothing shows it"), ("admin", "nothing shows it"),
    ] where root.child(name) != nil {
      yaml.note("<\(name)>: \(reason).")
    }
  }
}
