import Synchronization
import Timeshift
import Wire

/// How fast clips go out: to each address so many times as fast as they play, all of its clips together, after a first
/// minute that goes as fast as it is taken. Asked once a piece of 64 KiB, never for streams.
final class ClipPace: Sendable {
  /// Of media time: what a player wants to begin with, and what is gone before a limit is noticed.
  static let headStart = MediaTime(seconds: 60)
  private static let customersMax = 8192

  private struct State {
    /// Times real time; 0: as fast as it is taken.
    var speed = 0.0
    /// When each has had its time for all it was sent, monotonic nanoseconds.
    var paidAt: [AddressBlock: Int64] = [:]

    var headNanoseconds: Int64 { Int64(nanosecondsIn: headStart.seconds / speed) }
  }

  private let state = Mutex(State())

  func set(speed: Double) { state.withLock { $0.speed = speed } }

  /// From when on more may be sent, monotonic nanoseconds.
  func due(_ customer: AddressBlock?) -> Int64 {
    guard let customer else { return .min }
    return state.withLock { state in
      guard state.speed > 0, let paidAt = state.paidAt[customer] else { return .min }
      return paidAt - state.headNanoseconds
    }
  }

  func sent(_ length: MediaTime, to customer: AddressBlock?, now: Int64) {
    guard let customer else { return }
    state.withLock { state in
      guard state.speed > 0 else { return }
      if state.paidAt.count >= Self.customersMax {
        state.paidAt = state.paidAt.filter { $0.value > now }
        // So many at once are not held back each by itself.
        if state.paidAt.count >= Self.customersMax { state.paidAt.removeAll() }
      }
      let price = Int64(nanosecondsIn: length.seconds / state.speed)
      state.paidAt[customer] = max(state.paidAt[customer] ?? now, now).saturatingAdd(price)
    }
  }
}
