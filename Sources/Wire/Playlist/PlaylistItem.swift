/// One stream of a list as it is written there, before anybody asks where it leads.
public struct PlaylistItem: Hashable, Sendable {
  /// Its addresses, the best first: relative ones, other schemes and plain nonsense too.
  var places: [[UInt8]] = []
  public var title: String?
  /// Its length; nil or negative: endless, or not known.
  public var seconds: Double?
  /// A picture's URL, as written.
  public var artwork: String?
  public var genre: String?
  /// A web page's URL, as written.
  public var homepage: String?
  public var description: String?

  init() {}

  public init(urls: [String], title: String? = nil) {
    places = urls.map { Array($0.utf8) }
    self.title = title
  }

  /// The streams it leads to: absolute URLs, `http` or `https`, all in ASCII.
  ///
  /// - Parameter base: the URL of the list; empty where it has none: then relative addresses lead nowhere.
  public func urls(base: String = "") -> [String] { entries(base: base).map(\.url) }

  /// The first address, for messages.
  public var place: String? { places.first.map { Charset.decode($0) } }

  func entries(base: String) -> [PlaylistEntry] { entries(base: URLReference(base)) }

  func entries(base: URLReference) -> [PlaylistEntry] {
    places.compactMap { place in
      var entry = PlaylistEntry(line: place[...], base: base)
      entry?.title = title
      entry?.seconds = seconds
      return entry
    }
  }
}
