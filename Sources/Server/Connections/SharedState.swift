import Reactor
import Synchronization

/// State that the loops of one server have in common: constants, and counters of the whole server that change at an
/// accept or a request.
final class SharedState: Sendable {
  let configuration: ServerConfiguration
  let api: any APIHandling
  let events: EventRing
  let sessionEvents: SessionEvents
  let figures: FigureBoard
  let report: @Sendable ([ListenerEvent]) -> Void
  let gate: Gate
  let hearers = KnownHearers()
  let sessions = SessionTable()
  let files = FileLibrary()
  let pages = PageCache()
  let hls: HLSState
  let answerRoom = MemoryRoom(MemoryRoom.answers)
  /// Memory for bodies of requests that are being received or answered.
  let bodyRoom = MemoryRoom(MemoryRoom.bodies)
  /// Answers to challenges that are being read.
  let challengeRoom = MemoryRoom(MemoryRoom.challenges)
  let starts = StartLimit()
  let network: NetworkPlaces
  let reserve = DescriptorReserve()
  /// Number of loops.
  let loops: Int
  /// Listeners whose sessions begin when they have stayed, by address.
  let earning = AddressPlaces()
  /// Clips that are being sent, by address.
  let clipPlaces = AddressPlaces(countsSites: true)
  let clipPace = ClipPace()
  /// What is decoded for watchers of events, by address.
  let soundPlaces = SoundPlaces<FigureKey>()
  /// Streams of samples that are being sent, by address.
  let tapPlaces = AddressPlaces(countsSites: true)
  /// Watchers of figures of the past, by address or /48: each needs a decoder, and there are few.
  let momentPlaces = AddressPlaces()
  /// Listeners of HLS by address: one costs its client a request, where another costs a connection.
  let hlsPlaces = AddressPlaces()
  private let addresses = AddressPlaces()
  private let listenerCount = Atomic<Int>(0)
  private let placesMax: Atomic<Int>
  private let lastListenerID = Atomic<UInt64>(0)

  init(
    configuration: ServerConfiguration, loops: Int, api: any APIHandling, events: EventRing,
    sessionEvents: SessionEvents, figures: FigureBoard,
    report: @escaping @Sendable ([ListenerEvent]) -> Void
  ) {
    self.configuration = configuration
    self.loops = loops
    network = NetworkPlaces(configuration)
    self.api = api
    self.events = events
    self.sessionEvents = sessionEvents
    self.figures = figures
    self.report = report
    hls = HLSState(secret: configuration.hlsSecret)
    placesMax = Atomic(configuration.listenersMax)
    gate = Gate(configuration.access)
    addresses.setMax(configuration.listenersPerAddress)
    earning.setMax(GuessLimit.earningMax)
    tapPlaces.setMax(Self.tapsPerAddress)
    momentPlaces.setMax(Self.momentsPerAddress)
    setListenersMax(configuration.listenersMax)
    setLimits(configuration)
  }

  /// Streams of samples that an address may have at once.
  private static let tapsPerAddress = 8
  /// Watchers of figures of the past that an address, or a /48, may have at once.
  private static let momentsPerAddress = 8

  /// Most listeners there may be; when the limit is lowered, listeners above it stay.
  var listenersMax: Int { placesMax.load(ordering: .relaxed) }

  func setListenersMax(_ max: Int) {
    placesMax.store(max, ordering: .relaxed)
    // As much as an address may have of the connections.
    hlsPlaces.setMax(Swift.max(64, max / 4))
  }

  /// Listeners in the whole process.
  var listeners: Int { listenerCount.load(ordering: .relaxed) }

  /// Whether less than a tenth of the places for listeners or connections is left.
  var isCrowded: Bool {
    listeners > listenersMax / 10 * 9 || network.connectionsNow > network.connectionsMax / 10 * 9
  }

  /// Outcome of a listener's request for a place.
  enum Admission { case admitted, full, tooManyOfAddress }

  /// Reserves one of the places for listeners.
  func admit(_ origin: Peer) -> Admission {
    guard addresses.reserve(AddressBlock(origin)) else { return .tooManyOfAddress }
    if listenerCount.add(1, ordering: .relaxed).newValue <= listenersMax { return .admitted }
    release(origin)
    return .full
  }

  func release(_ origin: Peer) {
    listenerCount.subtract(1, ordering: .relaxed)
    addresses.release(AddressBlock(origin))
  }

  func setPerAddress(_ max: Int) { addresses.setMax(max) }

  /// Sets what one address may have besides listening, and the folder whose files are hidden.
  func setLimits(_ configuration: ServerConfiguration) {
    starts.setMax(configuration.startsPerAddress)
    clipPlaces.setMax(configuration.clipsPerAddress)
    clipPace.set(speed: configuration.clipSpeed)
    files.hide(configuration.hidden)
    hls.seal.set(configuration.hlsSecret)
  }

  func nextListenerID() -> UInt64 {
    lastListenerID.add(1, ordering: .relaxed).newValue
  }
}
