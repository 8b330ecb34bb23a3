import Reactor
import Synchronization

/// How many places each address has, in the whole process. Asked once a request, never on the hot path.
final class AddressPlaces: Sendable {
  private struct State {
    var max = 0
    var places: [String: Int] = [:]
  }

  private let state = Mutex(State())

  /// 0: as many as they like.
  func setMax(_ max: Int) { state.withLock { $0.max = max } }

  /// Takes a place; false when the address has all it may have.
  func take(_ host: String) -> Bool {
    state.withLock { state in
      let taken = state.places[host, default: 0]
      if state.max > 0, taken >= state.max { return false }
      state.places[host] = taken + 1
      return true
    }
  }

  func release(_ host: String) {
    state.withLock { state in
      guard let taken = state.places[host] else { return }
      state.places[host] = taken > 1 ? taken - 1 : nil
    }
  }
}
