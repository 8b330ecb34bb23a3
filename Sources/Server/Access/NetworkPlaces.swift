import Reactor
import Synchronization

/// How many may be connected over the network, and how many of them may watch events: in the whole process, so that
/// descriptors are left for everything else. The administration's own socket takes none of these places.
final class NetworkPlaces: Sendable {
  private let connections = Atomic<Int>(0)
  private let connectionsMaxNow = Atomic<Int>(0)
  private let idle = AddressPlaces()
  private let watching = Atomic<Int>(0)
  private let watchersMaxNow = Atomic<Int>(0)
  private let watchers = AddressPlaces()
  /// Connections that were refused on a loop that had none to end for them.
  private let wanted = Atomic<Int>(0)
  private let refusals = Atomic<Int>(0)

  /// Connections that are told that there is no place, beyond those that have one: of the descriptors kept back.
  private static let refusalsMax = 8

  /// Each costs a loop 5 µs in every slot in which there is an event for it.
  private static let watchersUsual = 4000

  init(_ configuration: ServerConfiguration) { set(configuration) }

  func set(_ configuration: ServerConfiguration) {
    let most = max(1, min(configuration.connectionsMax.orMost, Self.connectionsPossible))
    let watchersMost =
      configuration.watchersMax > 0
      ? min(configuration.watchersMax, most) : max(1, min(Self.watchersUsual, most / 2))
    connectionsMaxNow.store(most, ordering: .relaxed)
    watchersMaxNow.store(watchersMost, ordering: .relaxed)
    idle.setMax(share(configuration.connectionsPerAddress, of: most, atLeast: 64))
    watchers.setMax(share(configuration.watchersPerAddress, of: watchersMost, atLeast: 16))
  }

  /// Of what there is, an address has a quarter where nothing else is said.
  private func share(_ configured: Int, of all: Int, atLeast: Int) -> Int {
    configured > 0 ? configured : max(atLeast, all / 4)
  }

  /// What the limit on open files leaves beside those kept back and a few for the process itself.
  static var connectionsPossible: Int {
    let files = Limits.raiseOpenFiles()
    return max(files - 4 * DescriptorReserve.countMax, files / 2)
  }

  // MARK: Connections

  var connectionsMax: Int { connectionsMaxNow.load(ordering: .relaxed) }

  var connectionsNow: Int { connections.load(ordering: .relaxed) }

  /// Takes a place; false: all are taken.
  func take() -> Bool {
    if connections.add(1, ordering: .relaxed).newValue <= connectionsMax { return true }
    release()
    return false
  }

  func release() { connections.subtract(1, ordering: .relaxed) }

  /// Counts one more that neither listens nor watches; false: its address has all it may have.
  func count(_ block: AddressBlock?) -> Bool { idle.take(block) }
  func uncount(_ block: AddressBlock?) { idle.release(block) }

  /// Whether another connection can be kept until it has read that there is no place for it.
  func beginRefusal() -> Bool {
    wanted.add(1, ordering: .relaxed)
    if refusals.add(1, ordering: .relaxed).newValue <= Self.refusalsMax { return true }
    endRefusal()
    return false
  }

  func endRefusal() { refusals.subtract(1, ordering: .relaxed) }

  /// How many idle connections have to go so that others find a place, up to `most`. More than that is forgotten: who
  /// comes later says so again.
  func takeWanted(_ most: Int) -> Int {
    if wanted.load(ordering: .relaxed) == 0 { return 0 }
    return min(wanted.exchange(0, ordering: .relaxed), most)
  }

  // MARK: Watchers

  enum Admission { case admitted, full, tooManyOfAddress }

  var watchersMax: Int { watchersMaxNow.load(ordering: .relaxed) }
  var watchersNow: Int { watching.load(ordering: .relaxed) }

  /// The administration's own socket is always let in.
  func admitWatcher(_ block: AddressBlock?) -> Admission {
    guard watchers.take(block) else { return .tooManyOfAddress }
    if watching.add(1, ordering: .relaxed).newValue <= watchersMax || block == nil {
      return .admitted
    }
    releaseWatcher(block)
    return .full
  }

  func releaseWatcher(_ block: AddressBlock?) {
    watching.subtract(1, ordering: .relaxed)
    watchers.release(block)
  }
}

extension Int {
  /// In a configuration 0 stands for as many as there can be.
  fileprivate var orMost: Int { self > 0 ? self : .max }
}
