/// A station as somebody wrote it down: in the file, by command, or through the API.
///
/// What is nil here comes from the configuration's defaults, or from what the upstream announces.
public struct StationDefinition: Hashable, Sendable {
  public var id: String
  public var name: String?
  public var description: String?
  public var genre: String?
  public var homepage: String?
  public var artwork: String?
  /// At least one; later ones are fallbacks.
  public var upstream: [String]
  /// Whether stream directories may list it: `icy-pub`.
  public var isPublic = false
  /// Further exact paths besides `/ID`, each with its slash.
  public var mounts: [String] = []

  /// Seconds of past; nil: `timeshift.window`.
  public var window: Double?
  public var burst: Double?
  public var behind: BehindPolicy?
  public var lagMax: Double?
  public var pauseTimeout: Double?
  public var metaint: Int?
  public var userAgent: String?

  public init(id: String, name: String? = nil, upstream: [String]) {
    self.id = id
    self.name = name
    self.upstream = upstream
  }
}

extension StationDefinition {
  /// The paths that lead to its stream.
  public var paths: [String] { ["/" + id] + mounts }

  /// How its listeners are served: the defaults with what the station says itself.
  public func listenerSettings(_ defaults: ListenerSection) -> ListenerSection {
    var settings = defaults
    settings.burst = burst ?? defaults.burst
    settings.behind = behind ?? defaults.behind
    settings.lagMax = lagMax ?? defaults.lagMax
    settings.pauseTimeout = pauseTimeout ?? defaults.pauseTimeout
    settings.metaint = metaint ?? defaults.metaint
    return settings
  }
}
