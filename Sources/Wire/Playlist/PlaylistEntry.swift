/// One stream or file of a playlist.
public struct PlaylistEntry: Hashable, Sendable {
  /// Absolute, `http` or `https`, all in ASCII.
  public var url: String
  public var title: String?
  /// Its length; nil or negative: endless, or not known.
  public var seconds: Double?

  public init(url: String, title: String? = nil, seconds: Double? = nil) {
    self.url = url
    self.title = title
    self.seconds = seconds
  }
}
