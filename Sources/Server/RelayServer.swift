import Glibc
import Reactor
import Synchronization
import Timeshift

/// The socket server: one loop per core, each with its own listening socket of a SO_REUSEPORT group, its own
/// connections and its own cursors in the logs. Loops share nothing but the logs and a few counters.
public final class RelayServer: Sendable {
  private let configuration: ServerConfiguration
  let shared: SharedState
  let loops: [LoopServer]
  private let addresses = Mutex<[LoopServer.Origin: [SocketAddress]]>([:])

  /// - Parameter report: told who came and went, on a loop's thread: it must not block.
  public init(
    configuration: ServerConfiguration, api: any APIHandling, events: EventRing,
    report: @escaping @Sendable ([ListenerEvent]) -> Void = { _ in }
  ) throws(ServerError) {
    self.configuration = configuration
    let count = configuration.threads > 0 ? configuration.threads : Limits.processors()
    // A listener is an open file.
    _ = Limits.raiseOpenFiles()
    shared = SharedState(
      configuration: configuration, loops: count, api: api, events: events, report: report)
    var loops: [LoopServer] = []
    do {
      for index in 0..<count {
        loops.append(LoopServer(loop: try EventLoop(name: "loop.\(index)"), shared: shared))
      }
    } catch {
      throw ServerError.system(error)
    }
    self.loops = loops
  }

  /// How many listeners there may be: as told last.
  public var listenersMax: Int { shared.listenersMax }

  /// Where the server listens, with the ports the kernel chose for port 0.
  public var boundAddresses: [SocketAddress] { addresses.withLock { $0[.tcp] ?? [] } }

  /// The same for sources of SHOUTcast's first protocol.
  public var boundShoutcastAddresses: [SocketAddress] {
    addresses.withLock { $0[.shoutcast] ?? [] }
  }

  /// Starts the loops and opens the sockets, with these mounts from the first request on.
  public func start(mounts: [Mount] = [], bans: [Ban] = []) async throws(ServerError) {
    shared.gate.set(bans)
    for (index, loop) in loops.enumerated() where !loop.loop.start() {
      for running in loops[..<index] { running.loop.stop() }
      throw ServerError.system(SystemError(call: "pthread_create", on: "loop", code: EAGAIN))
    }
    await publish(mounts: mounts)
    do {
      for address in configuration.listen { try await open(address, for: .tcp) }
      for address in configuration.shoutcastListen { try await open(address, for: .shoutcast) }
      if let path = configuration.unixSocket { try await openUnix(path) }
    } catch {
      await drain()
      throw error
    }
  }

  /// The mounts from now on. Listeners of a mount that is gone or stopped are ended; the others notice nothing.
  public func publish(mounts: [Mount]) async {
    let table = MountTable(mounts)
    for loop in loops { await loop.take(table) }
  }

  /// What may change while it runs: who may listen and how many, which proxies are believed, the public URL, and TLS for
  /// connections to come. The rest of a configuration counts from the start on. Whoever listens goes on, but for those
  /// whom the rules refuse that let them in before.
  public func publish(_ configuration: ServerConfiguration) async {
    let before = shared.gate.rules
    shared.gate.set(configuration.access)
    shared.setPerAddress(configuration.listenersPerAddress)
    shared.setLimits(configuration)
    setListenersMax(configuration.listenersMax)
    shared.network.set(configuration)
    for loop in loops {
      await loop.take(
        trustedProxies: configuration.trustedProxies,
        hasProxyHeaders: configuration.hasProxyHeaders, publicURL: configuration.publicURL,
        tls: configuration.tls)
      await loop.endRefused(by: configuration.access, before: before)
    }
  }

  /// How many may listen from now on.
  public func setListenersMax(_ count: Int) { shared.setListenersMax(count) }

  /// How many may be connected and watch from now on: the rest of the configuration is not looked at.
  public func setConnectionLimits(_ configuration: ServerConfiguration) {
    shared.network.set(configuration)
  }

  /// Who gets nothing from now on, whatever it asks for. Those of them who listen are ended.
  public func publish(bans: [Ban]) async {
    shared.gate.set(bans)
    for loop in loops { await loop.endBanned() }
  }

  public func listeners() async -> [ListenerSnapshot] {
    var all: [ListenerSnapshot] = []
    for loop in loops { all += await loop.snapshots() }
    return all.sorted { $0.id < $1.id }
  }

  /// Ends a listener between two packets. False: there is none of this id.
  public func kick(listener id: UInt64) async -> Bool {
    for loop in loops where await loop.kick(id) { return true }
    return false
  }

  /// Lets a listener go on with another station, at its live edge, on the connection it has.
  public func move(listener id: UInt64, to station: String) async -> MoveOutcome {
    for loop in loops {
      let outcome = await loop.move(id, to: station)
      if outcome != .unknownListener { return outcome }
    }
    return .unknownListener
  }

  /// The files that a mount serves; nil: they are not there.
  public func files(of source: FileSource, for origin: APIRequest.Origin) async -> FileList? {
    guard case .list(let list) = await shared.files.list(source, for: AddressBlock(origin)) else {
      return nil
    }
    return list
  }

  /// Where everybody is in time now.
  public func places() async -> PlaceHistograms {
    var places = PlaceHistograms()
    for loop in loops { places.add(await loop.places()) }
    return places
  }

  public func figures() async -> ServerFigures {
    var figures = ServerFigures()
    figures.loops = loops.count
    figures.listenersMax = shared.listenersMax
    figures.connectionsMax = shared.network.connectionsMax
    figures.watchers = shared.network.watchersNow
    figures.watchersMax = shared.network.watchersMax
    (figures.filesOpen, figures.filesOpenMax) = shared.files.openFigures
    for loop in loops { await loop.add(to: &figures) }
    return figures
  }

  /// Stops accepting, ends every listener between two packets (they get `drainTimeout`), and ends the loops.
  public func drain() async {
    for loop in loops { await loop.startDraining() }
    for loop in loops { await loop.drained() }
    // What is made of files meanwhile is still told to the loops.
    shared.files.stop()
    for loop in loops { loop.loop.stop() }
    if let path = configuration.unixSocket { unlink(path) }
  }

  // MARK: Opening

  private func open(
    _ address: SocketAddress, for origin: LoopServer.Origin
  ) async throws(ServerError) {
    do {
      try Socket.probe(address)
      var bound = address
      for (index, loop) in loops.enumerated() {
        let fd = try Socket.listen(on: bound, sharing: true)
        Socket.prepareForStreaming(
          fd, sendBufferBytes: ServerConfiguration.sendBufferBytes,
          unsentBytes: ServerConfiguration.unsentBytes)
        if index == 0 { bound = Socket.localAddress(of: fd) ?? address }
        try await loop.listen(fd, origin: origin)
      }
      addresses.withLock { $0[origin, default: []].append(bound) }
    } catch {
      throw error.code == EADDRINUSE ? .portInUse(address) : .system(error)
    }
  }

  private func openUnix(_ path: String) async throws(ServerError) {
    do {
      // Whoever calls holds the lock on the directory, so a socket that is there is a dead server's.
      unlink(path)
      let fd = try UnixPath.withShortPath(path) { short throws(SystemError) in
        try Socket.listen(on: .unix(short), sharing: false)
      }
      try await loops[0].listen(fd, origin: .unix)
    } catch {
      throw .system(error)
    }
  }
}
