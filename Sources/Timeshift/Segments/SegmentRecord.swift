import CLinux
import Wire

/// One record of an index; `SegmentFormat` shows its bytes.
enum SegmentRecord: Hashable {
  case span(SpanRecord)
  case title(TitleMark)
  case gap(GapMark)
  case anchor(position: UInt64, media: MediaTime, wall: WallTime)
  /// The time of the anchor at `media` by the machine's own clock, with the id of the machine's start.
  case boot(media: MediaTime, time: BootTime)
  /// The loudness of the seconds of media time from `media` on, a byte each.
  case loudness(media: MediaTime, seconds: [UInt8])
  case origin(OriginMark)
  case number(NumberMark)
  case footer(FooterRecord)
  /// A whole record of a type that this version does not know.
  case unknown

  /// Encodes with the times of the file, which are less by `shift`.
  func encode(seed: UInt32, less shift: MediaTime) -> [UInt8] {
    shift == .zero ? encode(seed: seed) : moved(by: .zero - shift).encode(seed: seed)
  }

  /// The record with its times later by `shift`.
  func moved(by shift: MediaTime) -> SegmentRecord {
    switch self {
    case .span(var span):
      span.start.media += shift
      return .span(span)
    case .title(let title): return .title(title.moved(by: shift))
    case .anchor(let position, let media, let wall):
      return .anchor(position: position, media: max(.zero, media + shift), wall: wall)
    case .boot(let media, let time): return .boot(media: max(.zero, media + shift), time: time)
    case .loudness(let media, let seconds):
      return .loudness(media: max(.zero, media + shift), seconds: seconds)
    case .number(let mark): return .number(mark.moved(by: shift))
    case .footer(var footer):
      footer.end.media += shift
      return .footer(footer)
    case .gap, .origin, .unknown: return self
    }
  }

  func encode(seed: UInt32) -> [UInt8] {
    var payload = ByteWriter()
    let type = put(into: &payload)
    var record = ByteWriter()
    record.put(type)
    record.put(UInt16(payload.bytes.count))
    record.put(payload.bytes)
    record.put(linux_crc32c(seed, record.bytes, record.bytes.count))
    return record.bytes
  }

  private func put(into payload: inout ByteWriter) -> UInt8 {
    switch self {
    case .span(let span):
      span.put(into: &payload)
      return UInt8(ascii: "S")
    case .title(let title):
      payload.put(title.position)
      payload.put(title.media.stored)
      TitleRecord.put(title, into: &payload)
      return UInt8(ascii: "T")
    case .gap(let gap):
      payload.put(gap.position)
      payload.put(gap.seconds.bitPattern)
      payload.put(gap.cause.rawValue)
      return UInt8(ascii: "G")
    case .anchor(let position, let media, let wall):
      payload.put(position)
      payload.put(media.stored)
      payload.put(wall.stored)
      return UInt8(ascii: "A")
    case .boot(let media, let time):
      payload.put(media.stored)
      payload.put(time.time.nanoseconds)
      payload.put(time.id?.bytes ?? [UInt8](repeating: 0, count: BootID.byteCount))
      return UInt8(ascii: "B")
    case .loudness(let media, let seconds):
      payload.put(media.stored)
      payload.put(seconds)
      return UInt8(ascii: "L")
    case .origin(let origin):
      payload.put(origin.position)
      payload.put(origin.place?.log.bytes ?? [UInt8](repeating: 0, count: LogID.byteCount))
      payload.put(origin.place?.position ?? 0)
      return UInt8(ascii: "O")
    case .number(let mark):
      NumberRecord.put(mark, into: &payload)
      return UInt8(ascii: "N")
    case .footer(let footer):
      footer.put(into: &payload)
      return UInt8(ascii: "F")
    case .unknown:
      preconditionFailure("a record that was not understood is not written")
    }
  }

  /// Reads the record at the reader's place; nil if no whole record stands there.
  static func read(_ reader: inout ByteReader, seed: UInt32) -> SegmentRecord? {
    let start = reader.offset
    guard let type = reader.read(UInt8.self), let length = reader.read(UInt16.self),
      let payload = reader.read(bytes: Int(length)), let crc = reader.read(UInt32.self),
      linux_crc32c(seed, reader.bytes.baseAddress! + start, 3 + Int(length)) == crc
    else { return nil }
    var inner = ByteReader(payload)
    return read(type: type, &inner)
  }

