import Timeshift
import Wire

/// The header pages that newcomers get, of one mount and loop: made once per link and title.
final class OggStarts {
  private struct Key: Hashable {
    var link: UInt64
    var title: UInt64
  }

  /// How many are held; joins at more places than this make them anew.
  private static let countMax = 64

  private var made: [Key: [UInt8]] = [:]

  /// What goes in front of the packets at `position`, in the log's own stream; empty for a codec that needs nothing.
  func pages(at position: UInt64, in reader: LogReader) -> [UInt8] {
    let key = Key(
      link: reader.formatPosition(at: position), title: reader.titlePosition(at: position))
    if let pages = made[key] { return pages }
    guard let (headers, serial) = Self.headers(at: position, in: reader) else { return [] }
    let pages = headers.pages(serial: serial)
    if made.count == Self.countMax { made.removeAll() }
    made[key] = pages
    return pages
  }

  /// The stream headers at `position`, whose comments say what is playing there.
  static func headers(at position: UInt64, in reader: LogReader) -> (OggHeaders, serial: UInt32)? {
    let pages = reader.headers(at: position)
    guard let found = OggHeaders.read(pages: pages.span) else { return nil }
    var headers = found.headers
    let title = reader.titleMark(at: position)?.title
    if let title, headers.comments.title?.text != title.text {
      headers.comments = VorbisComments(title)
    }
    return (headers, found.serial)
  }
}
