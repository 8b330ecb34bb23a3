import Wire

extension LogReader {
  /// The stream headers at `position`, with comments about what plays there, and the serial number of the log's stream.
  ///
  /// Nil for packets that need no headers.
  public func oggHeaders(at position: UInt64) -> (headers: OggHeaders, serial: UInt32)? {
    guard var found = OggHeaders.read(pages: headers(at: position).span) else { return nil }
    if let title = titleMark(at: position)?.title, found.headers.comments.title?.text != title.text
    {
      found.headers.comments = VorbisComments(title)
    }
    return found
  }
}
