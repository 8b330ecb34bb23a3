import Synchronization

/// A write that is waited for: its disk's thread claims it, or its caller gives it up, whichever comes first.
final class StoreTicket<Value: Sendable>: Sendable {
  private enum State {
    case waited
    case claimed
    case givenUp
    case ended(StationStore.Outcome<Value>)
  }

  private let state = Mutex(State.waited)

  var isGivenUp: Bool {
    state.withLock { if case .givenUp = $0 { true } else { false } }
  }

  /// False when the caller has given the write up.
  func claim() -> Bool { leave(for: .claimed) }

  /// False when the write was claimed or has ended.
  func giveUp() -> Bool { leave(for: .givenUp) }

  private func leave(for next: State) -> Bool {
    state.withLock { state in
      guard case .waited = state else { return false }
      state = next
      return true
    }
  }

  /// Sets the outcome, unless the caller has given the write up.
  func end(_ outcome: StationStore.Outcome<Value>) {
    state.withLock { state in
      if case .givenUp = state { return }
      state = .ended(outcome)
    }
  }

  var outcome: StationStore.Outcome<Value>? {
    state.withLock { if case .ended(let outcome) = $0 { outcome } else { nil } }
  }
}
