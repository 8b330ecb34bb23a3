import CLinux

/// Wakes one waiting thread. Raising the signal twice has the effect of once.
///
/// A signal is a word of memory, not a descriptor: a process that has run out of descriptors can still make one.
public final class Signal: Sendable {
  // Only two atomic calls of CLinux touch this word; `deinit` frees it with the last reference to the signal.
  nonisolated(unsafe) private let flag: UnsafeMutablePointer<UInt32>

  public init() {
    flag = .allocate(capacity: 1)
    flag.initialize(to: 0)
  }

  deinit { flag.deallocate() }

  public func raise() { linux_raise_flag(flag) }

  /// Returns when raised, or after `milliseconds`; -1 waits for ever. May return early.
  public func wait(milliseconds: Int32) { linux_await_flag(flag, milliseconds) }
}
