import Wire

/// A listener's session, as its loop sees it.
final class SessionLink {
  let token: SessionToken
  /// Record of the session before this connection: a probe leaves the session there.
  let before: SessionRecord?
  /// Whether the token counts as a guess as long as the listener has not stayed.
  var isGuess: Bool
  /// Whether the listener was moved in time; then it is no probe.
  var isSteered = false
  /// Position of the title mark that was told last.
  var titleHeard: UInt64 = .max
  /// Serial of the time of being watched in which that title was told.
  var followSerial: UInt64 = 0

  init(_ token: SessionToken, before: SessionRecord?, isGuess: Bool) {
    self.token = token
    self.before = before
    self.isGuess = isGuess
  }
}
