import Synchronization

/// How many places each address has, in the whole process: in IPv6, what one customer has is one address. Asked once a
/// request or connection, never on the hot path.
final class AddressPlaces: Sendable {
  private struct State {
    var max = 0
    var places: [AddressBlock: Int] = [:]
  }

  private let state = Mutex(State())

  /// 0: as many as they like.
  func setMax(_ max: Int) { state.withLock { $0.max = max } }

  /// Takes a place; false when the address has all it may have. The administration's own socket has as many as it likes.
  func take(_ block: AddressBlock?) -> Bool {
    guard let block else { return true }
    return state.withLock { state in
      let taken = state.places[block, default: 0]
      if state.max > 0, taken >= state.max { return false }
      state.places[block] = taken + 1
      return true
    }
  }

  func release(_ block: AddressBlock?) {
    guard let block else { return }
    state.withLock { state in
      guard let taken = state.places[block] else { return }
      state.places[block] = taken > 1 ? taken - 1 : nil
    }
  }
}
