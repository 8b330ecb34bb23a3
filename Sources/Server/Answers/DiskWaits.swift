import Reactor
import Wire

/// A request that waits for an index from the disk.
protocol DiskWish {
  var token: UInt64 { get }
  /// Time to give up, monotonic nanoseconds.
  var deadline: Int64 { get set }
}

/// Requests of one kind that wait for the disk: they are tried again once a slot, until they are answered.
final class DiskWaits<Wish: DiskWish> {
  private let connections: Connections
  private var wishes: [Wish] = []

  init(_ connections: Connections) { self.connections = connections }

  /// - Parameter fulfil: answers a request; false while something is on its way from the disk.
  func begin(_ wish: Wish, _ fulfil: (Wish) -> Bool) {
    if !fulfil(wish) { wishes.append(wish) }
  }

  /// Once a slot: tries the requests again.
  func serve(_ fulfil: (Wish) -> Bool) {
    if wishes.isEmpty { return }
    let before = wishes
    wishes = []
    // What is answered may ask for more, and wait.
    wishes += before.filter { wish in
      guard fulfil(wish) else { return true }
      if let slot = connections.slot(of: wish.token) { connections.owner.proceed(slot) }
      return false
    }
  }

  /// Puts off the ends of all waits by the nanoseconds for which the loop was away.
  func bear(_ nanoseconds: Int64) {
    for index in wishes.indices {
      wishes[index].deadline = wishes[index].deadline.saturatingAdd(nanoseconds)
    }
  }
}
