import Foundation
import Glibc
import Synchronization
import TestSupport

/// An echo over loopback that does nothing else: as late as it is, this machine makes everybody.
///
/// A relay that is late is excused by as many seconds as the echo was late at the same time, and by no more.
final class MachineDelay: Sendable {
  static let shared = MachineDelay()

  /// What a thread that is woken waits anyway.
  private static let usual = 0.02
  private static let pause = 0.005
  private static let keptMax = 20_000
  private struct State {
    /// When an echo came back, and by how much it was late.
    var late: [(at: Double, seconds: Double)] = []
    /// Of the one that is under way.
    var began = secondsNow()
  }

  private let state = Mutex(State())

  private init() {
    var ends: [Int32] = [0, 0]
    precondition(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0, "two sockets")
    let (near, far) = (ends[0], ends[1])
    Self.start("echo") {
      var byte: UInt8 = 0
      while read(far, &byte, 1) == 1, write(far, &byte, 1) == 1 {}
    }
    Self.start("delay") { [self] in
      var byte: UInt8 = 0
      while true {
        usleep(UInt32(Self.pause * 1e6))
        guard write(near, &byte, 1) == 1, read(near, &byte, 1) == 1 else { return }
        note()
      }
    }
  }

  private static func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
    let thread = Thread(block: body)
    thread.name = name
    thread.start()
  }

  private func note() {
    state.withLock { state in
      let now = secondsNow()
      let seconds = now - state.began - Self.pause
      state.began = now
      guard seconds > Self.usual else { return }
      state.late.append((now, seconds))
      if state.late.count > Self.keptMax { state.late.removeFirst(Self.keptMax / 2) }
    }
  }

  /// By how much it was late in the last so many seconds, all together.
  func late(within seconds: Double) -> Double {
    let now = secondsNow()
    return state.withLock { state in
      let open = now - state.began - Self.pause
      let past = state.late.reversed().prefix { $0.at >= now - seconds }
      return past.reduce(open > Self.usual ? min(open, seconds) : 0) {
        $0 + min($1.seconds, seconds)
      }
    }
  }

  /// What of these seconds, which have just passed, the relay has to answer for.
  func own(_ seconds: Double) -> Double { max(0, seconds - late(within: seconds)) }
}
