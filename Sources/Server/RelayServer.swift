import Glibc
import Reactor
import Synchronization
import Threads
import Timeshift

/// The socket server: one loop per core, each with its own listening socket of a SO_REUSEPORT group, its own
/// connections and its own cursors in the logs. Loops share nothing but the logs and a few counters.
public final class RelayServer: Sendable {
  private let configuration: ServerConfiguration
  let shared: SharedState
  private let unixSocket = UnixSocketFile()
  let loops: [LoopServer]
  private let addresses = Mutex<[ListeningSocket.Kind: [SocketAddress]]>([:])
  private let unixRefusal = Mutex<SystemError?>(nil)
  /// What the loops were told last.
  private let mounts = Mutex<[String: Mount]>([:])

  /// - Parameter report: told which listeners came and went, on a loop's thread: it must not block.
  public init(
    configuration: ServerConfiguration, api: any APIHandling, events: EventRing,
    sessionEvents: SessionEvents = SessionEvents(), figures: FigureBoard = FigureBoard(),
    report: @escaping @Sendable ([ListenerEvent]) -> Void = { _ in }
  ) throws(ServerError) {
    self.configuration = configuration
    let count = configuration.threads > 0 ? configuration.threads : Limits.processors()
    // A listener is an open file.
    _ = Limits.raiseOpenFiles()
    shared = SharedState(
      configuration: configuration, loops: count, api: api, events: events,
      sessionEvents: sessionEvents, figures: figures, report: report)
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

  /// Most listeners there may be, as told last.
  public var listenersMax: Int { shared.listenersMax }

  /// Addresses where the server listens, with the ports the kernel chose for port 0.
  public var boundAddresses: [SocketAddress] { addresses.withLock { $0[.tcp] ?? [] } }

  /// Addresses for sources of SHOUTcast's first protocol, with the ports the kernel chose for port 0.
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
      for socket in configuration.opened { try await share(socket) }
      for address in configuration.listen { try await open(address, for: .tcp) }
      for address in configuration.shoutcastListen { try await open(address, for: .shoutcast) }
      if let path = configuration.unixSocket { try await openUnixIfThereIsRoom(path) }
    } catch {
      await drain()
      throw error
    }
  }

  /// Replaces the mounts. Ends who hears a mount that is gone or stopped, or is refused by its new rules; the others
  /// notice nothing.
  public func publish(mounts: [Mount]) async {
    let table = MountTable(mounts)
    let byStation = Dictionary(mounts.map { ($0.station, $0) }) { first, _ in first }
    self.mounts.withLock { $0 = byStation }
    for loop in loops { await loop.use(table) }
  }

  func mount(of station: String) -> Mount? { mounts.withLock { $0[station] } }

  /// Applies what may change while the server runs: which clients may listen and how many, how they are known and where
  /// they are led, and TLS for connections to come. The rest of a configuration counts from the start on. Listeners go
  /// on, except those that the rules refuse and let in before.
  public func publish(_ configuration: ServerConfiguration) async {
    let before = shared.gate.rules
    shared.gate.set(configuration.access)
    shared.setPerAddress(configuration.listenersPerAddress)
    shared.setLimits(configuration)
    setListenersMax(configuration.listenersMax)
    shared.network.set(configuration)
    for loop in loops {
      await loop.use(
        configuration.clients, tls: configuration.tls, challenges: configuration.challenges)
      await loop.endRefused(by: configuration.access, before: before)
    }
  }

  /// Sets how many may listen from now on.
  public func setListenersMax(_ count: Int) { shared.setListenersMax(count) }

  /// Sets how many may be connected and watch from now on; the rest of the configuration is not looked at.
  public func setConnectionLimits(_ configuration: ServerConfiguration) {
    shared.network.set(configuration)
  }

  /// Sets which addresses get nothing from now on, whatever they ask for, and ends what they hear.
  public func publish(bans: [Ban]) async {
    shared.gate.set(bans)
    for loop in loops { await loop.endBanned() }
  }

  public func listeners() async -> [ListenerSnapshot] {
    var all: [ListenerSnapshot] = []
    for loop in loops { all += await loop.snapshots() }
    return all.sorted { $0.id < $1.id }
  }

  /// Returns one listener; nil when there is none of this id.
  public func listener(_ id: UInt64) async -> ListenerSnapshot? {
    for loop in loops {
      if let found = await loop.snapshot(of: id) { return found }
    }
    return nil
  }

  /// Ends a listener between two packets. False when there is none of this id.
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

  /// Returns the files that a mount serves; nil when they are not there, or too many lists are asked for.
  public func files(of source: FileSource, for origin: Peer) async -> FileList? {
    guard case .list(let list) = await shared.files.list(source, for: AddressBlock(origin)) else {
      return nil
    }
    return list
  }

  /// Returns where all listeners are in time now.
  public func places() async -> PlaceHistograms {
    var places = PlaceHistograms()
    for loop in loops { places.add(await loop.places()) }
    return places
  }

  /// Listeners of HLS now.
  public var hlsListeners: Int { shared.hls.audience.count }

  public func figures() async -> ServerFigures {
    var figures = ServerFigures()
    figures.loops = loops.count
    figures.listenersMax = shared.listenersMax
    figures.connectionsMax = shared.network.connectionsMax
    figures.watchers = shared.network.watchersNow
    figures.watchersMax = shared.network.watchersMax
    (figures.filesOpen, figures.filesOpenMax) = shared.files.openFigures
    figures.hlsListeners = hlsListeners
    figures.hlsWaiting = shared.hls.figures.waiting
    figures.hlsPlaylistsMade = shared.hls.desk.made
    figures.hlsBytes = shared.hls.figures.bytes
    figures.hlsAnswers = shared.hls.figures.counts
    for loop in loops { await loop.add(to: &figures) }
    return figures
  }

  /// Returns the loads of stations, in a pass over all listeners without names, places and titles.
  public func loads() async -> [String: StationLoad] {
    var loads: [String: StationLoad] = [:]
    for loop in loops {
      loads.merge(await loop.loads()) { before, more in
        var sum = before
        sum.add(more)
        return sum
      }
    }
    return loads
  }

  public func metrics() async -> ServerMetrics {
    var metrics = ServerMetrics()
    for loop in loops { metrics.add(await loop.metrics()) }
    metrics.sessions = shared.sessions.counts
    return metrics
  }

  public func audience() async -> Audience {
    var audience = Audience()
    for loop in loops { audience.add(await loop.audience()) }
    return audience
  }

  /// Accepts no connection from now on. Those to come wait at a socket that another process keeps open, and are refused
  /// otherwise.
  public func stopAccepting() async {
    for loop in loops { await loop.stopAccepting() }
  }

  /// Stops accepting, ends every listener between two packets (they get `drainTimeout`), and ends the loops.
  public func drain() async {
    for loop in loops { await loop.startDraining() }
    for loop in loops { await loop.drained() }
    await Blocking.run { [self] in
      // Results of work on files are still told to the loops meanwhile.
      shared.files.stop()
      for loop in loops { loop.loop.stop() }
      if let path = configuration.unixSocket, unixSocket.isFound(at: path) { unlink(path) }
    }
  }

  /// Makes the administration's socket again where its file was removed, or another disk has its folder's place: nobody
  /// can reach the old one.
  ///
  /// - Returns: whether it was missing.
  public func remakeUnixSocket() async throws(ServerError) -> Bool {
    guard let path = configuration.unixSocket else { return false }
    if unixSocket.isFound(at: path) { return false }
    try await openUnixIfThereIsRoom(path)
    return unixSocketRefusal == nil
  }

  /// Why the administration's socket could not be made at the start; nil when there is one, or none is wanted.
  public var unixSocketRefusal: SystemError? { unixRefusal.withLock { $0 } }

  /// Tries again to make the administration's socket, if the disk had no room for it at the start.
  ///
  /// - Returns: whether it is made now.
  public func openRefusedUnixSocket() async throws(ServerError) -> Bool {
    guard let path = configuration.unixSocket, unixSocketRefusal != nil else { return false }
    try await openUnixIfThereIsRoom(path)
    return unixSocketRefusal == nil
  }

  // MARK: Opening

  /// Makes the administration's socket, or notes why its disk has no room for it: listeners do not need it.
  private func openUnixIfThereIsRoom(_ path: String) async throws(ServerError) {
    do throws(ServerError) {
      try await openUnix(path)
    } catch {
      guard case .system(let reason) = error, Self.fullCodes.contains(reason.code) else {
        throw error
      }
      unixRefusal.withLock { $0 = reason }
    }
  }

  /// A disk without room, or without an inode, for the file of a socket; one that fails.
  private static let fullCodes: Set<Int32> = [ENOSPC, EDQUOT, EIO]

  private func open(
    _ address: SocketAddress, for origin: ListeningSocket.Kind
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

  /// Lets all loops take connections of one socket in turn. The first loop accepts the connections. Where several loops
  /// wait for one socket, the kernel wakes the same one as long as it keeps up, and that loop would have all listeners.
  private func share(_ socket: OpenedSocket) async throws(ServerError) {
    Socket.prepareForStreaming(
      socket.fd, sendBufferBytes: ServerConfiguration.sendBufferBytes,
      unsentBytes: ServerConfiguration.unsentBytes)
    do {
      var slots: [MailSlot<LoopServer.Arrival>] = []
      for loop in loops { slots.append(try await loop.arrivalSlot()) }
      try await loops[0].listen(socket.fd, origin: socket.kind, takingTurns: slots)
    } catch {
      throw .system(error)
    }
    addresses.withLock { $0[socket.kind, default: []].append(socket.address) }
  }

  private func openUnix(_ path: String) async throws(ServerError) {
    do {
      // The caller holds the lock on the directory, so a socket that is there is a dead server's.
      unlink(path)
      let fd = try UnixPath.withShortPath(path) { short throws(SystemError) in
        let fd = try Socket.listen(on: .unix(short), sharing: false)
        if let group = configuration.unixSocketGroup {
          do throws(SystemError) {
            try Socket.open(short, toGroup: group)
          } catch {
            Socket.close(fd)
            throw error
          }
        }
        return fd
      }
      unixSocket.set(at: path)
      try await loops[0].listen(fd, inPlaceOf: .unix)
      unixRefusal.withLock { $0 = nil }
    } catch {
      throw .system(error)
    }
  }
}
