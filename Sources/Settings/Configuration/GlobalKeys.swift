import Ingest
import Reactor
import Server
import Wire

typealias GlobalKey = KeyRow<Configuration>

/// Every key of the sections that are about the process and about all stations, in one row each, in the order in which
/// people are shown them.
enum GlobalKeys {
  private typealias Limits = ConfigurationLimits

  static let sections: [(name: String, rows: [GlobalKey])] = [
    ("server", server), ("timeshift", timeshift), ("recordings", recordings),
    ("library", library), ("cache", cache), ("listeners", listeners), ("upstream", upstream),
    ("log", log),
    ("admin", admin), ("web", web),
    ("metrics", metrics),
  ]

  private static let server: [GlobalKey] = [
    GlobalKey("listen", list: \.server.listen, .listenAddress).checked { reader, configuration in
      if case .list(let items)? = reader.node("listen")?.content, items.isEmpty {
        reader.report("is empty; write at least one HOST:PORT", key: "listen")
      }
      guard let collision = configuration.server.listen.collision else { return }
      reader.report(collision, key: "listen")
    }.atStart(),
    GlobalKey("shoutcast-listen", list: \.server.shoutcastListen, .listenAddress).checked {
      $1.server.refuseShoutcastCollisions($0)
    }.atStart(),
    GlobalKey("data", \.server.data, .text(max: 4096, wanted: "the path of a folder")).atStart(),
    GlobalKey("threads", \.server.threads, .integer(Limits.threads)).atStart(),
    listenersMax,
    GlobalKey("max-connections", \.server.connectionsMax, .integer(Limits.connectionsMax)),
    GlobalKey(
      "max-connections-per-address", \.server.connectionsPerAddress,
      .integer(Limits.connectionsMax)),
    GlobalKey("max-watchers", \.server.watchersMax, .integer(Limits.connectionsMax)),
    GlobalKey(
      "max-watchers-per-address", \.server.watchersPerAddress, .integer(Limits.connectionsMax)),
    GlobalKey("public-url", \.server.clients.publicURL, .baseURL),
    GlobalKey("tls", \.server.tls, keys: TLSSettings.trees, reading: TLSSettings.read),
    GlobalKey("allow", list: \.server.access.allow, .addressRange),
    GlobalKey("deny", list: \.server.access.deny, .addressRange),
    GlobalKey("deny-agents", list: \.server.access.denyAgents, .agentPattern),
    GlobalKey("trusted-proxies", list: \.server.clients.trustedProxies, .addressRange),
    GlobalKey("proxy-protocol", \.server.clients.hasProxyHeaders, .flag).checked {
      reader, configuration in
      let server = configuration.server
      guard server.hasProxyHeaders, server.trustedProxies.isEmpty else { return }
      reader.report(
        "is for trusted proxies; list them in trusted-proxies:", key: "proxy-protocol")
    },
    GlobalKey("time-zone", \.server.timeZone, .timeZone),
    GlobalKey("paths", list: \.server.paths, .folder),
  ]

  private static let listenersMax: GlobalKey = {
    var row = GlobalKey("max-listeners", \.server.listenersMax, .integer(Limits.listenersMax))
    row.read = { [read = row.read] reader, configuration in
      read(reader, &configuration)
      configuration.server.isListenersMaxWritten = reader.field("max-listeners") != nil
    }
    return row
  }()

  private static let timeshift: [GlobalKey] = [
    GlobalKey("window", \.timeshift.window, .duration(Limits.window)),
    GlobalKey("disk-limit", \.timeshift.diskLimit, .size(Limits.diskLimit)),
    GlobalKey("disk-reserve", \.timeshift.diskReserve, .duration(Limits.window)),
  ]

  private static let recordings: [GlobalKey] = [
    GlobalKey("folder", \.recordings.folder, .folder),
    GlobalKey("disk-limit", \.recordings.diskLimit, .size(Limits.diskLimit)),
    GlobalKey("keep", \.recordings.keep.seconds, .duration(Limits.keep)),
    GlobalKey("keep-count", \.recordings.keep.count, .integer(Limits.keepCount)),
  ]

  private static let library: [GlobalKey] = LibrarySettings.rows.map { $0.within(\.library) }

  private static let cache: [GlobalKey] = CacheSettings.rows.map { $0.within(\.cache) }

  private static let listeners: [GlobalKey] =
    ["burst", "behind", "max-lag", "pause-timeout", "metaint"].map(serving)
    + [
      GlobalKey("max-per-address", \.server.listenersPerAddress, .integer(Limits.perAddress)),
      GlobalKey("max-starts-per-address", \.server.startsPerAddress, .integer(Limits.perAddress)),
      serving("max-listening-time"),
      GlobalKey("paused", \.listeners.paused, .word),
      GlobalKey("session-timeout", \.sessions.timeout, .duration(Limits.sessionTimeout)),
      GlobalKey("max-sessions", \.sessions.sessionsMax, .integer(Limits.sessionsMax)),
    ] + StationKeys.rights.names().map(serving)
    + [
      GlobalKey("hls-secret", \.server.hlsSecret, .secret(min: 16)).atStart(),
      GlobalKey("clip-speed", \.server.clipSpeed, .integer(Limits.clipSpeed)),
      GlobalKey("max-clips-per-address", \.server.clipsPerAddress, .integer(Limits.perAddress)),
    ]

