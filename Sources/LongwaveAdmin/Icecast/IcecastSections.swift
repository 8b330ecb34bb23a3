import Longwave
import Reactor
import Server
import Wire

/// Converts what Icecast's configuration says of the server, and not of a mount.
struct IcecastSections {
  private let root: IcecastNode
  private let sockets: IcecastSockets
  private let machine: IcecastMachine

  init(_ root: IcecastNode, _ sockets: IcecastSockets, _ machine: IcecastMachine) {
    (self.root, self.sockets, self.machine) = (root, sockets, machine)
  }

  func write(to yaml: inout IcecastYAML) {
    writeServer(to: &yaml)
    writeListeners(to: &yaml)
    writeLogs(to: &yaml)
    writeAdministration(to: &yaml)
  }

  private func writeServer(to yaml: inout IcecastYAML) {
    yaml.section("server")
    for note in sockets.notes { yaml.note(note) }
    yaml.list("listen", sockets.listen)
    yaml.list("shoutcast-listen", sockets.shoutcastPlaces)
    if let certificate = sockets.certificate {
      let file = YAMLText.string(certificate)
      yaml.line("tls: {certificate: \(file), key: \(file)}")
    }
    if let url = root.use("hostname", publicURL) { yaml.value("public-url", url) }
    let clients = root.child("limits")?.use("clients") { text in
      Int(text).flatMap { ConfigurationLimits.listenersMax.contains($0) ? $0 : nil }
    }
    if let clients { yaml.line("max-listeners: \(clients)") }
    if let paths = root.child("paths") { writePaths(paths, to: &yaml) }
  }

  private func publicURL(_ host: String) -> String? {
    guard host != "localhost" else { return nil }
    let port = sockets.listen.first.flatMap { $0.split(separator: ":").last } ?? "8000"
    let url = port == "80" ? "http://\(host)" : "http://\(host):\(port)"
    return WebURL.isValid(url) ? url : nil
  }

  private func writePaths(_ paths: IcecastNode, to yaml: inout IcecastYAML) {
    func isRange(_ text: String) -> Bool {
      (try? ValueRule<AddressRange>.addressRange.parse(text)) != nil
    }
    let proxies = paths.all("x-forwarded-for").filter { isRange($0.text) }
    for proxy in proxies { proxy.use() }
    yaml.list("trusted-proxies", proxies.map(\.text))
    for (name, key) in [("allow-ip", "allow"), ("deny-ip", "deny")] {
      guard let file = paths.look(name), let lines = paths.use(name, machine.lines) else {
        continue
      }
      let entries = lines.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
        .filter { !$0.isEmpty }
      yaml.note("\(name) \(file):")
      for entry in entries where !isRange(entry) {
        yaml.note("\"\(entry)\" of \(file) is no address; write it into \(key): as one.")
      }
      yaml.list(key, entries.filter(isRange))
      // Icecast admits nobody by an empty list of those allowed.
      if key == "allow", !entries.contains(where: isRange) {
        yaml.note("The file allows nobody; here an empty allow: admits everybody.")
      }
    }
  }

  private func writeListeners(to yaml: inout IcecastYAML) {
    let limits = root.child("limits")
    yaml.section("listeners")
    if limits?.look("burst-on-connect") == "0" {
      limits?.child("burst-on-connect")?.use()
      yaml.value("burst", "0s")
    } else if let text = limits?.look("burst-size"),
      let burst = limits?.use("burst-size", { IcecastBurst.seconds(bytes: $0) })
    {
      yaml.note("burst-size \(text) bytes, at 128 kbit/s:")
      yaml.value("burst", DurationText.format(burst))
    }
    yaml.section("upstream")
    let timeout = limits?.use("source-timeout") { text in
      Double(text).flatMap { ConfigurationLimits.dataTimeout.contains($0) ? $0 : nil }
    }
    if let timeout { yaml.value("data-timeout", DurationText.format(timeout)) }
  }

  private func writeLogs(to yaml: inout IcecastYAML) {
    guard let logging = root.child("logging") else { return }
    let folder = root.child("paths")?.value("logdir") ?? "/var/log/icecast2"
    yaml.section("log")
    yaml.note("Longwave needs a folder it may write; Icecast wrote into \(folder).")
    for (name, key) in [("accesslog", "access"), ("playlistlog", "playlist")] {
      // A dash is standard error there; here a log is a file.
      if let file = logging.value(name) {
        let last = file == "-" ? "\(key).log" : String(file.split(separator: "/").last ?? "")
        yaml.note("\(key): /var/log/longwave/\(last)")
      }
    }
  }

  private func writeAdministration(to yaml: inout IcecastYAML) {
    yaml.section("admin")
    let authentication = root.child("authentication")
    guard let password = authentication?.value("admin-password") else {
      return yaml.value("token", "")
    }
    let isFit = (try? ValueRule<String>.token.parse(password)) != nil
    if isFit {
      yaml.note(
        "Icecast's admin-password, for monitors and feeders that use it; it allows every change here."
      )
      yaml.value("token", password)
    } else {
      yaml.note(
        "Icecast's admin-password \"\(password)\" is too short or has odd characters. The Unix socket "
          + "needs none; for /admin/ over TCP write a token of 8 characters or more:")
      yaml.value("token", "")
    }
  }
}
