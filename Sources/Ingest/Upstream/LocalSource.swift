import Timeshift
import Wire

/// Finds a file's packets and titles, and feeds them to a log, repeatedly.
///
/// The owner reads the file and passes it piece by piece while the feed accepts more; nothing here blocks.
package final class LocalSource {
  private let feed: Feed
  private let titles = TitleReader(UpstreamSettings(urls: []))
  private var pipeline: Pipeline
  private var formats = FormatWatch()
  /// The headers of the file's Ogg stream; nil for other files.
  private var arriving: OggHeaders?
  /// The log's one Ogg stream, which goes on when the file begins again.
  private var link: OggLink?
  /// Packets since the file began.
  private var packets = 0

  package init(_ feed: Feed) {
    self.feed = feed
    pipeline = Pipeline(metaint: nil, hint: nil, titles: titles)
  }

  /// Reads a piece of a file.
  package func read(_ piece: [UInt8], at now: Moment) {
    let span = piece.span
    append(pipeline.feed(span), at: now)
  }

  /// Notes the file's end; the next piece is its beginning.
  ///
  /// - Returns: false if there was no audio in it.
  package func fileEnded(at now: Moment) -> Bool {
    append(pipeline.finish(), at: now)
    pipeline = Pipeline(metaint: nil, hint: nil, titles: titles)
    arriving = nil
    formats.begin()
    defer { packets = 0 }
    // The first packets do not fit the bit reservoir that the last ones leave.
    if packets > 0 { feed.markGap(seconds: 0, cause: .upstreamJumped) }
    return packets > 0
  }

  private func append(_ arrivals: Arrivals, at now: Moment) {
    for item in arrivals.items {
      switch item {
      case .title(let title): feed.markTitle(title)
      case .headers(let headers):
        arriving = headers
        formats.linkBegins(at: now.monotonic)
      case .packet(let packet):
        append(packet, arrivals.bytes.span.extracting(packet.range), at: now)
      case .lost(let seconds): feed.markGap(seconds: seconds, cause: .upstreamJumped)
      }
    }
    feed.publish(at: now)
  }

  private func append(_ packet: PacketScanner.Packet, _ bytes: Span<UInt8>, at now: Moment) {
    packets += 1
    guard formats.admits(packet.format, arriving, at: now.monotonic) else { return }
    guard let headers = arriving else {
      link = nil
      return feed.append(bytes, samples: packet.samples, format: packet.format, at: now)
    }
    if link?.headers.continues(with: headers) != true {
      let new = OggLink(headers)
      feed.markHeaders(new.pages)
      link = new
    }
    var page = bytes.withUnsafeBufferPointer { Array($0) }
    link?.place(&page, granules: packet.granules, packet.trim)
    feed.append(page.span, samples: packet.heard, format: headers.format, at: now)
  }
}

/// Finds the format of audio by its bytes.
public struct FormatProbe {
  private var pipeline: Pipeline

  public init() {
    pipeline = Pipeline(
      metaint: nil, hint: nil, titles: TitleReader(UpstreamSettings(urls: [])))
  }

  /// The format of the first packet, as soon as it is whole. Tags before it may be long.
  public mutating func read(_ piece: [UInt8]) -> AudioFormat? {
    let span = piece.span
    return Self.format(of: pipeline.feed(span))
  }

  public mutating func finish() -> AudioFormat? { Self.format(of: pipeline.finish()) }

  private static func format(of arrivals: Arrivals) -> AudioFormat? {
    for case .packet(let packet) in arrivals.items { return packet.format }
    return nil
  }
}
