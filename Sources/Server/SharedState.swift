import Reactor
import Synchronization

/// What the loops of one server have in common: constants, and counters taken at accept or request, never per loop.
final class SharedState: Sendable {
  let configuration: ServerConfiguration
  let api: any APIHandling
  let events: EventRing
  let report: @Sendable ([ListenerEvent]) -> Void
  let gate: Gate
  let sessions = SessionTable()
  let files = FileLibrary()
  let pages = PageDesk()
  let answerRoom = MemoryRoom(MemoryRoom.answers)
  /// Of requests that are being received or answered.
  let bodyRoom = MemoryRoom(MemoryRoom.bodies)
  let starts = StartLimit()
  let network: NetworkPlaces
  let reserve = DescriptorReserve()
  /// How many there are.
  let loops: Int
  /// Of listeners whose sessions begin when they have stayed.
  let earning = AddressPlaces()
  /// Of clips that are being sent.
  let clipPlaces = AddressPlaces(countsSites: true)
  let clipPace = ClipPace()
  private let addresses = AddressPlaces()
  private let listenerCount = Atomic<Int>(0)
  private let placesMax: Atomic<Int>
  private let lastListenerID = Atomic<UInt64>(0)

  init(
    configuration: ServerConfiguration, loops: Int, api: any APIHandling, events: EventRing,
    report: @escaping @Sendable ([ListenerEvent]) -> Void
  ) {
    self.configuration = configuration
    self.loops = loops
    network = NetworkPlaces(configuration)
    self.api = api
    self.events = events
    self.report = report
    placesMax = Atomic(configuration.listenersMax)
    gate = Gate(configuration.access)
    addresses.setMax(configuration.listenersPerAddress)
    earning.setMax(GuessLimit.earningMax)
    setLimits(configuration)
  }

  /// How many there may be; who is above when it gets less stays.
  var listenersMax: Int { placesMax.load(ordering: .relaxed) }

  func setListenersMax(_ max: Int) { placesMax.store(max, ordering: .relaxed) }

  /// In the whole process.
  var listeners: Int { listenerCount.load(ordering: .relaxed) }

  /// Whether less than a tenth of the places for listeners or connections is left.
  var isCrowded: Bool {
    listeners > listenersMax / 10 * 9 || network.connectionsNow > network.connectionsMax / 10 * 9
  }

  /// Whether somebody may take a place.
  enum Admission { case admitted, full, tooManyOfAddress }

  /// Takes one of the places.
  func admit(_ origin: APIRequest.Origin) -> Admission {
    guard addresses.take(AddressBlock(origin)) else { return .tooManyOfAddress }
    if listenerCount.add(1, ordering: .relaxed).newValue <= listenersMax { return .admitted }
    release(origin)
    return .full
  }

  func release(_ origin: APIRequest.Origin) {
    listenerCount.subtract(1, ordering: .relaxed)
    addresses.release(AddressBlock(origin))
  }

  func setPerAddress(_ max: Int) { addresses.setMax(max) }

  /// Of what one address may have besides listening.
  func setLimits(_ configuration: ServerConfiguration) {
    starts.setMax(configuration.startsPerAddress)
    clipPlaces.setMax(configuration.clipsPerAddress)
    clipPace.set(speed: configuration.clipSpeed)
    files.hide(configuration.hidden)
  }

  func nextListenerID() -> UInt64 {
    lastListenerID.add(1, ordering: .relaxed).newValue
  }
}
