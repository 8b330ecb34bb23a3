/// Gathers what all tags of one file say: for each field the tag that counts first has its say.
///
/// Of several names of one field in one tag, the one listed first counts.
public struct TagCollector: Sendable {
  /// A kind of tag. Of two tags that both have a field, the lower one counts.
  public enum Source: Int, Sendable {
    /// The container's own: Vorbis comments, MP4 atoms.
    case container
    case id3v2, ape, id3v1
  }

  private enum Meaning: Hashable {
    case text(TagFields.Name)
    case lyrics, trackGain, albumGain, trackPeak, albumPeak, gap
  }

  public private(set) var fields = TagFields()
  /// Whose value each meaning has: the source, then the place among names; lower counts.
  private var ranks: [Meaning: Int] = [:]
  private var bytesLeft = TagFields.allTextBytesMax
  private var lyricsBytesLeft = TagFields.lyricsBytesMax

  public init() {}

  /// Takes a field's value; one without a known name is left out.
  ///
  /// - Parameters:
  ///   - name: the tag's own name, in any case: TIT2, TXXX:NAME, TITLE, ©nam, ----:com.apple.iTunes:NAME.
  ///   - bytes: UTF-8; bytes as they stand if Latin-1 is declared.
  public mutating func add(
    _ name: String, _ bytes: UnsafeBufferPointer<UInt8>, isDeclaredLatin1: Bool, from source: Source
  ) {
    guard name.utf8.count <= Self.nameBytesMax else { return }
    let name = Self.plainName(name)
    if let chapter = Self.chapter(name) {
      if source == .container { add(chapter, bytes) }
      return
    }
    guard let (meaning, place) = Self.meanings[name] else { return }
    let rank = source.rawValue * 16 + place
    let known = ranks[meaning]
    if let known, known < rank { return }
    let isNew = known != rank
    let isLatin1 = isDeclaredLatin1 && bytes.contains { $0 >= 0x80 }
    func text(_ bytesMax: Int) -> TagFields.Text {
      TagFields.Text(Self.text(bytes, isLatin1, bytesMax), isDeclaredLatin1: isLatin1)
    }
    switch meaning {
    case .text(let name):
      let text = text(min(TagFields.textBytesMax, bytesLeft))
      guard !text.text.isEmpty else { return }
      var values = isNew ? [] : fields.texts[name] ?? []
      guard values.count < TagFields.valuesMax else { return }
      bytesLeft -= text.text.utf8.count
      values.append(text)
      fields.texts[name] = values
    case .lyrics:
      // Of several words of one tag, in several languages, the first count.
      guard isNew else { return }
      fields.lyrics = text(TagFields.lyricsBytesMax)
    default:
      guard isNew, set(meaning, text(64).text, isR128: place == 0) else { return }
    }
    ranks[meaning] = rank
  }

  /// Takes a gain, a peak or a gap. False: the text is none.
  ///
  /// - Parameter isR128: whether a gain has the first of its names, which counts in 1/256 dB.
  private mutating func set(_ meaning: Meaning, _ text: String, isR128: Bool) -> Bool {
    func take<Value>(_ value: Value?, as path: WritableKeyPath<TagFields, Value?>) -> Bool {
      guard let value else { return false }
      fields[keyPath: path] = value
      return true
    }
    var gain: Double? { isR128 ? ReplayGainText.r128(text) : ReplayGainText.decibels(text) }
    return switch meaning {
    case .trackGain: take(gain, as: \.gain.track)
    case .albumGain: take(gain, as: \.gain.album)
    case .trackPeak: take(ReplayGainText.peak(text), as: \.gain.trackPeak)
    case .albumPeak: take(ReplayGainText.peak(text), as: \.gain.albumPeak)
    case .gap: take(SampleGap(iTunes: text), as: \.gap)
    case .text, .lyrics: false
    }
  }

