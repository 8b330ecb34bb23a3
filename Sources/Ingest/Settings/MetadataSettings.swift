import Wire

/// The settings of a page that tells what a station is playing; asked repeatedly while the station is pulled. Times are
/// in seconds.
public struct MetadataSettings: Hashable, Sendable {
  /// The URL as configured: of a page, or of a server whose page of titles is known.
  public var url: String
  public var page = TitlePage()
  public var interval = 10.0
  /// The time-out for a whole answer.
  public var timeout = 5.0
  /// The page's charset if it is not UTF-8. Nil: as the page declares, otherwise that of the station's titles.
  public var charset: CharsetName?
  /// Whether the upstream's own titles are ignored as long as the page answers.
  public var isInstead = true

  public init(url: String) {
    self.url = url
  }
}

/// A copy of how the requests to the page go.
public struct MetadataStatus: Hashable, Sendable {
  /// The page, without user and password.
  public var url: String
  /// Answers since the station has these settings.
  public var answers = 0
  public var failures = 0
  /// Why the last request failed; nil if it did not.
  public var trouble: String?

  public init(url: String) {
    self.url = url
  }
}

/// Why a page gives no titles.
public enum MetadataTrouble: Hashable, Sendable {
  case status(Int)
  case timeout
  /// The page arrived, but has nothing intelligible.
  case unreadable(reason: String)
  case failed(reason: String)

  public var reason: String {
    switch self {
    case .status(let status): "the page answered \(status)"
    case .timeout: "no answer in time"
    case .unreadable(let reason), .failed(let reason): reason
    }
  }
}
