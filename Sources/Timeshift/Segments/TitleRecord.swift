import Wire

/// A title's part of an index record; `SegmentFormat` shows its bytes.
///
/// The pairs behind text and link came later: a record without them is whole. A key that begins with a colon, as no ICY
/// key can, holds a part of the title. The edge at which a title became known came later still: a record without it has
/// a title that was known in time.
enum TitleRecord {
  private static let item = ":item"
  private static let artist = ":artist"
  private static let title = ":title"
  private static let artwork = ":artwork"

  static func put(_ mark: TitleMark, into payload: inout ByteWriter) {
    put(mark.title, isLate: mark.known > mark.media, into: &payload)
    if mark.known > mark.media { payload.put(mark.known.stored) }
  }

  private static func put(_ value: Title, isLate: Bool, into payload: inout ByteWriter) {
    put(value.text, into: &payload)
    put(value.url, into: &payload)
    let pairs = fitting(pairs(of: value))
    guard !pairs.isEmpty || isLate else { return }
    payload.put(UInt8(pairs.count))
    for pair in pairs {
      put(pair.key, into: &payload)
      put(pair.value, into: &payload)
    }
  }

  /// Reads a title behind its point; nil if no whole one stands there.
  static func read(_ reader: inout ByteReader, at point: LogPoint) -> TitleMark? {
    guard let title = readTitle(&reader) else { return nil }
    let flicks = reader.read(Int64.self) ?? point.media.stored
    let known = LogPoint(position: 0, media: MediaTime(stored: flicks))
    return TitleMark(
      position: point.position, media: point.media, title: title, air: .epoch,
      known: known.isPlausible ? max(point.media, known.media) : nil)
  }

  private static func readTitle(_ reader: inout ByteReader) -> Title? {
    guard let text = readText(&reader), let url = readText(&reader) else { return nil }
    var value = Title(text: text, url: url)
    var parts = TitleParts(title: "")
    for _ in 0..<(reader.read(UInt8.self) ?? 0) {
      guard let key = readText(&reader), let text = readText(&reader) else { return nil }
      switch key {
      case item: value.item = TitleItem(text: text)
      case artist: parts.artist = text
      case title: parts.title = text
      case artwork: parts.artwork = text
      default: value.extras.append(.init(key: key, value: text))
      }
    }
    if !parts.title.isEmpty { value.parts = parts }
    return value
  }

  private static func pairs(of value: Title) -> [ICYMetadata.Field] {
    // The item comes first: it is what always has to fit.
    let parts = [
      (item, value.item?.text), (artist, value.parts?.artist), (title, value.parts?.title),
      (artwork, value.parts?.artwork),
    ]
    return parts.compactMap { key, text in text.map { .init(key: key, value: $0) } } + value.extras
  }

  /// The pairs that fit; a record's length has 16 bits.
  private static func fitting(_ pairs: [ICYMetadata.Field]) -> [ICYMetadata.Field] {
    var left = SegmentFormat.textBytesMax
    let fitting = pairs.prefix { pair in
      left -= pair.key.utf8.count + pair.value.utf8.count + 4
      return left >= 0
    }
    return Array(fitting.prefix(255))
  }

  private static func put(_ text: String, into payload: inout ByteWriter) {
    let bytes = Array(UTF8Text.prefix(text, bytes: SegmentFormat.textBytesMax))
    payload.put(UInt16(bytes.count))
    payload.put(bytes)
  }

  private static func readText(_ reader: inout ByteReader) -> String? {
    guard let count = reader.read(UInt16.self), let bytes = reader.read(bytes: Int(count)) else {
      return nil
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
