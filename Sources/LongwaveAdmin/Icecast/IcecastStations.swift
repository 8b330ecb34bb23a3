import Ingest
import Longwave
import Wire

/// Converts the relays and mounts of Icecast's configuration to stations.
struct IcecastStations {
  private struct Station {
    var definition: StationDefinition
    var notes: [String] = []
  }

  let root: XMLNode
  let newPassword: () -> String
  private let authentication: XMLNode?
  private let relaysOnDemand: String?
  private var stations: [Station] = []
  /// The first station of each path, as an index of `stations`.
  private var byPath: [String: Int] = [:]
  /// The fallback mount of stations that have one: the path to which Icecast sent listeners.
  private var fallbackMounts: [(station: Int, mount: String)] = []
  private var naming = StationNaming(taken: [])
  /// Notes that stand before all stations.
  private var notes: [String] = []

  init(root: XMLNode, newPassword: @escaping () -> String) {
    self.root = root
    self.newPassword = newPassword
    authentication = root.child("authentication")
    relaysOnDemand = root.value("relays-on-demand")
  }

  mutating func write(to yaml: inout IcecastYAML) {
    for relay in root.all("relay") { add(relay: relay) }
    for mount in root.all("mount") { add(mount: mount) }
    linkFallbacks()
    if let master = root.value("master-server") {
      notes.append("master-server \(master): write a station for each of its mounts.")
    }
    let password = authentication?.value("source-password")
    if password != nil {
      notes.append(
        "Icecast took sources at any path; here each is a station with upstream: [push].")
    }
    yaml.add("\n" + notes.map { "# \(TerminalText.safe($0))\n" }.joined())
    if stations.isEmpty {
      yaml.add("# - {id: live, upstream: [push], source-password: \"8 characters or more\"}\n")
      yaml.add("stations: []\n")
      return
    }
    yaml.add("stations:\n" + stations.map(Self.text).joined(separator: "\n"))
  }

  private static func text(_ station: Station) -> String {
    station.notes.map { "  # \(TerminalText.safe($0))\n" }.joined()
      + StationsYAML.text(station.definition)
  }

  // MARK: Relays

  private mutating func add(relay: XMLNode) {
    // From 2.5 on the upstream is an element of its own.
    let upstream = relay.child("upstream") ?? relay
    let path = upstream.value("mount") ?? "/"
    let local = relay.value("local-mount") ?? path
    let url: String
    if let uri = upstream.value("uri") {
      url = uri
    } else {
      let user = upstream.value("username").map {
        URLText.percentEncoded($0) + ":" + URLText.percentEncoded(upstream.value("password") ?? "")
          + "@"
      }
      let port = upstream.value("port") ?? "8000"
      let host = upstream.value("server") ?? ""
      let place = host.contains(":") ? "[\(host)]" : host
      url = "http://\(user ?? "")\(place):\(port)\(path.hasPrefix("/") ? path : "/" + path)"
    }
    guard WebURL.isValid(url), upstream.value("server") != nil || upstream.value("uri") != nil
    else {
      notes.append("The relay \(local) has no server, or a port that cannot be; it is left out.")
      return
    }
    var station = station(at: local)
    station.definition.source = .upstream([url])
    station.definition.onDemand =
      (relay.value("on-demand") ?? relaysOnDemand) == "1"
    append(station)
  }

  /// Returns a new station that keeps its path.
  private mutating func station(at mount: String) -> Station {
    let mount = mount.hasPrefix("/") ? mount : "/" + mount
    let last = mount.split(separator: "/").last.map(String.init) ?? ""
    let name = StationID.withoutAudioEnding(last)
    let id = naming.takeID(name: name, url: "http://station/" + name)
    var station = Station(definition: StationDefinition(id: id, upstream: []))
    if mount != "/" + id {
      if let problem = MountPath.problem(in: mount) {
        station.notes.append("It was at \(mount): \(problem)")
      } else {
        station.definition.mounts = [mount]
      }
    }
    return station
  }

  // MARK: Mounts

