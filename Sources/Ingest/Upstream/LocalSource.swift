import Timeshift
import Wire

/// Finds the packets of files, one file after the other, and feeds them to a log.
///
/// The owner reads the files and passes them piece by piece while the feed accepts more; nothing here blocks.
package final class LocalSource {
  private let feed: Feed
  private let titles = TitleReader(UpstreamSettings(urls: []))
  /// Whether the files' own titles are those of the log.
  private let readsTitles: Bool
  private var pipeline: Pipeline
  private var formats = FormatWatch()
  /// The headers of the file's Ogg stream; nil for other files.
  private var arriving: OggHeaders?
  /// The log's one Ogg stream, which goes on when another file begins.
  private var link: OggLink?
  /// Packets of the file that were read, and that were fed.
  private var packets = (read: 0, fed: 0)
  /// Samples of the file that were read.
  private var samples: UInt64 = 0
  /// Samples of the file that were heard before; their packets are left out.
  private var heard: UInt64 = 0
  /// The only format that is fed; nil: any.
  package var format: AudioFormat?
  /// Format of a packet of this file that was left out, since it is not `format`; nil while there was none.
  package private(set) var strange: AudioFormat?

  package init(_ feed: Feed, readsTitles: Bool = true) {
    self.feed = feed
    self.readsTitles = readsTitles
    pipeline = Self.pipeline(titles, readsTitles: readsTitles)
  }

  private static func pipeline(_ titles: TitleReader, readsTitles: Bool) -> Pipeline {
    Pipeline(metaint: nil, hint: nil, titles: titles, seeksBlocks: readsTitles)
  }

  /// Begins a file at its first packet, or behind those of so many samples that were heard before.
  package func begin(behind heard: UInt64 = 0) {
    pipeline = Self.pipeline(titles, readsTitles: readsTitles)
    (arriving, strange) = (nil, nil)
    (packets, samples, self.heard) = ((0, 0), 0, heard)
    formats.begin()
  }

  /// Reads a piece of a file.
  package func read(_ piece: [UInt8], at now: Moment) {
    let span = piece.span
    append(pipeline.feed(span), at: now)
  }

  /// Notes the file's end; the next piece is the beginning of a file.
  ///
  /// - Returns: false if there was no audio in it.
  package func fileEnded(at now: Moment) -> Bool {
    append(pipeline.finish(), at: now)
    return cut()
  }

  /// Leaves the file where it is; the next piece is the beginning of a file.
  ///
  /// - Returns: false if no audio was in what was read.
  @discardableResult
  package func cut() -> Bool {
    // The first packets do not fit the bit reservoir that the last ones leave.
    if packets.fed > 0 { feed.markGap(seconds: 0, cause: .upstreamJumped) }
    defer { begin() }
    return packets.read > 0
  }

  private func append(_ arrivals: Arrivals, at now: Moment) {
    for item in arrivals.items {
      switch item {
      case .title(let title): if readsTitles { feed.markTitle(title) }
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
    packets.read += 1
    let end = samples.saturatingAdd(UInt64(max(0, packet.heard)))
    defer { samples = end }
    // Half a packet is what rounding of times may cost.
    if end <= heard.saturatingAdd(UInt64(max(0, packet.heard) / 2)) { return }
    if let format, packet.format != format {
      strange = packet.format
      return
    }
    guard formats.admits(packet.format, arriving, at: now.monotonic) else { return }
    guard let headers = arriving else {
      link = nil
      packets.fed += 1
      return feed.append(bytes, samples: packet.samples, format: packet.format, at: now)
    }
    if link?.headers.continues(with: headers) != true {
      let new = OggLink(headers)
      feed.markHeaders(new.pages)
      link = new
    }
    var page = bytes.withUnsafeBufferPointer { Array($0) }
    link?.place(&page, granules: packet.granules, packet.trim)
    packets.fed += 1
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