  private static let upstream: [GlobalKey] =
    (["user-agent"] + StationKeys.connection.names() + StationKeys.encoding.names()).map(pulling)

  private static let log: [GlobalKey] = [
    GlobalKey("format", \.log.format, .word).atStart(),
    GlobalKey("access", \.log.access, .text(max: 4096, wanted: "the path of a file")),
    GlobalKey("playlist", \.log.playlist, .text(max: 4096, wanted: "the path of a file")).checked {
      guard let access = $1.log.access, access == $1.log.playlist else { return }
      $0.report("is the access log already; give each a file of its own", key: "playlist")
    },
    GlobalKey("anonymise", \.log.anonymise, .flag),
  ]

  private static let admin: [GlobalKey] = [
    GlobalKey("token", \.admin.token, .token),
    GlobalKey("socket-group", \.admin.socketGroup, .account).atStart(),
  ]

  private static let web: [GlobalKey] = [
    GlobalKey("enabled", \.web.isEnabled, .flag),
    GlobalKey("title", \.web.title, .name(max: 64, wanted: "the name that the pages bear")),
    GlobalKey("admin", \.web.hasDashboard, .flag),
    GlobalKey("embed", list: \.web.embedders, .embedder).checked { reader, configuration in
      let count = configuration.web.embedders.count
      guard count > WebSettings.embeddersMax else { return }
      reader.report(
        "has \(count) origins; at most \(WebSettings.embeddersMax) are allowed", key: "embed")
    },
    GlobalKey("logo", \.web.logo, .logo),
    GlobalKey("icon", \.web.icon, .icon),
    GlobalKey("colour", \.web.colour, .colour),
    GlobalKey("links", \.web.links, keys: WebLink.rows.trees(), reading: WebLink.read),
    GlobalKey("footer", \.web.footer, .text(max: 500)),
  ]

  private static let metrics: [GlobalKey] = [
    GlobalKey("allow", \.metrics.allow, shown: ValueRule<AddressRange>.addressRange.shown) {
      section in
      guard section.field("allow") != nil else { return nil }
      var addresses: [AddressRange] = []
      section.readList("allow", into: &addresses, .addressRange)
      return addresses
    }
  ]
}

// MARK: Keys that a station may set for itself

extension GlobalKeys {
  /// Returns the row of a station's key that says how listeners are served.
  private static func serving(_ key: String) -> GlobalKey {
    let row = StationKeys[key]
    return row.forAll(\.listeners, row.serve)
  }

  /// Returns the row of a station's key that says how upstreams are pulled.
  private static func pulling(_ key: String) -> GlobalKey {
    let row = StationKeys[key]
    return row.forAll(\.upstream, row.pull)
  }
}

extension StationKeys {
  fileprivate static subscript(_ name: String) -> StationKey {
    guard let row = all.first(where: { $0.name == name }) else {
      preconditionFailure("no station has the key \(name)")
    }
    return row
  }
}

extension StationKey {
  /// Returns the row that reads the key for all stations into settings of theirs.
  fileprivate func forAll<Settings: Hashable & Sendable>(
    _ path: GlobalKey.Place<Settings>, _ effect: @escaping Effect<Settings>
  ) -> GlobalKey {
    GlobalKey(
      name: name, schema: schema,
      read: { [read] reader, configuration in
        var station = StationDefinition(id: "", upstream: [])
        read(reader, &station)
        effect(station, &configuration[keyPath: path])
      }, json: { _ in .null }, differs: { $0[keyPath: path] != $1[keyPath: path] }, shown: shown,
      keys: keys)
  }
}

extension GlobalKey {
  /// Makes the row of a value with a reader of its own, which is given the key's section.
  fileprivate init<Value: Hashable & Sendable>(
    _ name: String, _ path: Place<Value>, shown: Showing = Showing.hidden,
    keys: [String: KeyTree] = [:], reading read: @escaping @Sendable (SettingReader) -> Value
  ) {
    self.init(
      name: name, schema: Schema.text, read: { $1[keyPath: path] = read($0) }, json: { _ in .null },
      differs: { $0[keyPath: path] != $1[keyPath: path] }, shown: shown, keys: keys)
  }
}

extension Configuration {
  /// Returns the sections whose values differ in another configuration and take effect at once.
  ///
  /// Without stations, which are told one by one, and without keys that only a start reads.
  package func sections(differingIn new: Configuration) -> [String] {
    GlobalKeys.sections.filter { section in
      section.rows.contains { $0.takesEffect == .now && $0.differs(self, new) }
    }.map(\.name) + (webhooks == new.webhooks ? [] : ["webhooks"])
  }

  /// Returns the keys whose values differ in `new`, but stay as they were until the next start.
  package func keysForNextStart(_ new: Configuration) -> [String] {
    GlobalKeys.sections.flatMap { section in
      section.rows.filter { $0.takesEffect == .start && $0.differs(self, new) }
        .map { "\(section.name).\($0.name)" }
    }
  }
}