  /// The payload of a whole record.
  static func payload(of record: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
    record.dropFirst(3).dropLast(4)
  }

  private static func read(type: UInt8, _ reader: inout ByteReader) -> SegmentRecord? {
    switch type {
    case UInt8(ascii: "S"): return SpanRecord(&reader).map { .span($0) }
    case UInt8(ascii: "T"):
      guard let (position, media) = readPoint(&reader) else { return nil }
      let point = LogPoint(position: position, media: media)
      return TitleRecord.read(&reader, at: point).map { .title($0) }
    case UInt8(ascii: "G"):
      guard let position = reader.read(UInt64.self), let bits = reader.read(UInt64.self),
        let cause = reader.read(UInt8.self).flatMap(GapCause.init)
      else { return nil }
      let seconds = Double(bitPattern: bits)
      guard Bounds.durations.contains(seconds) else { return nil }
      return .gap(GapMark(position: position, seconds: seconds, cause: cause))
    case UInt8(ascii: "A"):
      guard let (position, media) = readPoint(&reader), let wall = reader.read(Int64.self) else {
        return nil
      }
      return .anchor(position: position, media: media, wall: WallTime(stored: wall))
    case UInt8(ascii: "B"):
      guard let flicks = reader.read(Int64.self), let time = reader.read(Int64.self),
        let bytes = reader.read(bytes: BootID.byteCount)
      else { return nil }
      let media = MediaTime(stored: flicks)
      let most = Bounds.moments.upperBound
      guard LogPoint(position: 0, media: media).isPlausible, (-most...most).contains(time),
        let id = BootID(bytes: Array(bytes))
      else { return .unknown }
      return .boot(media: media, time: BootTime(id: id, time: MonotonicTime(nanoseconds: time)))
    case UInt8(ascii: "L"):
      guard let flicks = reader.read(Int64.self), let seconds = reader.read(bytes: reader.left),
        LogPoint(position: 0, media: MediaTime(stored: flicks)).isPlausible
      else { return .unknown }
      return .loudness(media: MediaTime(stored: flicks), seconds: Array(seconds))
    case UInt8(ascii: "O"):
      guard let position = reader.read(UInt64.self), let id = reader.read(bytes: LogID.byteCount),
        let place = reader.read(UInt64.self)
      else { return nil }
      guard max(position, place) < RelayPlace.positionsEnd else { return .unknown }
      let log = LogID(bytes: Array(id))
      return .origin(
        OriginMark(
          position: position, place: log.map { RelayPlace(log: $0, position: place) }))
    case UInt8(ascii: "N"): return NumberRecord.read(&reader).map { .number($0) } ?? .unknown
    case UInt8(ascii: "F"): return FooterRecord(&reader).map { .footer($0) }
    default: return .unknown
    }
  }

  private static func readPoint(_ reader: inout ByteReader) -> (UInt64, MediaTime)? {
    guard let position = reader.read(UInt64.self), let media = reader.read(Int64.self) else {
      return nil
    }
    let point = LogPoint(position: position, media: MediaTime(stored: media))
    return point.isPlausible ? (position, point.media) : nil
  }
}

/// The record that seals a segment.
struct FooterRecord: Hashable {
  var end: LogPoint
  /// The offset in the index where the marks are repeated.
  var tail: UInt64
  var packets: UInt32
  var spans: UInt32

  func put(into payload: inout ByteWriter) {
    payload.put(end.position)
    payload.put(end.media.stored)
    payload.put(tail)
    payload.put(packets)
    payload.put(spans)
  }
}

extension FooterRecord {
  init?(_ reader: inout ByteReader) {
    guard let position = reader.read(UInt64.self), let media = reader.read(Int64.self),
      let tail = reader.read(UInt64.self), let packets = reader.read(UInt32.self),
      let spans = reader.read(UInt32.self)
    else { return nil }
    self.init(
      end: LogPoint(position: position, media: MediaTime(stored: media)), tail: tail,
      packets: packets, spans: spans)
    guard end.isPlausible else { return nil }
  }
}

extension LogPoint {
  /// Whether position and time can be ours: below 2^62 bytes and 2^61 flicks, 104 years. Sums of such values cannot
  /// overflow.
  var isPlausible: Bool {
    position < 1 << 62 && media.stored >= 0 && media.stored < 1 << 61
  }
}
