/// Guesses artist, title and track from a file's name, for files without a title.
///
/// Names are read as "Artist - Title", "NN Title", "NN - Artist - Title" or "Artist - NN - Title".
public struct FileNameTags: Hashable, Sendable {
  public var artist: String?
  public var title: String
  public var track: Int?

  /// The most bytes of a name that Linux has.
  private static let nameBytesMax = 255
  /// An ending of more characters is no kind of file.
  private static let endingMax = 5

  /// - Parameter name: a file's name without its folders, read as text.
  public init?(_ name: String) {
    var text = String(decoding: UTF8Text.prefix(name, bytes: Self.nameBytesMax), as: UTF8.self)
    if let dot = text.lastIndex(of: "."), dot > text.startIndex,
      text.distance(from: dot, to: text.endIndex) - 1 <= Self.endingMax,
      text[dot...].allSatisfy({ $0.isASCII })
    {
      text = String(text[..<dot])
    }
    if !text.contains(" ") { text = String(text.map { $0 == "_" ? " " : $0 }) }
    var parts = Self.parts(text)
    if let number = parts.first.flatMap(Self.track), parts.count > 1 {
      track = number
      parts.removeFirst()
    } else if let first = parts.first, let (number, rest) = Self.leading(first) {
      track = number
      parts[0] = rest
    }
    if parts.count > 2, let number = Self.track(parts[1]) {
      track = number
      parts.remove(at: 1)
    }
    guard let last = parts.last else { return nil }
    if parts.count == 1 {
      title = last
    } else {
      artist = parts[0]
      title = parts[1...].joined(separator: " - ")
    }
  }

  /// Splits at hyphens and dashes between blanks; parts without text are left out.
  private static func parts(_ text: String) -> [String] {
    var parts: [[Character]] = [[]]
    let characters = Array(text)
    var index = 0
    while index < characters.count {
      let isBetween =
        index + 2 < characters.count && characters[index] == " " && characters[index + 2] == " "
        && "-–—".contains(characters[index + 1])
      if isBetween {
        parts.append([])
        index += 3
      } else {
        parts[parts.count - 1].append(characters[index])
        index += 1
      }
    }
    return parts.map { TagFields.trimmed(String($0)) }.filter { !$0.isEmpty }
  }

  /// A part that is a track's number and nothing else.
  private static func track(_ text: String) -> Int? {
    let digits = text.last == "." ? text.dropLast() : text[...]
    guard (1...3).contains(digits.utf8.count), digits.utf8.allSatisfy(ASCII.isDigit) else {
      return nil
    }
    return Int(digits, in: 1...999)
  }

  /// A number in front of a title: "07 Title", "07. Title", "07_Title", "07-Title".
  private static func leading(_ text: String) -> (Int, String)? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard (2...3).contains(digits.count), let number = Int(digits, in: 1...999) else { return nil }
    let behind = text.dropFirst(digits.count)
    let rest = TagFields.trimmed(String(behind.drop { " ._-)".contains($0) }))
    guard let mark = behind.first, " ._-)".contains(mark), !rest.isEmpty else { return nil }
    return (number, rest)
  }
}

extension TagFields {
  /// Returns the fields, and from the file's name what they lack, if they have no title.
  ///
  /// - Parameter name: the file's name without its folders, read as text.
  public func guessing(from name: String) -> TagFields {
    guard texts[.title] == nil, let guess = FileNameTags(name) else { return self }
    var fields = self
    fields[.title] = [guess.title]
    if texts[.artist] == nil, let artist = guess.artist { fields[.artist] = [artist] }
    if texts[.track] == nil, let track = guess.track { fields[.track] = ["\(track)"] }
    fields.isGuessed = true
    return fields
  }
}
