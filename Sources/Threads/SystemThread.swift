import CLinux
import Glibc

/// A thread of the system's own, with a name: for loops, and for work that may wait on a disk, a peer or a lock.
///
/// Never a dispatch queue's: those come out of the pool that runs Swift's tasks, as many as there are processors, and when
/// they wait nothing is answered any more.
public struct SystemThread: Sendable {
  private let handle: pthread_t

  /// Starts one, which ends with its work. `top -H` shows 15 characters of the name. False: the system gives no more.
  public static func start(_ name: String, _ work: @escaping @Sendable () -> Void) -> Bool {
    make(name, PTHREAD_CREATE_DETACHED, work) != nil
  }

  /// Starts one whose end is waited for, by `join`, which is called once. nil: the system gives no more.
  public init?(_ name: String, _ work: @escaping @Sendable () -> Void) {
    guard let handle = Self.make(name, PTHREAD_CREATE_JOINABLE, work) else { return nil }
    self.handle = handle
  }

  /// Blocks until its work is done.
  public func join() { pthread_join(handle, nil) }

  /// Lets the other threads come first where processors are short, from now on. On Linux each thread is as nice as it
  /// likes to be (sched(7)); the corresponding C function is `setpriority`.
  static func stepBack() { _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10) }

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
    let body = Unmanaged.passRetained(Body(name, work))
    var thread = pthread_t()
    let result = pthread_create(
      &thread, &attributes,
      { context in
        // Given back: the thread is the only one that holds it.
        let body = Unmanaged<Body>.fromOpaque(context!).takeRetainedValue()
        linux_name_thread(body.name)
        body.work()
        return nil
      }, body.toOpaque())
    if result != 0 { body.release() }
    return result == 0 ? thread : nil
  }
}
