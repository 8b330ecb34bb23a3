/// The tags of a file as one line of JSON: written by the process that reads tags, read by the relay.
///
/// Keys without a value are left out. A text that is declared Latin-1 stands as `{"latin1":"…"}`.
extension TagFields {
  private static let escapes = TextRuns {
    $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\")
  }

  /// Appends the object, without a line's end.
  public func append(to line: inout [UInt8]) {
    var isFirst = true
    func key(_ name: String) {
      line += (isFirst ? "{\"" : ",\"").utf8
      line += name.utf8
      line += "\":".utf8
      isFirst = false
    }
    func list<Item>(_ name: String, _ items: [Item], _ write: (Item) -> Void) {
      guard !items.isEmpty else { return }
      key(name)
      for (index, item) in items.enumerated() {
        line.append(UInt8(ascii: index == 0 ? "[" : ","))
        write(item)
      }
      line.append(UInt8(ascii: "]"))
    }
    for name in Name.allCases {
      list(name.rawValue, texts[name] ?? []) { Self.write($0, to: &line) }
    }
    for (name, number) in [
      ("trackGain", gain.track), ("albumGain", gain.album), ("trackPeak", gain.trackPeak),
      ("albumPeak", gain.albumPeak),
    ] {
      guard let number else { continue }
      key(name)
      line += "\(number)".utf8
    }
    if let lyrics {
      key("lyrics")
      Self.write(lyrics, to: &line)
    }
    list("lines", lines) {
      line += "[\($0.time),".utf8
      Self.write($0.text, to: &line)
      line.append(UInt8(ascii: "]"))
    }
    list("chapters", chapters) {
      line += "[\($0.start),\($0.end.map(String.init) ?? "null"),".utf8
      Self.write($0.title, to: &line)
      line.append(UInt8(ascii: "]"))
    }
    list("pictures", pictures) {
      line += "[\($0.kind),\($0.offset.map { String($0) } ?? "null"),\($0.bytes)]".utf8
    }
    if let gap {
      list("gap", [Int64(gap.delay), Int64(gap.padding), gap.samples ?? 0]) { line += "\($0)".utf8 }
    }
    if isGuessed {
      key("guessed")
      line += "true".utf8
    }
    line += (isFirst ? "{}" : "}").utf8
  }

  private static func write(_ text: Text, to line: inout [UInt8]) {
    line += (text.isDeclaredLatin1 ? "{\"latin1\":\"" : "\"").utf8
    escapes.append(text.text, to: &line) { rest, line in
      let byte = rest[0]
      switch byte {
      case UInt8(ascii: "\n"): line += "\\n".utf8
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): line += [UInt8(ascii: "\\"), byte]
      default:
        let digits = Array("0123456789abcdef".utf8)
        line += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
      return 1
    }
    line += (text.isDeclaredLatin1 ? "\"}" : "\"").utf8
  }
}

/// Reads what `TagFields.append(to:)` writes, within the bounds of the fields.
///
/// Whoever wrote the line may have been overrun by the file that it read, so nothing in the line is believed: what is
/// out of bounds ends the reading.
public struct TagFieldsReader {
  public struct Refusal: Error, Hashable {}

  private var fields = TagFields()
  private var textBytes = 0
  private var lyricsBytes = 0

  /// Reads an object whose first token has been read.
  public static func read(_ scanner: inout JSONScanner) throws(Refusal) -> TagFields {
    var reader = TagFieldsReader()
    while true {
      switch try next(&scanner) {
      case .objectEnd: return reader.fields
      case .key(let key): try reader.readValue(of: key, &scanner)
      default: throw Refusal()
      }
    }
  }

  private static func next(_ scanner: inout JSONScanner) throws(Refusal) -> JSONScanner.Token {
    do {
      if let token = try scanner.next() { return token }
    } catch {}
    throw Refusal()
  }

