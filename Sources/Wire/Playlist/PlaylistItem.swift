/// One stream of a list as written, before its address is checked.
public struct PlaylistItem: Hashable, Sendable {
  /// The stream's addresses, the best first; relative ones, other schemes and plain nonsense are possible.
  var places: [[UInt8]] = []
  public var title: String?
  /// The length in seconds; nil or negative when endless or unknown.
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

  /// Returns the stream's usable addresses: absolute URLs, `http` or `https`, all in ASCII.
  ///
  /// - Parameter base: The list's URL. If it is empty, relative addresses are dropped.
  public func urls(base: String = "") -> [String] { entries(base: base).map(\.url) }

  /// The first address, for messages; nil without one.
  public var place: String? { places.first.map { Charset.decode($0) } }

  /// Returns the stream's usable addresses as `urls` does, with what the list says of each.
  public func entries(base: String) -> [PlaylistEntry] { entries(base: URLReference(base)) }

  func entries(base: URLReference) -> [PlaylistEntry] {
    places.compactMap { place in
      var entry = PlaylistEntry(line: place[...], base: base)
      entry?.title = title
      entry?.seconds = seconds
      return entry
    }
  }
}
