import Server

extension ServerConfiguration {
  /// Makes the server's configuration from the relay's.
  init(
    _ server: ServerSection, _ doors: ServerDoors, _ limits: ServerLimits, _ files: ServerFiles,
    storedSecret: [UInt8]?
  ) {
    self.init(listen: doors.listen ?? server.listen, name: RelayVersion.name)
    shoutcastListen = doors.shoutcastListen ?? server.shoutcastListen
    opened = doors.opened
    unixSocket = doors.unixSocket
    unixSocketGroup = doors.unixSocketGroup
    threads = server.threads
    listenersMax = limits.listeners
    connectionsMax = limits.connections
    connectionsPerAddress = server.connectionsPerAddress
    watchersMax = server.watchersMax
    watchersPerAddress = server.watchersPerAddress
    clients = server.clients
    listenersPerAddress = server.listenersPerAddress
    startsPerAddress = server.startsPerAddress
    clipsPerAddress = server.clipsPerAddress
    clipSpeed = Double(server.clipSpeed)
    if let secret = server.hlsSecret.map({ Array($0.utf8) }) ?? storedSecret {
      hlsSecret = secret
    }
    access = server.access
    tls = files.tls
    challenges = files.challenges
    requests = doors.requests
    hidden = files.hidden
    sessionGuesses = doors.sessionGuesses
  }
}
