import Synchronization
import Timeshift

/// Tokens that stand for a listener's name and password in addresses, which an audio element's request cannot carry
/// otherwise. What one stands for is checked at each use, as if it had been sent itself; so no log has the password.
package final class ListenerPasses: Sendable {
  private struct Pass {
    let credentials: BasicCredentials
    var end: MonotonicTime
  }

  private struct State {
    var passes: [String: Pass] = [:]
    /// Tokens in the order in which they were made.
    var order: [String] = []
  }

  /// 30 days since the last use.
  package static let seconds = 2_592_000.0
  /// Passes at once; of more, the oldest end. A few hundred bytes each.
  private static let countMax = 4096

  private let state = Mutex(State())
  private let now: @Sendable () -> MonotonicTime

  init(now: @escaping @Sendable () -> MonotonicTime = { .now() }) { self.now = now }

  /// Makes a pass: 128 random bits as hexadecimal digits.
  package func make(for credentials: BasicCredentials) -> String {
    let token = DashboardCodes.randomText()
    let end = now().adding(Self.seconds)
    state.withLock { state in
      state.passes[token] = Pass(credentials: credentials, end: end)
      state.order.append(token)
      for old in state.order.prefix(max(0, state.order.count - Self.countMax)) {
        state.passes[old] = nil
      }
      state.order.removeFirst(max(0, state.order.count - Self.countMax))
    }
    return token
  }

  /// Returns what a token stands for; nil where it is none, or over.
  func credentials(of token: String) -> BasicCredentials? {
    let now = now()
    return state.withLock { state in
      guard let pass = state.passes[token], pass.end > now else { return nil }
      state.passes[token]?.end = now.adding(Self.seconds)
      return pass.credentials
    }
  }
}
