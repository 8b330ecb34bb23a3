import Timeshift
import Wire

/// What streams in Ogg begin with, of one mount and loop: read once per link and title.
final class OggStarts {
  struct Start {
    /// Their comments say what is playing there.
    var headers: OggHeaders
    /// Of the log's own stream.
    var serial: UInt32
    /// The header pages in that stream.
    var pages: [UInt8]
  }

  private struct Key: Hashable {
    var link: UInt64
    var title: UInt64
  }

  /// How many are held; joins at more places than this make them anew.
  private static let countMax = 64

  private var known: [Key: Start] = [:]

  /// What goes in front of the packets at `position`; nil for a codec that needs nothing.
  func start(at position: UInt64, in reader: LogReader) -> Start? {
    let key = Key(
      link: reader.formatPosition(at: position), title: reader.titlePosition(at: position))
    if let start = known[key] { return start }
    guard let start = Self.read(at: position, in: reader) else { return nil }
    if known.count == Self.countMax { known.removeAll() }
    known[key] = start
    return start
  }

  private static func read(at position: UInt64, in reader: LogReader) -> Start? {
    let pages = reader.headers(at: position)
    guard let found = OggHeaders.read(pages: pages.span) else { return nil }
    var headers = found.headers
    let title = reader.titleMark(at: position)?.title
    if let title, headers.comments.title?.text != title.text {
      headers.comments = VorbisComments(title)
    }
    return Start(
      headers: headers, serial: found.serial, pages: headers.pages(serial: found.serial))
  }
}
