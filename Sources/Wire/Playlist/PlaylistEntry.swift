/// One stream or file of a playlist.
public struct PlaylistEntry: Hashable, Sendable {
  /// The absolute URL, `http` or `https`, all in ASCII.
  public var url: String
  public var title: String?
  /// The length in seconds; nil or negative when endless or unknown.
  public var seconds: Double?
  /// Header lines, `Name: value`, that the list wants sent to the URL's server.
  public var headers: [String] = []

  public init(url: String, title: String? = nil, seconds: Double? = nil) {
    self.url = url
    self.title = title
    self.seconds = seconds
  }
}
