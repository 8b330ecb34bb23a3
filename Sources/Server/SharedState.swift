import Reactor
import Synchronization

/// What the loops of one server have in common: constants, and counters taken at accept or request, never per loop.
final class SharedState: Sendable {
  let configuration: ServerConfiguration
  let api: any APIHandling
  let events: EventRing
  let report: @Sendable ([ListenerEvent]) -> Void
  let listenersMax: Int
  private let listenerCount = Atomic<Int>(0)
  private let lastListenerID = Atomic<UInt64>(0)

  init(
    configuration: ServerConfiguration, api: any APIHandling, events: EventRing,
    report: @escaping @Sendable ([ListenerEvent]) -> Void, listenersMax: Int
  ) {
    self.configuration = configuration
    self.api = api
    self.events = events
    self.report = report
    self.listenersMax = listenersMax
  }

  /// In the whole process.
  var listeners: Int { listenerCount.load(ordering: .relaxed) }

  /// Takes one of the places; false when all are taken.
  func admit() -> Bool {
    if listenerCount.add(1, ordering: .relaxed).newValue <= listenersMax { return true }
    listenerCount.subtract(1, ordering: .relaxed)
    return false
  }

  func release() {
    listenerCount.subtract(1, ordering: .relaxed)
  }

  func nextListenerID() -> UInt64 {
    lastListenerID.add(1, ordering: .relaxed).newValue
  }
}
