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
  package private(set) var samples: UInt64 = 0
  /// Samples of the file that were heard before; their packets are left out.
  private var heard: UInt64 = 0
  /// What stands in front of the first packet that is fed; nil once that is there.
  fileprivate var opening: Opening?
  /// Steps of `MPEGGain` by which packets of layer III are changed.
  package var steps = 0
  /// The first sample of the file that is not fed any more; nil: all are.
  package var until: UInt64?
  /// Whether that was reached.
  package private(set) var isOver = false
  /// Is called before a packet in front of which the log has fallen behind real time by so many seconds.
  package var whenLate: (Double) -> Void = { _ in }
  /// The only format that is fed; nil: any.
  package var format: AudioFormat?
  /// Format of a packet of this file that was left out, since it is not `format`; nil while there was none.
  package private(set) var strange: AudioFormat?

  /// What stands in front of a file's first packet that is fed.
  fileprivate struct Opening {
    var title: Title?
    /// Whether the log's last packets are not those before it, and a decoder needs some of their bytes.
    var leadsIn: Bool
    /// The last packets that were left out, as many as a lead-in may need.
    var preceding: [[UInt8]] = []
  }

  package init(_ feed: Feed, readsTitles: Bool = true) {
    self.feed = feed
    self.readsTitles = readsTitles
    pipeline = Self.pipeline(titles, readsTitles: readsTitles)
  }

  private static func pipeline(_ titles: TitleReader, readsTitles: Bool) -> Pipeline {
    Pipeline(metaint: nil, hint: nil, titles: titles, seeksBlocks: readsTitles)
  }

  /// Begins a file at its first packet, or behind those of so many samples that were heard before.
  ///
  /// - Parameters:
  ///   - title: stands in front of the first packet that is fed.
  ///   - leadsIn: whether other packets than this file's were heard last: its bit reservoir is not there.
  package func begin(behind heard: UInt64 = 0, title: Title? = nil, leadsIn: Bool = false) {
    pipeline = Self.pipeline(titles, readsTitles: readsTitles)
    formats.begin()
    (arriving, steps) = (nil, 0)
    join()
    self.heard = heard
    opening = title == nil && !leadsIn ? nil : Opening(title: title, leadsIn: leadsIn)
  }

  /// Begins a file whose packets go on where the last file's ended: the next piece begins with a packet.
  package func join() {
    strange = nil
    (packets, samples, heard) = ((0, 0), 0, 0)
    (until, isOver) = (nil, false)
    opening = nil
  }

  /// Feeds frames that bring the next packet, in the middle of its file, what it borrows from those before it.
  ///
  /// - Parameter packet: the bytes of that packet, which are those of a frame where its header does not say.
  package func lead(
    in frames: [UInt8], to packet: Int, _ format: AudioFormat, at now: Moment
  ) {
    var rest = frames[...]
    while let header = MPEGHeader(in: rest.span), rest.count >= header.frameBytes ?? packet {
      let frame = rest.prefix(header.frameBytes ?? packet)
      feed.append(frame.span, samples: header.samples, format: format, at: now)
      rest = rest.dropFirst(frame.count)
    }
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
    if let until, samples >= until {
      isOver = true
      return
    }
    // Half a packet is what rounding of times may cost.
    if end <= heard.saturatingAdd(UInt64(max(0, packet.heard) / 2)) {
      opening?.pass(bytes)
      return
    }
    if let format, packet.format != format {
      strange = packet.format
      return
    }
    guard formats.admits(packet.format, arriving, at: now.monotonic) else { return }
    let behind = feed.behind(at: now)
    if behind > 0 { whenLate(behind) }
    guard let headers = arriving else {
      link = nil
      packets.fed += 1
      open(before: bytes, packet, at: now)
      guard steps != 0, packet.format.codec == .mp3 else {
        return feed.append(bytes, samples: packet.samples, format: packet.format, at: now)
      }
      var changed = bytes.withUnsafeBufferPointer { Array($0) }
      var span = changed.mutableSpan
      MPEGGain.change(&span, by: steps)
      return feed.append(changed.span, samples: packet.samples, format: packet.format, at: now)
    }
    if link?.headers.continues(with: headers) != true {
      let new = OggLink(headers)
      feed.markHeaders(new.pages)
      link = new
    }
    var page = bytes.withUnsafeBufferPointer { Array($0) }
    link?.place(&page, granules: packet.granules, packet.trim)
    packets.fed += 1
    open(before: bytes, packet, at: now)
    feed.append(page.span, samples: packet.heard, format: headers.format, at: now)
  }
}

extension LocalSource {
  /// Puts what is to stand there in front of the first packet.
  private func open(before packet: Span<UInt8>, _ found: PacketScanner.Packet, at now: Moment) {
    guard let opening else { return }
    self.opening = nil
    let frames =
      opening.leadsIn ? MPEGLeadIn.frames(for: packet, preceding: opening.preceding) : nil
    lead(in: frames ?? [], to: packet.count, found.format, at: now)
    if let title = opening.title { feed.markTitle(title) }
  }
}

extension LocalSource.Opening {
  fileprivate mutating func pass(_ packet: Span<UInt8>) {
    guard leadsIn else { return }
    if preceding.count == MPEGLeadIn.precedingMax { preceding.removeFirst() }
    preceding.append(packet.withUnsafeBufferPointer { Array($0) })
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
