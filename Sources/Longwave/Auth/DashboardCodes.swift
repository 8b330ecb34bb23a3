import Synchronization
import Timeshift

/// Codes that stand for the admin token in links of the dashboard: a code is good once, and for a minute. So no command
/// line, history or log that a link comes into has the token.
package final class DashboardCodes: Sendable {
  private struct Code {
    let text: String
    let token: String
    let end: MonotonicTime
  }

  package static let seconds = 60.0
  /// Codes that are good at once; of more, the oldest end.
  private static let countMax = 16

  private let codes = Mutex<[Code]>([])
  private let now: @Sendable () -> MonotonicTime

  init(now: @escaping @Sendable () -> MonotonicTime = { .now() }) { self.now = now }

  /// Makes a code for the admin token.
  package func make(for token: String) -> String {
    let text = SecretText.make()
    let end = now().adding(Self.seconds)
    codes.withLock { codes in
      codes.append(Code(text: text, token: token, end: end))
      codes.removeFirst(max(0, codes.count - Self.countMax))
    }
    return text
  }

  /// Whether a code stands for the admin token, which it does once.
  package func redeem(_ text: String, for token: String) -> Bool {
    let (given, now) = (Array(text.utf8), now())
    return codes.withLock { codes in
      codes.removeAll { $0.end <= now }
      // All codes are compared, so that the time tells nothing.
      let taken = codes.indices.filter { AdminAccess.areEqual(given, codes[$0].text) }
      guard let index = taken.first else { return false }
      return codes.remove(at: index).token == token
    }
  }
}
