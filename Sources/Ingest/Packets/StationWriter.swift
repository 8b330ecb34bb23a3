import Timeshift
import Wire

/// Writes a station's packets into its log: titles before their packets, Ogg pages in one stream.
///
/// Used by the station's appender only, which decides what is written.
struct StationWriter {
  let writer: LogWriter
  private let report: (IngestEvent) -> Void
  private var titles: TitleTrack
  /// The format of the packet written last.
  private(set) var format: AudioFormat?
  /// The Ogg stream that the log ends with.
  private var link: OggLink?
  private var formats = FormatWatch()
  /// Place of the next packet in the log of the relay that the newest packets come from. Also the bytes of those
  /// packets that stand there without a seam. Nil where that is not known.
  private(set) var origin: (place: RelayPlace, bytes: UInt64)?
  /// Whether the packet written last is no part of the programme.
  private var isBesides = false
  /// Seconds of audio lost in front of the next packet, because they cannot be carried.
  private var lost = 0.0

  init(_ writer: LogWriter, titleShift: Double, report: @escaping (IngestEvent) -> Void) {
    self.writer = writer
    self.report = report
    titles = TitleTrack(shiftSeconds: titleShift)
  }

  /// Adopts the log's state, before anything is written in this process.
  mutating func recall() {
    titles.recall(writer.log.titles(limit: 2))
    origin = writer.log.origin
    let snapshot = writer.log.snapshot()
    format = snapshot.format
    if !snapshot.headers.isEmpty, let newest = writer.log.newestPacket() {
      link = OggLink(headers: snapshot.headers, newest: newest)
    }
  }

  /// Adopts the state of another worker on the same log.
  mutating func recall(_ previous: StationWriter) {
    (format, link, formats) = (previous.format, previous.link, previous.formats)
    (isBesides, origin) = (previous.isBesides, previous.origin)
    titles.recall(previous.titles)
  }

  /// The position of the next packet.
  var position: UInt64 { writer.edge.position }

  // MARK: Packets

  mutating func connectionBegins() {
    formats.begin()
    lost = 0
  }

  /// Notes that the following packets are of another Ogg stream.
  mutating func linkBegins(at now: MonotonicTime) { formats.linkBegins(at: now) }

  /// Why nothing more of the connection is written: its format changes too often. Nil if it does not.
  var refusal: String? { formats.isExceeded ? formats.reason : nil }

  /// Writes a packet, with its title.
  ///
  /// - Parameters:
  ///   - place: where the packet stands in the log of the relay that it comes from; nil if that is not known.
  ///   - isBesides: whether the packet is no part of the programme.
  /// - Returns: whether the packet was written.
  mutating func append(
    _ bytes: Span<UInt8>, _ packet: PacketScanner.Packet, headers: OggHeaders?,
    place: RelayPlace?, isBesides: Bool, at now: MonotonicTime
  ) -> Bool {
    let format = packet.format
    guard formats.admits(format, headers, at: now) else { return false }
    if lost > 0 { markGap(seconds: lost, cause: .upstreamJumped) }
    lost = 0
    // Without this mark, the log's tail would count as programme after a restart.
    if self.isBesides, !isBesides { writer.markGap(seconds: 0, cause: .upstreamJumped) }
    self.isBesides = isBesides
    for title in titles.packetComes(at: end) { mark(title) }
    stand(at: place, bytes: bytes.count)
    if let headers {
      appendPage(bytes, packet, headers)
    } else {
      link = nil
      writer.append(bytes, samples: packet.samples, format: format)
    }
    self.format = format
    return true
  }

  /// Notes where a packet stands, by a mark where it does not follow the one before.
  private mutating func stand(at place: RelayPlace?, bytes: Int) {
    if place != origin?.place {
      writer.markOrigin(place)
      origin = place.map { ($0, 0) }
    }
    guard let (place, before) = origin else { return }
    origin = place.advanced(by: UInt64(bytes)).map { ($0, before + UInt64(bytes)) }
  }

  /// Notes audio that cannot be carried; losses in a row are one gap.
  mutating func lose(_ seconds: Double) { lost += seconds }

  /// Marks `seconds` as missing in front of the next packet.
  mutating func markGap(seconds: Double, cause: GapCause) {
    writer.markGap(seconds: seconds, cause: cause)
    isBesides = false
    report(.gap(GapMark(position: position, seconds: seconds, cause: cause)))
  }

  /// Puts a page into the station's one stream; begins a new stream if a decoder could not go on.
  private mutating func appendPage(
    _ bytes: Span<UInt8>, _ packet: PacketScanner.Packet, _ headers: OggHeaders
  ) {
    if link?.headers.continues(with: headers) != true {
      let new = OggLink(headers)
      writer.markHeaders(new.pages)
      link = new
    }
    var page = bytes.withUnsafeBufferPointer { Array($0) }
    link?.place(&page, granules: packet.granules, packet.trim)
    writer.append(page.span, samples: packet.heard, format: headers.format)
  }

  // MARK: Titles

  mutating func hear(_ title: Title, from origin: TitleTrack.Origin) {
    if let title = titles.hear(title, from: origin, at: end) { mark(title) }
  }

  /// Hears that another source sends from the next packet on, which has said no title.
  mutating func speakerChanges() {
    if let title = titles.speakerChanges(at: end) { mark(title) }
  }

  /// Ignores the upstream's titles while the page's titles count.
  mutating func overrule(_ isOverruled: Bool) {
    if let title = titles.overrule(isOverruled, at: end) { mark(title) }
  }

  /// Whether a title that comes `bytes` before the end of known audio is the one before the log's newest.
  func isOld(_ title: Title, bytes: Int) -> Bool {
    titles.isOld(title, bytes: bytes, before: position)
  }

  private var end: TitleTrack.LogEnd {
    TitleTrack.LogEnd(next: writer.edge, newestTitle: writer.titlePosition)
  }

  private func mark(_ mark: TitleTrack.Mark) {
    if mark.point == writer.edge {
      writer.markTitle(mark.title)
    } else {
      writer.markTitle(mark.title, at: mark.point)
    }
    if mark.isNews { report(.title(mark.title, position: mark.point.position)) }
  }
}
