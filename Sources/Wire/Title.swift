/// What is playing, as the stream announces it.
public struct Title: Hashable, Sendable {
  /// The text being shown, "Artist – Song"; ICY's `StreamTitle`.
  public var text: String
  /// ICY's `StreamUrl`: a link or artwork; empty when not announced.
  public var url: String

  public init(text: String, url: String = "") {
    self.text = text
    self.url = url
  }
}
