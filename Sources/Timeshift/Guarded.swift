import Synchronization

/// A mutex that ThreadSanitizer understands. A contended `Mutex` is handed over by the kernel (FUTEX_LOCK_PI), which
/// the sanitizer cannot see: it would report races that are none. The atomic beside it tells of the same order.
package struct Guarded<Value: ~Copyable>: ~Copyable, Sendable {
  private let mutex: Mutex<Value>
  private let handOver = Atomic<Bool>(false)

  package init(_ value: consuming sending Value) { mutex = Mutex(value) }

  package borrowing func withLock<Result: ~Copyable>(
    _ body: (inout sending Value) -> sending Result
  ) -> sending Result {
    mutex.withLock { value in
      _ = handOver.load(ordering: .acquiring)
      defer { handOver.store(true, ordering: .releasing) }
      return body(&value)
    }
  }
}
