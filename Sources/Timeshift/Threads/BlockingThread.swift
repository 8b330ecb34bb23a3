import CLinux
import Glibc

/// Threads for work that may wait: on a disk, a peer, a lock of somebody else's.
///
/// Threads of the system's own, never a dispatch queue's: those come out of the pool that runs Swift's tasks, as many as
/// there are processors, and when they wait nothing is answered any more.
public enum BlockingThread {
  private final class Body: Sendable {
    let name: String
    let run: @Sendable () -> Void

    init(_ name: String, _ run: @escaping @Sendable () -> Void) {
      self.name = name
      self.run = run
    }
  }

  /// Starts one, which ends with its work. `top -H` shows 15 characters of the name. False: the system gives no more.
  public static func start(_ name: String, _ run: @escaping @Sendable () -> Void) -> Bool {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    let body = Unmanaged.passRetained(Body(name, run))
    var thread = pthread_t()
    let result = pthread_create(
      &thread, &attributes,
      { context in
        // Given back: the thread is the only one that holds it.
        let body = Unmanaged<Body>.fromOpaque(context!).takeRetainedValue()
        linux_name_thread(body.name)
        body.run()
        return nil
      }, body.toOpaque())
    if result != 0 { body.release() }
    return result == 0
  }

  /// Lets the other threads come first where processors are short, from now on. On Linux each thread is as nice as it
  /// likes to be (sched(7)); the corresponding C function is `setpriority`.
  static func stepBack() { _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10) }
}
