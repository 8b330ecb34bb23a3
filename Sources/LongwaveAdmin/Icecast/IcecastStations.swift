import Ingest
import Longwave
import Wire

/// Converts the relays and mounts of Icecast's configuration to stations.
struct IcecastStations {
  private struct Station {
    var definition: StationDefinition
    var mount: IcecastMount
    var notes: [String] = []
    /// Elements whose remainders are named at the station.
    var nodes: [IcecastNode] = []
  }

  private let root: IcecastNode
  private let machine: IcecastMachine
  /// The mount of type `default`, which says what others do not.
  private let standard: IcecastNode?
  /// The other mounts by their paths; of several, the first counts.
  private let mounts: [String: IcecastNode]
  private let authentication: IcecastNode?
  /// What relays do that say nothing of their own; used once one of them is read.
  private lazy var everyOnDemand: Bool? = root.use("relays-on-demand", Self.flag)
  private var stations: [Station] = []
  /// The station of each path, as an index of `stations`.
  private var byPath: [String: Int] = [:]
  /// The same of each id.
  private var byID: [String: Int] = [:]
  private let paths: IcecastPaths
  private var naming: StationNaming
  /// Notes that stand before all stations.
  private var notes: [String] = []

  init(_ root: IcecastNode, shoutcast sources: [String], _ machine: IcecastMachine) {
    (self.root, self.machine) = (root, machine)
    paths = IcecastPaths(root, others: sources)
    naming = StationNaming(taken: paths.all)
    let all = root.all("mount")
    let others = all.filter { !Self.isDefault($0) }
    standard = all.first(where: Self.isDefault)
    mounts = Dictionary(
      others.compactMap { mount in
        mount.look("mount-name").map { (IcecastPaths.whole($0), mount) }
      }
    ) { first, _ in first }
    authentication = root.child("authentication")
    _ = standard?.attribute("type")
    for relay in root.all("relay") { add(relay: relay) }
    for mount in others { add(mount: mount) }
    let wanted = sources.map(IcecastPaths.whole)
    for path in wanted where byPath[path] == nil { addSource(at: path, nil) }
    for index in stations.indices { linkFallback(of: index) }
    for index in stations.indices { noteFallback(of: index) }
    for alias in paths.aliases { add(alias) }
    putFirst(wanted)
    if authentication?.look("source-password") != nil {
      notes.append(
        "Icecast took sources at any path; here each is a station with upstream: [push].")
    }
  }

  private static func isDefault(_ mount: IcecastNode) -> Bool {
    mount.look(attribute: "type") == "default"
  }

  /// Elements that are named at their stations, if anything of them remains.
  var named: Set<ObjectIdentifier> {
    Set(stations.flatMap { $0.nodes.map(ObjectIdentifier.init) })
  }

  func write(to yaml: inout IcecastYAML) {
    yaml.add("\n" + notes.map { "# \(TerminalText.safe($0))\n" }.joined())
    if stations.isEmpty {
      yaml.add("# - {id: live, upstream: [push], source-password: \"8 characters or more\"}\n")
      yaml.add("stations: []\n")
      return
    }
    yaml.add("stations:\n" + stations.map(Self.text).joined(separator: "\n"))
  }

  private static func text(_ station: Station) -> String {
    let rest = station.nodes.flatMap { $0.remainders() }.map(\.words)
    return (station.notes + rest).map { "  # \(TerminalText.safe($0))\n" }.joined()
      + StationsYAML.text(station.definition)
  }

  // MARK: Relays

