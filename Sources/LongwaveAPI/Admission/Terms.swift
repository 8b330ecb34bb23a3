/// The conditions that requests for an operation must meet.
struct Terms: Hashable, Sendable {
  /// The requesters that an operation admits, and what proves them.
  enum Audience: Hashable, Sendable {
    case everybody
    /// Everybody; administrators get more.
    case everybodyInPart
    /// Clients that know the secret in the path. No browser sends it on its own, so web players of any site may ask.
    case tokenHolders
    case administrators
    /// Administrators, and sources for their own station.
    ///
    /// - Parameter passInQuery: Whether the password may be the query's `pass`, as in SHOUTcast's scripts.
    case announcers(passInQuery: Bool)
    /// Administrators, and a source for its own mount, which the query must name.
    case owners

    var needsPassword: Bool {
      switch self {
      case .everybody, .everybodyInPart, .tokenHolders: false
      case .administrators, .announcers, .owners: true
      }
    }
  }

  let audience: Audience
  /// Whether a request changes anything.
  let hasEffect: Bool
  /// Whether the parameters may come as a form instead of JSON, as Icecast's and SHOUTcast's do.
  let takesForm: Bool
  /// Whether the body is a list of files instead of JSON.
  var takesList = false
  /// Whether the work ends when its client goes: it changes nothing, and takes long.
  var endsWithClient = false

  /// Whether pages of other sites are refused; a secret in the path is protection enough.
  var isGuarded: Bool { hasEffect && audience != .tokenHolders }

  var requiresJSON: Bool { isGuarded && !takesForm && !takesList }
}
