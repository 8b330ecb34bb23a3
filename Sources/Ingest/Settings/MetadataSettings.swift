import Wire

/// A page that says what a station is playing, asked again and again while the station is pulled. Times are in
/// seconds.
public struct MetadataSettings: Hashable, Sendable {
  /// As it was written: a page, or a server whose page for this is known.
  public var url: String
  public var page = TitlePage()
  public var interval = 10.0
  /// For all of an answer.
  public var timeout = 5.0
  /// How the page is encoded where it is not UTF-8; nil: as it says itself, else as the station's titles.
  public var charset: CharsetName?
  /// Whether the upstream's own titles are left out as long as the page answers.
  public var isInstead = true

  public init(url: String) {
    self.url = url
  }
}

/// How the asking goes, copied out.
public struct MetadataStatus: Hashable, Sendable {
  /// The page, without user and password.
  public var url: String
  /// Since the station's settings are these.
  public var answers = 0
  public var failures = 0
  /// Why the last one failed; nil when it did not.
  public var trouble: String?

  public init(url: String) {
    self.url = url
  }
}

/// Why a page gives no titles.
public enum MetadataTrouble: Hashable, Sendable {
  case status(Int)
  case timeout
  /// It came, and says nothing that can be understood.
  case unreadable(reason: String)
  case failed(reason: String)

  public var reason: String {
    switch self {
    case .status(let status): "it answered \(status)"
    case .timeout: "no answer in time"
    case .unreadable(let reason), .failed(let reason): reason
    }
  }
}
