import Timeshift
import Wire

/// Beginnings of streams in Ogg, for one mount and loop; each is read once per link and title.
final class OggStarts {
  struct Start {
    /// Headers whose comments say what is playing there.
    var headers: OggHeaders
    /// Serial number of the log's own stream.
    var serial: UInt32
    /// Header pages in the log's own stream.
    var pages: [UInt8]
  }

  private struct Key: Hashable {
    var link: UInt64
    var title: UInt64
  }

  /// Most starts held; joins at more places than this make them anew.
  private static let countMax = 64

  private var known: [Key: Start] = [:]

  /// Returns what goes in front of the packets at `position`; nil for a codec that needs nothing.
  func start(at position: UInt64, in reader: LogReader) -> Start? {
    let key = Key(
      link: reader.formatPosition(at: position), title: reader.titlePosition(at: position))
    if let start = known[key] { return start }
    guard let (headers, serial) = reader.oggHeaders(at: position) else { return nil }
    let start = Start(headers: headers, serial: serial, pages: headers.pages(serial: serial))
    if known.count == Self.countMax { known.removeAll() }
    known[key] = start
    return start
  }
}
