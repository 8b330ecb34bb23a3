import Synchronization

/// How many clips each address is sent at once, in the whole process.
final class ClipPlaces: Sendable {
  private struct State {
    var max = 0
    var places: [Customer: Int] = [:]
  }

  private let state = Mutex(State())

  /// 0: as many as they like.
  func setMax(_ max: Int) { state.withLock { $0.max = max } }

  /// Takes a place; false when the address has all it may have.
  func take(_ customer: Customer?) -> Bool {
    guard let customer else { return true }
    return state.withLock { state in
      let taken = state.places[customer, default: 0]
      if state.max > 0, taken >= state.max { return false }
      state.places[customer] = taken + 1
      return true
    }
  }

  func release(_ customer: Customer?) {
    guard let customer else { return }
    state.withLock { state in
      let left = state.places[customer, default: 1] - 1
      state.places[customer] = left > 0 ? left : nil
    }
  }
}
