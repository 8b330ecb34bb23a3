import Synchronization
import Timeshift
import Wire

/// Limits clips: all clips of an address together get a multiple of playing speed; the first minute is free.
///
/// The addresses of a /48 share what a few of them would have. Asked once a piece of 64 KiB, never for streams.
final class ClipPace: Sendable {
  /// Media time that is not paced: what a player wants to begin with, and what is gone before a limit is noticed.
  static let headStart = MediaTime(seconds: 60)
  private static let customersMax = 8192

  private struct State {
    /// Times real time; 0 for as fast as clips are taken.
    var speed = 0.0
    /// When each address has had its time for all that it was sent, monotonic nanoseconds.
    var paidAt: [AddressBlock: Int64] = [:]

    var headNanoseconds: Int64 { Int64(nanosecondsIn: headStart.seconds / speed) }
  }

  private let state = Mutex(State())

  func set(speed: Double) { state.withLock { $0.speed = speed } }

  /// Returns from when on more may be sent, monotonic nanoseconds.
  func due(_ customer: AddressBlock?) -> Int64 {
    guard let customer else { return .min }
    return state.withLock { state in
      guard state.speed > 0 else { return .min }
      let paidAt = customer.withSite.compactMap { state.paidAt[$0] }.max()
      return paidAt.map { $0 - state.headNanoseconds } ?? .min
    }
  }

  func sent(_ length: MediaTime, to customer: AddressBlock?, now: Int64) {
    guard let customer else { return }
    state.withLock { state in
      guard state.speed > 0 else { return }
      if state.paidAt.count >= Self.customersMax {
        state.paidAt = state.paidAt.filter { $0.value > now }
        // With so many at once, only the addresses that were sent most stay held back.
        if state.paidAt.count >= Self.customersMax / 2 {
          let middle = state.paidAt.values.sorted()[state.paidAt.count / 2]
          state.paidAt = state.paidAt.filter { $0.value > middle }
        }
      }
      for (key, share) in customer.withSite(share: AddressPlaces.siteFactor) {
        let price = Int64(nanosecondsIn: length.seconds / state.speed / Double(share))
        state.paidAt[key] = max(state.paidAt[key] ?? now, now).saturatingAdd(price)
      }
    }
  }
}
