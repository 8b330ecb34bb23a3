import Logging
import Server

/// Limits on wrong secrets, counted apart for each purpose: wrong secrets for one purpose block no other purpose.
package struct GuessLimits: Sendable {
  /// The admin token.
  package let admin: GuessLimit
  /// The admin token, sent by pages of other sites through the browser of a user who does not guess.
  package let foreign: GuessLimit
  /// Passwords of sources, also with requests that set a source's title.
  package let sources: GuessLimit
  /// Guesses at the admin token through title announcements, counted apart from `admin`. Knowing a source's password
  /// gives no further tries at the token.
  package let announced: GuessLimit
  /// Passwords and tokens of listeners.
  package let listeners: GuessLimit
  /// Tokens of sessions, which clients may ask for before they connect.
  package let sessions: GuessLimit
  /// Unknown session tokens of clients that connect to listen by one.
  package let joins: GuessLimit

  init(now: @escaping GuessLimit.Clock = GuessLimit.clock, logger: Logger) {
    func told(
      _ what: String, max: Int = GuessLimit.wrongMax, knownFactor: Int = 1
    ) -> GuessLimit {
      GuessLimit(wrongMax: max, knownFactor: knownFactor, now: now) { origin, count in
        logger.warning(
          "\(origin.host) has sent \(count) wrong \(what); its guesses are refused for a while")
      }
    }
    admin = told("admin tokens")
    // A connected encoder sends its titles by further connections.
    sources = told("passwords of sources", knownFactor: 10)
    announced = GuessLimit(now: now)
    foreign = told("admin tokens by pages of other sites")
    listeners = told("passwords or tokens of listeners")
    sessions = told("tokens of sessions", max: GuessLimit.tokensMax)
    joins = told("tokens of sessions to listen by", max: GuessLimit.tokensMax)
  }

  /// Wrong passwords since the start; session tokens are no passwords.
  var wrongPasswords: UInt64 {
    [admin, foreign, sources, listeners].reduce(0) { $0 + $1.wrongPasswords }
  }
}

extension GuessLimit {
  package static let refusalText =
    "Too many wrong guesses have come from your address; wait 10 seconds without one."
}
