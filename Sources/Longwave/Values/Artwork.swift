import Ingest

/// A picture of a station or title.
public struct Artwork: Hashable, Sendable {
  /// Where it was fetched.
  public var url: String
  /// Whether it belongs to the title that was asked for, which keeps it.
  public var isOfTitle: Bool
  /// PNG, JPEG, GIF, WebP or AVIF, by its bytes.
  public var mediaType: String
  /// At most 2 MiB.
  public var bytes: [UInt8]

  init(url: String, isOfTitle: Bool, picture: FetchedPicture) {
    self.url = url
    self.isOfTitle = isOfTitle
    mediaType = picture.mediaType
    bytes = picture.bytes
  }
}