  /// Takes a picture's place.
  public mutating func addPicture(kind: Int, offset: Int64, bytes: Int64) {
    guard fields.pictures.count < TagFields.picturesMax, bytes > 0 else { return }
    let kind = (0...20).contains(kind) ? kind : 0
    let offset = offset >= 0 ? UInt64(offset) : nil
    fields.pictures.append(.init(kind: kind, offset: offset, bytes: UInt64(bytes)))
  }

  /// Takes a chapter of ID3, in milliseconds.
  public mutating func addChapter(
    start: UInt32, end: UInt32, _ bytes: UnsafeBufferPointer<UInt8>, isDeclaredLatin1: Bool
  ) {
    guard fields.chapters.count < TagFields.chaptersMax else { return }
    guard TagFields.times.contains(Int(start)) else { return }
    let end = Int(end) >= Int(start) && TagFields.times.contains(Int(end)) ? Int(end) : nil
    let title = taken(bytes, isDeclaredLatin1)
    fields.chapters.append(.init(start: Int(start), end: end, title: title))
  }

  /// Takes a line of timed lyrics.
  public mutating func addLine(
    time: UInt32, _ bytes: UnsafeBufferPointer<UInt8>, isDeclaredLatin1: Bool
  ) {
    guard fields.lines.count < TagFields.linesMax, TagFields.times.contains(Int(time)),
      lyricsBytesLeft > 0
    else { return }
    let isLatin1 = isDeclaredLatin1 && bytes.contains { $0 >= 0x80 }
    let text = Self.text(bytes, isLatin1, min(TagFields.textBytesMax, lyricsBytesLeft))
    lyricsBytesLeft -= text.utf8.count + 8
    fields.lines.append(
      .init(time: Int(time), text: .init(text, isDeclaredLatin1: isLatin1)))
  }

  private mutating func taken(
    _ bytes: UnsafeBufferPointer<UInt8>, _ isDeclaredLatin1: Bool
  ) -> TagFields.Text {
    let isLatin1 = isDeclaredLatin1 && bytes.contains { $0 >= 0x80 }
    let text = Self.text(bytes, isLatin1, min(TagFields.textBytesMax, bytesLeft))
    bytesLeft -= text.utf8.count
    return .init(text, isDeclaredLatin1: isLatin1)
  }

  /// Returns at most so many bytes as text; UTF-8 is cut between two characters.
  private static func text(
    _ bytes: UnsafeBufferPointer<UInt8>, _ isLatin1: Bool, _ bytesMax: Int
  ) -> String {
    // A byte of Latin-1 may become two.
    var end = min(bytes.count, isLatin1 ? bytesMax / 2 : bytesMax)
    if isLatin1 { return Charset.latin1.decodeInvalid(Array(bytes[..<end])) }
    while end > 0, end < bytes.count, UTF8.isContinuation(bytes[end]) { end -= 1 }
    let text = String(decoding: bytes[..<end], as: UTF8.self)
    // What is no UTF-8 grows.
    return text.utf8.count <= bytesMax
      ? text : String(decoding: UTF8Text.prefix(text, bytes: bytesMax), as: UTF8.self)
  }

  // MARK: Names

  private static let nameBytesMax = 80

  /// Returns a name in upper case, without what says that it is one of the user's own.
  private static func plainName(_ name: String) -> String {
    let upper = name.uppercased()
    for prefix in ["TXXX:", "----:COM.APPLE.ITUNES:", "COMM:ITUNSMPB"] where upper.hasPrefix(prefix)
    {
      return prefix == "COMM:ITUNSMPB" ? "ITUNSMPB" : String(upper.dropFirst(prefix.count))
    }
    return upper
  }

