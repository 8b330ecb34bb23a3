import Glibc
import Synchronization

/// Holds threads until it is opened.
final class Gate: Sendable {
  private let isOpen = Atomic<Bool>(false)

  func open() { isOpen.store(true, ordering: .sequentiallyConsistent) }

  func wait() { while !isOpen.load(ordering: .sequentiallyConsistent) { usleep(1000) } }
}