  private mutating func add(mount: XMLNode) {
    guard mount.attributes["type"] != "default", let path = mount.value("mount-name") else {
      notes.append(
        "A mount of type default was the pattern of all others; write its values below listeners:.")
      return
    }
    let known = byPath[path]
    var station = known.map { stations[$0] } ?? self.station(at: path)
    if known == nil {
      station.definition.source = .upstream([PushSource.url])
      takePassword(mount, &station)
    }
    take(mount, &station.definition)
    if let authentication = mount.child("authentication") {
      let auth = IcecastListenerAuth(authentication)
      station.definition.auth = auth.settings
      station.notes += auth.notes
    }
    note(mount, &station)
    if let known { stations[known] = station } else { append(station) }
    if let fallback = mount.value("fallback-mount") {
      fallbackMounts.append((known ?? stations.count - 1, fallback))
    }
  }

  private mutating func append(_ station: Station) {
    for path in station.definition.paths where byPath[path] == nil {
      byPath[path] = stations.count
    }
    stations.append(station)
  }

  /// Links a fallback that is a station of the same file.
  private mutating func linkFallbacks() {
    let byID = Dictionary(
      stations.enumerated().map { ($1.definition.id, $0) }
    ) { first, _ in first }
    for (index, mount) in fallbackMounts {
      if let other = byPath[mount].map({ stations[$0].definition }) {
        stations[index].definition.fallback = .station(other.id)
        let problem = stations[index].definition.fallbackProblem { id in
          byID[id].map { stations[$0].definition }
        }
        guard let problem else { continue }
        stations[index].definition.fallback = nil
        stations[index].notes.append("fallback-mount \(mount): \(problem).")
      } else {
        stations[index].notes.append(
          "fallback-mount \(mount): no mount of this file; write fallback: file:/PATH or silence.")
      }
    }
  }

  private func takePassword(_ mount: XMLNode, _ station: inout Station) {
    let password =
      mount.value("password") ?? authentication?.value("source-password") ?? ""
    if !password.isEmpty, (try? ValueRule<String>.token.parse(password)) != nil {
      station.definition.sourcePassword = password
    } else {
      station.definition.sourcePassword = newPassword()
      station.notes.append(
        "Icecast's password is too short or has odd characters: this one is new, tell the encoder.")
    }
  }

  private func take(_ mount: XMLNode, _ station: inout StationDefinition) {
    func text(_ name: String, max: Int = 256) -> String? {
      mount.value(name).map { String($0.prefix(max)) }
    }
    func number(_ name: String, _ range: ClosedRange<Int>) -> Int? {
      mount.value(name).flatMap(Int.init).flatMap { range.contains($0) ? $0 : nil }
    }
    station.name = text("stream-name") ?? station.name
    station.description = text("stream-description", max: 1024)
    station.genre = text("genre")
    station.homepage = text("stream-url").flatMap { WebURL.isValid($0) ? $0 : nil }
    station.isPublic = mount.value("public") == "1"
    station.listenersMax = number("max-listeners", ConfigurationLimits.listenersMax)
    station.metaint = number("mp3-metadata-interval", ConfigurationLimits.metaint)
    station.listeningTimeMax = mount.value("max-listener-duration").flatMap(Double.init)
      .flatMap { ConfigurationLimits.listeningTime.contains($0) && $0 > 0 ? $0 : nil }
    station.burst = IcecastImport.burst(bytes: mount.value("burst-size"))
      .flatMap(DurationText.parse)
    station.encoding = mount.value("charset").flatMap { try? CharsetName($0) }.map {
      TextEncoding.named($0)
    }
  }

  private func note(_ mount: XMLNode, _ station: inout Station) {
    let username = mount.value("username")
    if let username { station.notes.append("A source may say any user name; it was \(username).") }
    let unknown = [
      "intro": "nothing is played before the stream", "dump-file": "the window keeps the past",
      "hidden": "every station is shown", "on-connect": "see the events",
      "on-disconnect": "see the events", "stream-url": "its homepage must begin with http",
      "no-mount": "it has a path",
      "max-listeners": "it must be a number from 1 on",
    ]
    for (name, reason) in unknown.sorted(by: { $0.key < $1.key }) {
      guard let child = mount.child(name) else { continue }
      if name == "stream-url", station.definition.homepage != nil { continue }
      if name == "max-listeners", station.definition.listenersMax != nil { continue }
      if name == "hidden", child.text == "0" { continue }
      station.notes.append("<\(name)> \(child.text.prefix(80)): \(reason).")
    }
  }
}
