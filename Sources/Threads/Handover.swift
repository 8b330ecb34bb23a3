import Synchronization

/// Orders, for the thread sanitizer, what one thread made before another one took it out from under a `Mutex`.
///
/// On Linux the kernel hands a contended `Mutex` over (FUTEX_LOCK_PI), and the sanitizer sees nothing of that: it takes
/// reads of what was handed over for races. Costs one atomic operation on either side.
public struct Handover: ~Copyable, Sendable {
  private let count = Atomic<Int>(0)

  public init() {}

  /// Before the value is put under the lock.
  public func give() { count.add(1, ordering: .acquiringAndReleasing) }

  /// After the value was taken out.
  public func receive() { _ = count.load(ordering: .acquiring) }
}
