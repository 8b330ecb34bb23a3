import Logging
import Server

/// Wrong secrets by what they were to open, each counted apart: who has lost one locks nobody out of the rest.
struct GuessLimits: Sendable {
  /// The admin token.
  let admin: GuessLimit
  /// The admin token, sent by pages of other sites through the browser of somebody who does not guess.
  let foreign: GuessLimit
  /// Passwords of sources, and of those who say what sources play.
  let sources: GuessLimit
  /// The admin token where sources say what they play: what is counted there leaves `admin` alone, and whoever knows a
  /// source's password has no more tries at the token than others.
  let announced: GuessLimit
  /// Passwords and tokens of listeners.
  let listeners: GuessLimit
  /// Tokens of sessions, which clients may ask for before they connect.
  let sessions: GuessLimit
  /// The same, of those who come to listen by one that nobody has.
  let joins: GuessLimit

  init(logger: Logger) {
    admin = .told("admin tokens", logger)
    // An encoder that is connected says what it plays by further connections.
    sources = .told("passwords of sources", knownFactor: 10, logger)
    announced = GuessLimit()
    foreign = .told("admin tokens by pages of other sites", logger)
    listeners = .told("passwords or tokens of listeners", logger)
    sessions = .told("tokens of sessions", max: GuessLimit.tokensMax, logger)
    joins = .told("tokens of sessions to listen by", max: GuessLimit.tokensMax, logger)
  }

  /// Since the start; tokens of sessions are no passwords.
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

  static let refusalText =
    "Too many wrong guesses have come from your address; wait 10 seconds without one."

  static var refusal: APIError {
    var error = APIError(429, "too-many-guesses", refusalText)
    error.headers["Retry-After"] = "60"
    return error
  }
}
