import Glibc

/// Lets a thread wait until it is woken, or for a while.
///
/// By the monotonic clock. On Linux a dispatch semaphore waits by the wall clock, and where that is put back by an hour,
/// an hour longer.
///
/// Sendable: the lock guards all that changes, and neither it nor the condition moves.
final class Wakeup: @unchecked Sendable {
  private let lock: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var isWoken = false

  init() {
    lock = .allocate(capacity: 1)
    condition = .allocate(capacity: 1)
    pthread_mutex_init(lock, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(lock)
    condition.deallocate()
    lock.deallocate()
  }

  /// Who waits goes on; where nobody does, the next one does not wait.
  func wake() {
    pthread_mutex_lock(lock)
    isWoken = true
    pthread_cond_signal(condition)
    pthread_mutex_unlock(lock)
  }

  /// - Parameter nanoseconds: less than a second.
  func wait(nanoseconds: Int) {
    var until = timespec()
    clock_gettime(CLOCK_MONOTONIC, &until)
    until.tv_nsec += nanoseconds
    if until.tv_nsec >= 1_000_000_000 {
      until.tv_nsec -= 1_000_000_000
      until.tv_sec += 1
    }
    pthread_mutex_lock(lock)
    while !isWoken, pthread_cond_timedwait(condition, lock, &until) == 0 {}
    isWoken = false
    pthread_mutex_unlock(lock)
  }
}
