import CLinux

/// Wakes one waiting thread. Raising it twice is as good as once.
///
/// It is a word of memory and no descriptor: a process that has none left can still make one.
public final class Signal: Sendable {
  // Touched by the two calls of CLinux only, which are atomic; freed when nobody holds it any more.
  nonisolated(unsafe) private let flag: UnsafeMutablePointer<UInt32>

  public init() {
    flag = .allocate(capacity: 1)
    flag.initialize(to: 0)
  }

  deinit { flag.deallocate() }

  public func raise() { linux_raise_flag(flag) }

  /// Returns when raised, or after `milliseconds`; -1 waits for ever. It may return early.
  public func wait(milliseconds: Int32) { linux_await_flag(flag, milliseconds) }
}