  private static let names: [(Meaning, [String])] = [
    (.text(.title), ["TIT2", "TITLE", "©NAM"]),
    (.text(.artist), ["TPE1", "ARTIST", "©ART", "ARTISTS"]),
    (.text(.album), ["TALB", "ALBUM", "©ALB"]),
    (.text(.albumArtist), ["TPE2", "ALBUMARTIST", "AART", "ALBUM ARTIST", "ALBUM_ARTIST"]),
    (.text(.composer), ["TCOM", "COMPOSER", "©WRT"]),
    (.text(.genre), ["TCON", "GENRE", "©GEN"]),
    (.text(.date), ["TDRC", "DATE", "©DAY", "YEAR", "TDRL", "TDOR"]),
    (.text(.track), ["TRCK", "TRACKNUMBER", "TRKN", "TRACK"]),
    (.text(.disc), ["TPOS", "DISCNUMBER", "DISK", "DISC"]),
    (.text(.compilation), ["TCMP", "COMPILATION", "CPIL"]),
    (.text(.isrc), ["TSRC", "ISRC"]),
    (.text(.label), ["TPUB", "LABEL", "PUBLISHER", "ORGANIZATION"]),
    (.text(.comment), ["COMM", "COMMENT", "©CMT", "DESCRIPTION"]),
    (.lyrics, ["USLT", "LYRICS", "©LYR", "UNSYNCEDLYRICS"]),
    // Opus's own come first (RFC 7845 §5.2.1).
    (.trackGain, ["R128_TRACK_GAIN", "REPLAYGAIN_TRACK_GAIN"]),
    (.albumGain, ["R128_ALBUM_GAIN", "REPLAYGAIN_ALBUM_GAIN"]),
    (.trackPeak, ["REPLAYGAIN_TRACK_PEAK"]), (.albumPeak, ["REPLAYGAIN_ALBUM_PEAK"]),
    (.gap, ["ITUNSMPB"]),
  ]

  private static let meanings: [String: (Meaning, Int)] = {
    var meanings: [String: (Meaning, Int)] = [:]
    for (meaning, names) in names {
      for (place, name) in names.enumerated() { meanings[name] = (meaning, place) }
    }
    return meanings
  }()

  // MARK: Chapters as comments

  /// A chapter in Vorbis comments: CHAPTER001=00:01:02.500 and CHAPTER001NAME=Title (wiki.xiph.org, Chapter Extension).
  private static func chapter(_ name: String) -> (number: Int, isName: Bool)? {
    let bytes = Array(name.utf8)
    guard bytes.starts(with: "CHAPTER".utf8), bytes.count == 10 || bytes.count == 14,
      let number = Int(String(decoding: bytes[7..<10], as: UTF8.self), in: 0...999)
    else { return nil }
    if bytes.count == 10 { return (number, false) }
    return bytes[10...].elementsEqual("NAME".utf8) ? (number, true) : nil
  }

  private var chapterStarts: [Int: Int] = [:]
  private var chapterNames: [Int: TagFields.Text] = [:]

  private mutating func add(
    _ chapter: (number: Int, isName: Bool), _ bytes: UnsafeBufferPointer<UInt8>
  ) {
    if chapter.isName {
      chapterNames[chapter.number] = taken(bytes, false)
    } else {
      chapterStarts[chapter.number] = Self.milliseconds(bytes)
    }
  }

  private static func milliseconds(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    let parts = String(decoding: bytes.prefix(32), as: UTF8.self).split(separator: ":")
    guard parts.count == 3, let hours = Int(parts[0], in: 0...167),
      let minutes = Int(parts[1], in: 0...59), let seconds = Double(parts[2]),
      (0..<60).contains(seconds)
    else { return nil }
    return (hours * 60 + minutes) * 60_000 + Int(bounded: seconds * 1000)
  }

  /// Returns all that was taken.
  public func finished() -> TagFields {
    var fields = fields
    if fields.chapters.isEmpty {
      for (number, start) in chapterStarts.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) }) {
        fields.chapters.append(.init(start: start, title: chapterNames[number] ?? .init("")))
      }
    } else {
      // ID3 has them in any order.
      fields.chapters.sort { ($0.start, $0.end ?? .max) < ($1.start, $1.end ?? .max) }
    }
    return fields
  }
}