  private mutating func readValue(
    of key: String, _ scanner: inout JSONScanner
  ) throws(Refusal) {
    if let name = TagFields.Name(rawValue: key) {
      fields.texts[name] = try list(&scanner, max: TagFields.valuesMax) {
        (reader, token, scanner) throws(Refusal) in
        try reader.text(token, &scanner)
      }
      return
    }
    switch key {
    case "trackGain": fields.gain.track = try number(&scanner, TrackGain.gains)
    case "albumGain": fields.gain.album = try number(&scanner, TrackGain.gains)
    case "trackPeak": fields.gain.trackPeak = try number(&scanner, TrackGain.peaks)
    case "albumPeak": fields.gain.albumPeak = try number(&scanner, TrackGain.peaks)
    case "lyrics":
      fields.lyrics = try words(Self.next(&scanner), &scanner, TagFields.lyricsBytesMax)
    case "lines":
      fields.lines = try list(&scanner, max: TagFields.linesMax) {
        (reader, token, scanner) throws(Refusal) in
        guard token == .arrayStart else { throw Refusal() }
        let time = try Self.time(Self.next(&scanner))
        let text = try reader.words(
          Self.next(&scanner), &scanner, TagFields.textBytesMax)
        try Self.expect(.arrayEnd, &scanner)
        return TagFields.Line(time: time, text: text)
      }
    case "chapters":
      fields.chapters = try list(&scanner, max: TagFields.chaptersMax) {
        (reader, token, scanner) throws(Refusal) in
        guard token == .arrayStart else { throw Refusal() }
        let start = try Self.time(Self.next(&scanner))
        let end = try Self.next(&scanner)
        let time = end == .null ? nil : try Self.time(end)
        let title = try reader.text(Self.next(&scanner), &scanner)
        try Self.expect(.arrayEnd, &scanner)
        return TagFields.Chapter(start: start, end: time, title: title)
      }
    case "pictures":
      fields.pictures = try list(&scanner, max: TagFields.picturesMax) {
        (_, token, scanner) throws(Refusal) in
        guard token == .arrayStart else { throw Refusal() }
        let kind = try Self.integer(Self.next(&scanner), in: 0...20)
        let offset = try Self.next(&scanner)
        let place = offset == .null ? nil : try Self.integer(offset, in: 0...Int64.max)
        let bytes = try Self.integer(Self.next(&scanner), in: 1...Int64.max)
        try Self.expect(.arrayEnd, &scanner)
        return TagFields.Picture(
          kind: Int(kind), offset: place.map { UInt64($0) }, bytes: UInt64(bytes))
      }
    case "gap":
      let numbers = try list(&scanner, max: 3) { (_, token, _) throws(Refusal) in
        try Self.integer(token, in: 0...Bounds.samples)
      }
      let ends = 0...Int64(SampleGap.samplesMax)
      guard numbers.count == 3, ends.contains(numbers[0]), ends.contains(numbers[1]) else {
        throw Refusal()
      }
      fields.gap = SampleGap(
        delay: Int(numbers[0]), padding: Int(numbers[1]),
        samples: numbers[2] > 0 ? numbers[2] : nil)
    case "guessed":
      guard case .bool(let isGuessed) = try Self.next(&scanner) else { throw Refusal() }
      fields.isGuessed = isGuessed
    default: throw Refusal()
    }
  }

  // MARK: Values

  private mutating func list<Item>(
    _ scanner: inout JSONScanner, max: Int,
    _ read: (inout TagFieldsReader, JSONScanner.Token, inout JSONScanner) throws(Refusal) -> Item
  ) throws(Refusal) -> [Item] {
    try Self.expect(.arrayStart, &scanner)
    var items: [Item] = []
    while true {
      let token = try Self.next(&scanner)
      if token == .arrayEnd { return items }
      guard items.count < max else { throw Refusal() }
      items.append(try read(&self, token, &scanner))
    }
  }

  private mutating func text(
    _ token: JSONScanner.Token, _ scanner: inout JSONScanner
  ) throws(Refusal) -> TagFields.Text {
    let text = try Self.value(token, &scanner)
    textBytes += text.text.utf8.count
    guard text.text.utf8.count <= TagFields.textBytesMax, textBytes <= TagFields.allTextBytesMax
    else { throw Refusal() }
    return text
  }

  /// Reads lyrics: words or a line.
  private mutating func words(
    _ token: JSONScanner.Token, _ scanner: inout JSONScanner, _ bytesMax: Int
  ) throws(Refusal) -> TagFields.Text {
    let text = try Self.value(token, &scanner)
    lyricsBytes += text.text.utf8.count
    // Words and lines may both be there.
    guard text.text.utf8.count <= bytesMax, lyricsBytes <= 2 * TagFields.lyricsBytesMax else {
      throw Refusal()
    }
    return text
  }

  private static func value(
    _ token: JSONScanner.Token, _ scanner: inout JSONScanner
  ) throws(Refusal) -> TagFields.Text {
    if case .string(let text) = token { return TagFields.Text(text) }
    guard token == .objectStart, try next(&scanner) == .key("latin1"),
      case .string(let text) = try next(&scanner),
      text.unicodeScalars.allSatisfy({ $0.value < 256 })
    else { throw Refusal() }
    try expect(.objectEnd, &scanner)
    return TagFields.Text(text, isDeclaredLatin1: true)
  }

  private func number(
    _ scanner: inout JSONScanner, _ range: ClosedRange<Double>
  ) throws(Refusal) -> Double {
    let number: Double
    switch try Self.next(&scanner) {
    case .number(let value): number = value
    case .integer(let value): number = Double(value)
    default: throw Refusal()
    }
    guard range.contains(number) else { throw Refusal() }
    return number
  }

  private static func time(_ token: JSONScanner.Token) throws(Refusal) -> Int {
    Int(try integer(token, in: 0...Int64(TagFields.times.upperBound)))
  }

  private static func integer(
    _ token: JSONScanner.Token, in range: ClosedRange<Int64>
  ) throws(Refusal) -> Int64 {
    guard case .integer(let number) = token, range.contains(number) else { throw Refusal() }
    return number
  }

  private static func expect(
    _ token: JSONScanner.Token, _ scanner: inout JSONScanner
  ) throws(Refusal) {
    guard try next(&scanner) == token else { throw Refusal() }
  }
}