  private mutating func add(relay: IcecastNode) {
    let upstream = relay.child("upstream") ?? relay
    let local = IcecastPaths.whole(IcecastPaths.local(of: relay))
    let url = upstream.look("uri") ?? Self.url(of: upstream, IcecastPaths.remote(of: relay))
    guard WebURL.isValid(url), upstream.look("server") != nil || upstream.look("uri") != nil else {
      notes.append("The relay \(local) has no server, or a port that cannot be; it is left out.")
      return
    }
    for name in ["server", "port", "mount", "uri", "username"] { upstream.child(name)?.use() }
    // Without a user Icecast sends no password, and the URL has none.
    if upstream.look("username") != nil { upstream.child("password")?.use() }
    relay.child("local-mount")?.use()
    if let index = byPath[local] { return add(url, of: relay, at: local, to: index) }
    var station = station(at: local, nil)
    station.definition.source = .upstream([url])
    station.definition.onDemand =
      (relay.use("on-demand", Self.flag) ?? everyOnDemand) == true
    station.nodes.append(relay)
    append(station, at: local)
  }

  /// Adds a relay to the station that has its path already: Icecast asks the second while the first gives nothing.
  private mutating func add(
    _ url: String, of relay: IcecastNode, at path: String, to index: Int
  ) {
    stations[index].nodes.append(relay)
    let onDemand = relay.look("on-demand").flatMap(Self.flag) ?? everyOnDemand ?? false
    if onDemand == stations[index].definition.onDemand { relay.child("on-demand")?.use() }
    let urls = stations[index].definition.upstream
    let words = "Line \(relay.line) is a further relay to \(path)"
    if urls.contains(url) {
      stations[index].notes.append("\(words), from the same place.")
    } else if urls.count < ConfigurationLimits.upstreamsMax {
      stations[index].definition.source = .upstream(urls + [url])
      stations[index].notes.append("\(words): it is tried when those before it fail.")
    } else {
      stations[index].notes.append(
        "\(words), from \(url); a station has at most \(ConfigurationLimits.upstreamsMax).")
    }
  }

  private static func flag(_ text: String) -> Bool? { ["0": false, "1": true][text] }

  private static func url(of upstream: IcecastNode, _ path: String) -> String {
    let user = upstream.look("username").map {
      URLText.percentEncoded($0) + ":" + URLText.percentEncoded(upstream.look("password") ?? "")
        + "@"
    }
    let port = upstream.look("port") ?? "8000"
    let host = upstream.look("server") ?? ""
    let place = host.contains(":") ? "[\(host)]" : host
    return "http://\(user ?? "")\(place):\(port)\(IcecastPaths.whole(path))"
  }

  // MARK: Mounts

  /// Returns a new station that keeps its path, with what its mount and the default mount say.
  private mutating func station(at path: String, _ own: IcecastNode?) -> Station {
    let own = own ?? mounts[path]
    let last = path.split(separator: "/").last.map(String.init) ?? ""
    let name = StationID.withoutAudioEnding(last)
    let id = naming.reserveID(
      name: name, url: "http://station/" + name, own: paths.names(of: path))
    let settings = IcecastMount(own: own, standard: standard)
    var station = Station(
      definition: StationDefinition(id: id, upstream: []), mount: settings)
    if path != "/" + id {
      if let problem = MountPath.problem(in: path) {
        station.notes.append("The mount was at \(path): \(problem)")
      } else {
        station.definition.mounts = [path]
      }
    }
    settings.describe(&station.definition)
    station.notes += settings.record(&station.definition)
    if let authentication = settings.node("authentication") {
      let auth = IcecastListenerAuth(authentication)
      station.definition.auth = auth.settings
      station.notes += auth.notes
    }
    if let own {
      own.child("mount-name")?.use()
      if ["normal", nil].contains(own.look(attribute: "type")) { _ = own.attribute("type") }
      station.nodes.append(own)
    }
    return station
  }

  private mutating func add(mount: IcecastNode) {
    guard let path = mount.look("mount-name").map(IcecastPaths.whole) else { return }
    guard let index = byPath[path] else { return addSource(at: path, mount) }
    // The mount of a relay says what else there is about its station.
    if mounts[path] === mount { return }
    mount.child("mount-name")?.use()
    stations[index].nodes.append(mount)
    stations[index].notes.append(
      "Line \(mount.line) is a further mount \(path): as in Icecast, the first one counts.")
  }

