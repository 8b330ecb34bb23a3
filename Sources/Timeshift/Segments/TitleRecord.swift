import Wire

/// A title's part of an index record; `SegmentFormat` shows its bytes.
///
/// The pairs behind text and link came later: a record without them is whole. A key that begins with a colon, as no ICY
/// key can, holds a part of the title.
enum TitleRecord {
  private static let item = ":item"
  private static let artist = ":artist"
  private static let title = ":title"
  private static let artwork = ":artwork"

  static func put(_ value: Title, into payload: inout ByteWriter) {
    put(value.text, into: &payload)
    put(value.url, into: &payload)
    let pairs = fitting(pairs(of: value))
    guard !pairs.isEmpty else { return }
    payload.put(UInt8(pairs.count))
    for pair in pairs {
      put(pair.key, into: &payload)
      put(pair.value, into: &payload)
    }
  }

  /// Reads a title; nil if no whole one stands there.
  static func read(_ reader: inout ByteReader) -> Title? {
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
