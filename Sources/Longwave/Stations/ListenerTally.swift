import Server
import Synchronization

/// The highest number of listeners at once, those of HLS among them, and how long ended listeners had listened, over all
/// stations.
final class ListenerTally: Sendable {
  private struct State {
    var now = 0 { didSet { rise() } }
    var hls = 0 { didSet { rise() } }
    var peak = 0
    var sessions = Histogram(bounds: RelayFigures.sessionBounds)

    private mutating func rise() { peak = max(peak, now + hls) }
  }

  private let state = Mutex(State())

  var peak: Int { state.withLock(\.peak) }
  var sessions: Histogram { state.withLock(\.sessions) }

  /// Notes how many listen by HLS: they make no events.
  func note(hls: Int) { state.withLock { $0.hls = hls } }

  func count(_ events: [ListenerEvent]) {
    state.withLock { state in
      for event in events {
        switch event.change {
        case .connected: state.now += 1
        case .disconnected:
          state.now -= 1
          state.sessions.add(event.seconds)
        case .skipped, .exhausted, .fileComplete: break
        }
      }
    }
  }
}
