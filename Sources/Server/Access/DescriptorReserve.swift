import Glibc
import Reactor
import Synchronization

/// Descriptors kept back for the moment when there are no others, for all loops together. With one of them the
/// administration still gets in, and a client is told instead of left hanging.
final class DescriptorReserve: Sendable {
  static let countMax = 16

  private let kept = Mutex<[Int32]>([])

  init() { refill() }

  deinit { for fd in kept.withLock({ $0 }) { close(fd) } }

  /// Closes one descriptor, for what is opened now; false when none is left.
  func lend() -> Bool {
    kept.withLock { kept in
      guard let fd = kept.popLast() else { return false }
      close(fd)
      return true
    }
  }

  /// Fills the reserve again, as far as there are descriptors.
  func refill() {
    kept.withLock { kept in
      while kept.count < Self.countMax {
        let fd = SpareDescriptors.refuse(open("/dev/null", O_RDONLY | O_CLOEXEC))
        if fd < 0 { return }
        kept.append(fd)
      }
    }
  }
}
