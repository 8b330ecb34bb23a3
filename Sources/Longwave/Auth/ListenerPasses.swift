import Server
import Synchronization
import Timeshift

/// Tokens that stand for a listener's name and password in addresses, which an audio element's request cannot carry
/// otherwise. What one stands for is checked at each use, as if it had been sent itself; so no log has the password.
package final class ListenerPasses: Sendable {
  private struct Pass {
    let credentials: BasicCredentials
    /// Nil of the administration's own socket.
    let address: AddressBlock?
    /// `seconds` after its last use.
    var end: MonotonicTime
  }

  private struct State {
    var passes: [String: Pass] = [:]
    var tokens: [BasicCredentials: String] = [:]

    /// Ends the one of those that was used least lately.
    mutating func endOldest(where isOne: (Pass) -> Bool) {
      let those = passes.filter { isOne($0.value) }
      guard let (token, pass) = those.min(by: { $0.value.end < $1.value.end }) else { return }
      passes[token] = nil
      tokens[pass.credentials] = nil
    }
  }

  /// 30 days since the last use.
  package static let seconds = 2_592_000.0
  /// Passes at once, of a few hundred bytes each. Of more, those that were used least lately end.
  static let (countMax, addressMax) = (4096, 64)

  private let state = Mutex(State())
  private let now: @Sendable () -> MonotonicTime

  init(now: @escaping @Sendable () -> MonotonicTime = { .now() }) { self.now = now }

  /// Returns the pass of what opens a station, a new one if there is none: 128 random bits as hexadecimal digits.
  ///
  /// Costs a look at all passes; who asks has shown a password.
  package func make(for credentials: BasicCredentials, by origin: Peer) -> String {
    let (address, end) = (AddressBlock(origin)?.siteOrSelf, now().adding(Self.seconds))
    return state.withLock { state in
      if let token = state.tokens[credentials] {
        state.passes[token]?.end = end
        return token
      }
      let own = state.passes.values.count { $0.address == address }
      if own >= Self.addressMax { state.endOldest { $0.address == address } }
      if state.passes.count >= Self.countMax { state.endOldest { _ in true } }
      let token = SecretText.make()
      state.passes[token] = Pass(credentials: credentials, address: address, end: end)
      state.tokens[credentials] = token
      return token
    }
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
