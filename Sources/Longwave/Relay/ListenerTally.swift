import Server
import Synchronization

/// How many listened at once at most, over all stations.
final class ListenerTally: Sendable {
  private let state = Mutex((now: 0, peak: 0))

  var peak: Int { state.withLock(\.peak) }

  func count(_ events: [ListenerEvent]) {
    state.withLock { state in
      for event in events {
        switch event.change {
        case .connected: state.now += 1
        case .disconnected: state.now -= 1
        case .skipped: break
        }
        state.peak = max(state.peak, state.now)
      }
    }
  }
}
