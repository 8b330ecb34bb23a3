/// What the tags of one audio file say, in bounds that no file can exceed.
///
/// Made by `TagCollector` from all tags of a file. The text of a tag that declares Latin-1 waits for `read(by:)`, since
/// many programs wrote another charset there.
public struct TagFields: Hashable, Sendable {
  /// A field with texts. The raw value is its key in JSON.
  public enum Name: String, CaseIterable, Sendable {
    case title, artist, album, albumArtist, composer, genre, date, track, disc, compilation, isrc
    case label, comment
  }

  /// A text as the tag has it.
  public struct Text: Hashable, Sendable {
    public var text: String
    /// Whether the tag declares Latin-1: each scalar is then a byte of a charset that nobody named.
    public var isDeclaredLatin1: Bool

    public init(_ text: String, isDeclaredLatin1: Bool = false) {
      (self.text, self.isDeclaredLatin1) = (text, isDeclaredLatin1)
    }
  }

  /// A picture's place in the file.
  public struct Picture: Hashable, Sendable {
    /// What it shows, as in ID3 (id3.org, id3v2.4.0-frames §4.14): 3 is the front, 4 the back.
    public var kind: Int
    /// Nil where the picture's bytes are encoded in the file.
    public var offset: UInt64?
    public var bytes: UInt64

    public init(kind: Int, offset: UInt64?, bytes: UInt64) {
      (self.kind, self.offset, self.bytes) = (kind, offset, bytes)
    }
  }

  /// A part of the file, in milliseconds from its beginning.
  public struct Chapter: Hashable, Sendable {
    public var start: Int
    /// Nil where the tag names beginnings only.
    public var end: Int?
    public var title: Text

    public init(start: Int, end: Int? = nil, title: Text) {
      (self.start, self.end, self.title) = (start, end, title)
    }
  }

  /// A line of lyrics and the time at which it is sung, in milliseconds.
  public struct Line: Hashable, Sendable {
    public var time: Int
    public var text: Text

    public init(time: Int, text: Text) { (self.time, self.text) = (time, text) }
  }

  /// The most bytes of a text; a longer one is cut.
  public static let textBytesMax = 1024
  /// The most values of a field.
  public static let valuesMax = 64
  /// The most bytes of all texts together, lyrics aside.
  public static let allTextBytesMax = 64 * 1024
  public static let lyricsBytesMax = 256 * 1024
  public static let linesMax = 5000
  public static let chaptersMax = 1000
  public static let picturesMax = 64
  /// The latest time of a chapter or line: a week, in milliseconds.
  public static let times = 0...604_800_000

  public internal(set) var texts: [Name: [Text]] = [:]
  public var gain = TrackGain()
  /// Words without times.
  public var lyrics: Text?
  public var lines: [Line] = []
  public var chapters: [Chapter] = []
  public var pictures: [Picture] = []
  /// Samples that the encoder added, as iTunes writes them.
  public var gap: SampleGap?
  /// Whether title or artist come from the file's name.
  public var isGuessed = false

  public init() {}

  /// All texts of a field, as they stand.
  public subscript(name: Name) -> [String] {
    get { texts[name]?.map(\.text) ?? [] }
    set { texts[name] = newValue.isEmpty ? nil : newValue.map { Text($0) } }
  }

  /// The first text of a field.
  public func first(_ name: Name) -> String? { texts[name]?.first?.text }

  /// The number in front of a track or disc, 1...9999: 3 of "3/12".
  public func number(_ name: Name) -> Int? {
    guard let text = first(name) else { return nil }
    return Int(text.drop { $0 == " " }.prefix { $0.isASCII && $0.isNumber }, in: 1...9999)
  }

  /// The year of the date, 1...9999. Dates come as 1983, 1983-05-02, 02.05.1983 or 19830502.
  public var year: Int? {
    guard let text = first(.date) else { return nil }
    let runs = text.split { !($0.isASCII && $0.isNumber) }
    let run = runs.first { $0.count == 4 } ?? runs.first { $0.count == 8 }
    return run.flatMap { Int($0.prefix(4), in: 1...9999) }
  }

  public var isCompilation: Bool { number(.compilation) == 1 }

  /// Whether the words or the lines of lyrics are there.
  public var hasLyrics: Bool { lyrics != nil || !lines.isEmpty }

  /// Returns the fields with each text as people read it.
  ///
  /// UTF-8 is read as such even where Latin-1 is declared. Texts of one line lose their control characters; comments and
  /// lyrics keep their lines.
  ///
  /// - Parameter charset: reads bytes that are declared Latin-1 and are no UTF-8.
  public func read(by charset: ([UInt8]) -> String) -> TagFields {
    var fields = self
    for (name, values) in texts {
      let isOneLine = name != .comment
      let read = values.map { Self.read($0, by: charset, isOneLine: isOneLine) }
        .filter { !$0.text.isEmpty }
      fields.texts[name] = read.isEmpty ? nil : read
    }
    fields.lyrics = lyrics.map { Self.read($0, by: charset, isOneLine: false) }
    for index in fields.lines.indices {
      fields.lines[index].text = Self.read(lines[index].text, by: charset, isOneLine: true)
    }
    for index in fields.chapters.indices {
      fields.chapters[index].title = Self.read(chapters[index].title, by: charset, isOneLine: true)
    }
    return fields
  }

  private static func read(
    _ text: Text, by charset: ([UInt8]) -> String, isOneLine: Bool
  ) -> Text {
    let bytes =
      text.isDeclaredLatin1
      ? text.text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } : Array(text.text.utf8)
    if isOneLine { return Text(trimmed(Charset.decode(bytes, orElse: charset))) }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return Text(
      lines.map { Charset.decode(Array($0.last == 13 ? $0.dropLast() : $0), orElse: charset) }
        .joined(separator: "\n"))
  }

  static func trimmed(_ text: String) -> String {
    let scalars = text.unicodeScalars
    guard let first = scalars.firstIndex(where: { $0 != " " }),
      let last = scalars.lastIndex(where: { $0 != " " })
    else { return "" }
    return String(scalars[first...last])
  }
}
