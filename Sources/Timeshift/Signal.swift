import CLinux
import Glibc
import Synchronization

/// Wakes one waiting thread. Raising it twice is as good as once.
final class Signal: Sendable {
  private let descriptor: Int32
  private let isRaised = Atomic<Bool>(false)

  init() {
    descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
    precondition(descriptor >= 0, "an eventfd can be made when the process starts")
  }

  deinit { close(descriptor) }

  func raise() {
    if !isRaised.exchange(true, ordering: .acquiringAndReleasing) {
      eventfd_write(descriptor, 1)
    }
  }

  /// Returns when raised, or after `milliseconds`; -1 waits for ever.
  func wait(milliseconds: Int32) {
    var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    _ = Glibc.poll(&poll, 1, milliseconds)
    var count: eventfd_t = 0
    eventfd_read(descriptor, &count)
    isRaised.store(false, ordering: .sequentiallyConsistent)
  }
}
