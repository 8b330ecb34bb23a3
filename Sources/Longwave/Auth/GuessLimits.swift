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

  init(logger: Logger) {
    admin = .told("admin tokens", logger)
    // A connected encoder sends its titles by further connections.
    sources = .told("passwords of sources", knownFactor: 10, logger)
    announced = GuessLimit()
    foreign = .told("admin tokens by pages of other sites", logger)
    listeners = .told("passwords or tokens of listeners", logger)
    sessions = .told("tokens of sessions", max: GuessLimit.tokensMax, logger)
    joins = .told("tokens of sessions to listen by", max: GuessLimit.tokensMax, logger)
  }

  /// Wrong passwords since the start; session tokens are no passwords.
  var wrongPasswords: UInt64 {
    [admin, foreign, sources, listeners].reduce(0) { $0 + $1.wrongPasswords }
  }
}

extension GuessLimit {
  fileprivate static func told(
    _ what: String, max: Int = GuessLimit.wrongMax, knownFactor: Int = 1, _ logger: Logger
  ) -> GuessLimit {
    GuessLimit(
      wrongMax: max, knownFactor: knownFactor,
      whenSpent: { origin, count in
        logger.warning(
          "\(origin.host) has sent \(count) wrong \(what); it is not listened to for a while")
      })
  }

  package static let refusalText =
    "Too many wrong guesses have come from your address; wait 10 seconds without one."
}
