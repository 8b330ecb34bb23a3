import Reactor
import Synchronization

/// Limits on connections over the network, and on those that watch events: for the whole process, so that descriptors
/// are left for everything else. The administration's own socket takes no connection's place, and always may watch.
final class NetworkPlaces: Sendable {
  private let connections = Atomic<Int>(0)
  private let connectionsMaxNow = Atomic<Int>(0)
  private let idle = AddressPlaces()
  private let watching = Atomic<Int>(0)
  private let watchersMaxNow = Atomic<Int>(0)
  private let watchers = AddressPlaces()
  /// Connections that were refused on a loop that had no idle one to end for them.
  private let wanted = Atomic<Int>(0)
  private let refusals = Atomic<Int>(0)

  /// Connections that are told that there is no place, beyond those that have one. They use the descriptors kept back.
  private static let refusalsMax = 8

  /// Watchers by default: each costs a loop 5 µs in every slot in which there is an event for it.
  private static let watchersUsual = 4000

  /// Configured limits; 0 for what is usual.
  struct Limits {
    var connectionsMax: Int
    var connectionsPerAddress: Int
    var watchersMax: Int
    var watchersPerAddress: Int
  }

  init(_ limits: Limits) { set(limits) }

  func set(_ limits: Limits) {
    let most = max(1, min(limits.connectionsMax.orMost, Self.connectionsPossible))
    let watchersMost =
      limits.watchersMax > 0
      ? min(limits.watchersMax, most) : max(1, min(Self.watchersUsual, most / 2))
    connectionsMaxNow.store(most, ordering: .relaxed)
    watchersMaxNow.store(watchersMost, ordering: .relaxed)
    idle.setMax(share(limits.connectionsPerAddress, of: most, atLeast: 64))
    watchers.setMax(share(limits.watchersPerAddress, of: watchersMost, atLeast: 16))
  }

  /// Returns the share of an address: as configured, else a quarter of all.
  private func share(_ configured: Int, of all: Int, atLeast: Int) -> Int {
    configured > 0 ? configured : max(atLeast, all / 4)
  }

  /// Connections that the limit on open files leaves, beside the descriptors kept back and a few for the process
  /// itself.
  static var connectionsPossible: Int {
    let files = Reactor.Limits.raiseOpenFiles()
    return max(files - 4 * DescriptorReserve.countMax, files / 2)
  }

  // MARK: Connections

  var connectionsMax: Int { connectionsMaxNow.load(ordering: .relaxed) }

  var connectionsNow: Int { connections.load(ordering: .relaxed) }

  /// Reserves a place; false when all are taken.
  func reserve() -> Bool {
    if connections.add(1, ordering: .relaxed).newValue <= connectionsMax { return true }
    release()
    return false
  }

  func release() { connections.subtract(1, ordering: .relaxed) }

  /// Counts a connection that neither listens nor watches; false when its address has all it may have.
  func count(_ block: AddressBlock?) -> Bool { idle.reserve(block) }
  func uncount(_ block: AddressBlock?) { idle.release(block) }

  /// Whether another connection can be kept until it has read that there is no place for it. Also counts it as wanted.
  func beginRefusal() -> Bool {
    wanted.add(1, ordering: .relaxed)
    if refusals.add(1, ordering: .relaxed).newValue <= Self.refusalsMax { return true }
    endRefusal()
    return false
  }

  func endRefusal() { refusals.subtract(1, ordering: .relaxed) }

  /// Returns how many idle connections have to go so that others find a place, up to `most`. More than that is
  /// forgotten: a client that comes later asks again.
  func popWanted(_ most: Int) -> Int {
    if wanted.load(ordering: .relaxed) == 0 { return 0 }
    return min(wanted.exchange(0, ordering: .relaxed), most)
  }

  // MARK: Watchers

  enum Admission { case admitted, full, tooManyOfAddress }

  var watchersMax: Int { watchersMaxNow.load(ordering: .relaxed) }
  var watchersNow: Int { watching.load(ordering: .relaxed) }

  /// Reserves a watcher's place; the administration's own socket is always let in.
  func admitWatcher(_ block: AddressBlock?) -> Admission {
    guard watchers.reserve(block) else { return .tooManyOfAddress }
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
  /// In a configuration, 0 stands for as many as there can be.
  fileprivate var orMost: Int { self > 0 ? self : .max }
}
