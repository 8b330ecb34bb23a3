import Synchronization

/// A station on demand, as its requests and whoever pulls it know it together. Asked on the loops' threads, so nothing
/// here blocks.
public final class Demand: Sendable {
  /// What is told of it. At most one of each is under way, however many ask.
  public enum Call: Sendable {
    /// Somebody asks to listen.
    case wanted
    /// Whoever waited for its first packet has gone before it came.
    case abandoned
  }

  private let isAwake = Atomic<Bool>(false)
  private let isWanted = Atomic<Bool>(false)
  private let isAbandoned = Atomic<Bool>(false)
  private let tell: @Sendable (Call) -> Void

  /// - Parameter tell: must not block.
  public init(tell: @escaping @Sendable (Call) -> Void) { self.tell = tell }

  /// Whether it is pulled, or is about to be.
  public var isRunning: Bool { isAwake.load(ordering: .acquiring) }

  /// Whoever pulls it has begun, or ended.
  public func set(isRunning: Bool) { isAwake.store(isRunning, ordering: .releasing) }

  /// Whoever is told begins to follow a call: what is asked from now on is told again.
  public func follow(_ call: Call) {
    switch call {
    case .wanted: isWanted.store(false, ordering: .sequentiallyConsistent)
    case .abandoned: isAbandoned.store(false, ordering: .sequentiallyConsistent)
    }
  }

  func ask() {
    isAwake.store(true, ordering: .releasing)
    if !isWanted.exchange(true, ordering: .sequentiallyConsistent) { tell(.wanted) }
  }

  func abandon() {
    if !isAbandoned.exchange(true, ordering: .sequentiallyConsistent) { tell(.abandoned) }
  }
}
