import Media

/// A file that is there, and what of it is to be sent.
struct FoundFile: Sendable {
  var file: MediaFile
  /// Keeps the file counted for its listener.
  var hearing: OpenFiles.Hearing
  var facts: MediaFacts
  /// Index of the file; nil when its packets have not been counted yet.
  var index: MediaIndex?
  var request: FileRequest
  /// Frames to be sent, where times are asked for.
  var region: MediaRegion?
  /// Pages to be sent, where times are asked for in Ogg.
  var pages: MediaPages?
  /// The order for the file; nil for a file of a station.
  var order: FileOrder?
  /// Bytes that may be sent; nil for all.
  var bytesMax: UInt64?

  enum Answer: Sendable {
    case found(FoundFile)
    case missing(String)
    case isFolder
    /// The disk does not give the file.
    case unavailable(String)
    /// A limit is reached: by all together, or by this address.
    case busy(String), tooMany(String)
    case refused(field: String, String)
  }
}
