import Wire

/// The marks found in an index.
struct SegmentMarks {
  var titles: [TitleMark] = []
  var gaps: [GapMark] = []
  var origins: [OriginMark] = []
  var numbers: [NumberMark] = []
  var anchors: [(point: LogPoint, wall: WallTime)] = []
  var boots: [(MediaTime, BootTime)] = []
  var loudness: [(media: MediaTime, seconds: [UInt8])] = []

  mutating func add(_ record: SegmentRecord) {
    switch record {
    case .title(let title): titles.append(title)
    case .gap(let gap): gaps.append(gap)
    case .origin(let origin): origins.append(origin)
    case .number(let mark): numbers.append(mark)
    case .anchor(let position, let media, let wall):
      anchors.append((LogPoint(position: position, media: media), wall))
    case .boot(let media, let time): boots.append((media, time))
    case .loudness(let media, let seconds): loudness.append((media, seconds))
    case .span, .footer, .unknown: break
    }
  }

  mutating func add(_ more: SegmentMarks) {
    titles += more.titles
    gaps += more.gaps
    origins += more.origins
    numbers += more.numbers
    anchors += more.anchors
    boots += more.boots
    loudness += more.loudness
  }

  /// Drops the marks at or behind `position`; boot times and loudness stay.
  mutating func end(at position: UInt64) {
    titles.removeAll { $0.position >= position }
    gaps.removeAll { $0.position >= position }
    origins.removeAll { $0.position >= position }
    numbers.removeAll { $0.position >= position }
    anchors.removeAll { $0.point.position >= position }
  }
}

/// Reads an index from its bytes, as far as it is whole.
struct SegmentScan {
  private(set) var header: SegmentHeader
  private(set) var marks = SegmentMarks()
  private(set) var footer: FooterRecord?
  /// The end of the last believed span.
  private(set) var end: LogPoint
  /// Bytes of the index up to and including the last believed span's entry.
  private(set) var length = SegmentFormat.headerBytes
  private(set) var spans: [IndexedSpan] = []
  /// The spans' packets, as `SpanRecord` packs them.
  private(set) var packets: [UInt8] = []
  private(set) var packetCount = 0
  /// The length of the last packet; zero without one.
  private(set) var lastPacket = MediaTime.zero
  /// The header's CRC, from which the records' CRCs go on.
  let seed: UInt32
  private let shift: MediaTime

  /// Reads a whole index; nil if it has no valid header.
  ///
  /// - Parameters:
  ///   - shift: added to the media times of header, spans and footer; marks stay as they are in the file.
  ///   - believes: asked about every span in order; the scan ends at the first span that it does not believe.
  init?(
    _ bytes: [UInt8], shift: MediaTime = .zero, believes: (SpanRecord) -> Bool = { _ in true }
  ) {
    let reading = bytes.withUnsafeBytes { SegmentHeader.read($0) }
    guard case .header(var header, let seed) = reading else { return nil }
    header.start.media += shift
    self.header = header
    self.shift = shift
    self.seed = seed
    end = header.start
    bytes.withUnsafeBytes { scan($0, believes) }
  }

  private mutating func scan(_ bytes: UnsafeRawBufferPointer, _ believes: (SpanRecord) -> Bool) {
    var reader = ByteReader(bytes, at: length)
    var pending = SegmentMarks()
    var begin = reader.offset
    while let record = SegmentRecord.read(&reader, seed: seed) {
      defer { begin = reader.offset }
      switch shift == .zero ? record : record.moved(by: shift) {
      case .span(let span):
        guard span.start == end, fits(span), believes(span) else { return }
        add(span, SegmentRecord.payload(of: bytes[begin..<reader.offset]))
        length = reader.offset
        marks.add(pending)
        pending = SegmentMarks()
      case .footer(let found):
        guard found.end == end else { return }
        footer = found
        return
      case .title, .gap, .origin, .number, .anchor, .boot, .loudness, .unknown: pending.add(record)
      }
    }
  }

  /// Offsets in a segment are 32 bits.
  private func fits(_ span: SpanRecord) -> Bool {
    span.end.position - header.start.position <= UInt64(UInt32.max)
  }

  private mutating func add(_ span: SpanRecord, _ payload: Slice<UnsafeRawBufferPointer>) {
    spans.append(
      IndexedSpan(
        media: span.start.media.stored,
        offset: UInt32(span.start.position - header.start.position),
        packets: UInt32(packets.count), crc: span.crc))
    packets += payload.dropFirst(SpanRecord.headBytes)
    packetCount += span.packets.count
    lastPacket = MediaTime(stored: Int64(span.packets.last?.duration ?? 0))
    end = span.end
  }
}

/// A span in a loaded index.
struct IndexedSpan {
  /// The media time of its first packet, in flicks on the station's axis.
  var media: Int64
  /// The offset of its audio from the segment's first packet, in bytes.
  var offset: UInt32
  /// The offset of its packets among the segment's packed packets.
  var packets: UInt32
  /// The CRC32C of its audio.
  var crc: UInt32
}
