import Server

extension Configuration {
  /// Returns the sections whose values differ in another configuration and take effect at once.
  ///
  /// Without stations, which are told one by one, and without keys that only a start reads.
  func sections(differingIn new: Configuration) -> [String] {
    [
      ("server", server.withoutOtherSections != new.server.withoutOtherSections),
      ("timeshift", timeshift != new.timeshift),
      ("recordings", recordings != new.recordings),
      (
        "listeners",
        listeners != new.listeners || sessions != new.sessions
          || server.perAddress != new.server.perAddress
      ),
      ("upstream", upstream != new.upstream),
      ("log", log.withoutFormat != new.log.withoutFormat),
      ("admin", admin.token != new.admin.token),
      ("web", web != new.web),
      ("metrics", metrics != new.metrics),
      ("webhooks", webhooks != new.webhooks),
    ].filter(\.1).map(\.0)
  }

  /// Returns the keys whose values differ in `new`, but stay as they were until the next start.
  func keysForNextStart(_ new: Configuration) -> [String] {
    [
      ("server.listen", server.listen != new.server.listen),
      ("server.shoutcast-listen", server.shoutcastListen != new.server.shoutcastListen),
      ("server.data", server.data != new.server.data),
      ("server.threads", server.threads != new.server.threads),
      ("admin.socket-group", admin.socketGroup != new.admin.socketGroup),
      ("log.format", log.format != new.log.format),
    ].filter(\.1).map(\.0)
  }
}

extension LogSettings {
  /// The section with the default for what only a start reads.
  fileprivate var withoutFormat: LogSettings {
    var section = self
    section.format = LogSettings().format
    return section
  }
}

extension ServerSection {
  /// What the file has under `listeners`.
  fileprivate var perAddress: [Int] {
    [listenersPerAddress, startsPerAddress, clipsPerAddress, clipSpeed]
  }

  /// The section with defaults for what only a start reads, and for what the file has elsewhere.
  fileprivate var withoutOtherSections: ServerSection {
    var section = self
    let defaults = ServerSection()
    section.listen = defaults.listen
    section.shoutcastListen = defaults.shoutcastListen
    section.data = defaults.data
    section.threads = defaults.threads
    section.isListenersMaxWritten = defaults.isListenersMaxWritten
    section.listenersPerAddress = defaults.listenersPerAddress
    section.startsPerAddress = defaults.startsPerAddress
    section.clipsPerAddress = defaults.clipsPerAddress
    section.clipSpeed = defaults.clipSpeed
    return section
  }
}