  /// Adds a station that a source pushes.
  private mutating func addSource(at path: String, _ mount: IcecastNode?) {
    var station = station(at: path, mount)
    station.definition.source = .upstream([PushSource.url])
    let password =
      station.mount.use("password") { $0 }
      ?? authentication?.value("source-password") ?? ""
    if !password.isEmpty, (try? ValueRule<String>.token.parse(password)) != nil {
      station.definition.sourcePassword = password
    } else {
      station.definition.sourcePassword = machine.newPassword()
      station.notes.append(
        "Icecast's password \"\(password)\" is too short or has odd characters: this one is new, tell "
          + "the encoder.")
    }
    append(station, at: path)
  }

  private mutating func append(_ station: Station, at path: String) {
    byPath[path] = stations.count
    byID[station.definition.id] = stations.count
    stations.append(station)
  }

  // MARK: What leads from one station to another

  /// Links a fallback that is a station of the same file; of another one it says what to do.
  private mutating func linkFallback(of index: Int) {
    let mount = stations[index].mount
    guard let node = mount.node("fallback-mount"), !node.text.isEmpty else { return }
    let wanted = node.text
    guard let other = byPath[IcecastPaths.whole(wanted)].map({ stations[$0].definition }) else {
      stations[index].notes.append(
        "fallback-mount \(wanted): no mount of this file. If it is a file in Icecast's webroot, write "
          + "fallback: file:/PATH; else a station for it, or fallback: silence.")
      return node.use()
    }
    stations[index].definition.fallback = .station(other.id)
    let problem = stations[index].definition.fallbackProblem { id in
      byID[id].map { stations[$0].definition }
    }
    if let problem {
      stations[index].definition.fallback = nil
      stations[index].notes.append("fallback-mount \(wanted): \(problem).")
    } else if mount.look("fallback-override") != "1" {
      stations[index].notes.append(
        "Listeners come back from \(wanted) by themselves, as Icecast had it with fallback-override 1."
      )
    }
    if mount.look("fallback-override") == "1" { mount.node("fallback-override")?.use() }
    node.use()
  }

  /// Says at a station that the fallback of its fallback does not count; all fallbacks are known now.
  private mutating func noteFallback(of index: Int) {
    let definition = stations[index].definition
    guard let fallback = definition.fallback else { return }
    func station(_ id: String) -> StationDefinition? { byID[id].map { stations[$0].definition } }
    // A chain grows too long by stations that are linked later.
    if let problem = definition.fallbackProblem(among: station) {
      stations[index].notes.append("fallback \(fallback.text): \(problem).")
      stations[index].definition.fallback = nil
    } else if let words = definition.fallbackChain(among: station) {
      stations[index].notes.append(words + ".")
    }
  }

  /// Makes an alias of a station one of its paths.
  private mutating func add(_ alias: IcecastPaths.Alias) {
    // A relay that could not be read has no station.
    guard let index = byPath[alias.mount] else { return }
    // The first of its paths is what monitors see: not the alias. A path that none may have has been told.
    if stations[index].definition.mounts.isEmpty, MountPath.problem(in: alias.mount) == nil {
      stations[index].definition.mounts = [alias.mount]
    }
    stations[index].definition.mounts.append(alias.name)
    alias.node.useAll()
  }

  /// Puts the stations of SHOUTcast's sources in front of others with the same password, which chooses the station.
  private mutating func putFirst(_ paths: [String]) {
    let wanted = paths.compactMap { byPath[$0] }
    let first = stations.indices.filter(wanted.contains)
    let rest = stations.indices.filter { !wanted.contains($0) }
    stations = (first + rest).map { stations[$0] }
    for index in stations.indices.prefix(first.count) {
      let password = stations[index].definition.sourcePassword
      guard let password,
        stations[..<index].contains(where: { $0.definition.sourcePassword == password })
      else { continue }
      stations[index].notes.append(
        "Another station has its password: tell its SHOUTcast encoder \(password):#\(index + 1).")
    }
  }
}
