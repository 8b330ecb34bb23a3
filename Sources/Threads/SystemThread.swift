import CLinux
import Glibc

/// A thread of the operating system with a name: for loops, and for work that may wait on a disk, a peer or a lock.
///
/// A dispatch queue's thread comes from the pool that runs Swift's tasks, one per processor. When all of those wait, no
/// task runs any more.
public struct SystemThread: Sendable {
  private let handle: pthread_t

  /// Starts a thread that ends with its work. False: the system gives no thread.
  ///
  /// `top -H` shows 15 characters of the name.
  public static func start(_ name: String, _ work: @escaping @Sendable () -> Void) -> Bool {
    make(name, PTHREAD_CREATE_DETACHED, work) != nil
  }

  /// Starts a thread that must be joined once. Returns nil if the system gives no thread.
  public init?(_ name: String, _ work: @escaping @Sendable () -> Void) {
    guard let handle = Self.make(name, PTHREAD_CREATE_JOINABLE, work) else { return nil }
    self.handle = handle
  }

  /// Blocks until the thread's work is done.
  public func join() { pthread_join(handle, nil) }

  /// Seconds of a processor that this thread has used.
  public static func worked() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Lets other threads run first from now on when processors are short.
  ///
  /// Each Linux thread has its own niceness (sched(7)). The corresponding C function is `setpriority`.
  package static func stepBack() {
    _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
  }

  private final class Body: Sendable {
    let name: String
    let work: @Sendable () -> Void

    init(_ name: String, _ work: @escaping @Sendable () -> Void) {
      self.name = name
      self.work = work
    }
  }

  private static func make(
    _ name: String, _ state: Int, _ work: @escaping @Sendable () -> Void
  ) -> pthread_t? {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(state))
    ThreadRegistry.begins(name)
    let body = Unmanaged.passRetained(Body(name, work))
    var thread = pthread_t()
    let result = pthread_create(
      &thread, &attributes,
      { context in
        // The thread is the only holder and releases it.
        let body = Unmanaged<Body>.fromOpaque(context!).takeRetainedValue()
        linux_name_thread(body.name)
        body.work()
        ThreadRegistry.ends(body.name)
        return nil
      }, body.toOpaque())
    if result == 0 { return thread }
    body.release()
    ThreadRegistry.ends(name)
    return nil
  }
}
