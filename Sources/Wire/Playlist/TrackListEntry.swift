/// One entry of a list of audio files, as written.
public struct TrackListEntry: Hashable, Sendable {
  /// Where an entry's audio is.
  public enum Place: Hashable, Sendable {
    /// A path as it was written: names of files are bytes in no charset.
    case path([UInt8])
    /// An address with a scheme other than `file`.
    case url(String)
  }

  /// A stretch of a file, in seconds from its beginning.
  public struct Part: Hashable, Sendable {
    public var begin: Double
    /// Nil: the end of the file.
    public var end: Double?

    public init(begin: Double, end: Double? = nil) { (self.begin, self.end) = (begin, end) }

    /// Why no track of the library is one, in words that follow its name.
    public static let unmatched =
      "is a part of a file, and no track of the library; a programme plays the sheet as list:/PATH"
  }

  public var place: Place
  /// The line of the place, from 1; of a cue's entry the line of its `TRACK`. 0 for what no list has.
  public var line = 0
  public var title: String?
  public var artist: String?
  /// The length in seconds; nil where the list does not tell.
  public var seconds: Double?
  /// What of the file is meant; nil: all of it.
  public var part: Part?
  /// Whether the path is a reference of RFC 3986, in which bytes are escaped.
  var isReference = false

  /// Linux takes paths of fewer bytes (`PATH_MAX`).
  static let pathBytesMax = 4095

  public init(
    _ place: Place, line: Int = 0, title: String? = nil, artist: String? = nil,
    seconds: Double? = nil
  ) {
    (self.place, self.line, self.title) = (place, line, title)
    (self.artist, self.seconds) = (artist, seconds)
  }

  /// Makes an entry of what a list has for a path.
  init(
    text: ArraySlice<UInt8>, line: Int, isReference: Bool
  ) throws(TrackListFault) {
    guard text.contains(where: { !ASCII.isBlank($0) }) else {
      throw TrackListFault(line: line, text, "names no file")
    }
    // Each byte may be escaped by three.
    guard text.count <= 3 * Self.pathBytesMax else {
      throw TrackListFault(line: line, text, "is longer than a path or an address can be")
    }
    let trimmed = ASCII.trimmed(text)
    if trimmed.hasPrefix(ignoringCase: "file://") {
      // Behind the slashes stands a host, which is this one.
      let path = trimmed.dropFirst("file://".utf8.count).drop { $0 != UInt8(ascii: "/") }
      guard !path.isEmpty else { throw TrackListFault(line: line, text, "names no file") }
      self.init(.path(Array(path)), line: line)
      self.isReference = true
    } else if Self.isAddress(trimmed) {
      self.init(.url(Charset.decode(Array(trimmed))), line: line)
    } else {
      self.init(.path(Array(text)), line: line)
      self.isReference = isReference
    }
  }

  /// Whether a text begins with a scheme and two slashes.
  static func isAddress(_ text: ArraySlice<UInt8>) -> Bool {
    // No scheme in use is longer.
    guard let colon = text.prefix(32).firstIndex(of: UInt8(ascii: ":")),
      let first = text.first, ASCII.isLetter(first)
    else { return false }
    return text[..<colon].allSatisfy {
      ASCII.isLetter($0) || ASCII.isDigit($0) || "+-.".utf8.contains($0)
    } && text[colon...].starts(with: "://".utf8)
  }

  /// Its place, for people: one line, shortened.
  public var shown: String {
    switch place {
    case .path(let path): TrackListFault.shown(path[...])
    case .url(let url): TrackListFault.shown(Array(url.utf8)[...])
    }
  }

  /// The paths that the entry may mean, the likeliest first; none of an address.
  ///
  /// Lists have paths with escapes where none belong, with blanks at their ends, and of Windows.
  public var readings: [[UInt8]] {
    guard case .path(let path) = place else { return [] }
    var found: [[UInt8]] = []
    func add(_ path: [UInt8]) {
      if (1...Self.pathBytesMax).contains(path.count), !path.contains(0), !found.contains(path) {
        found.append(path)
      }
    }
    let decoded = PercentEncoding.decodedWhereValid(path[...])
    for form in isReference ? [decoded, path] : [path, decoded] { add(form) }
    for form in found { add(Array(ASCII.trimmed(form[...]))) }
    for form in found { add(Self.withoutWindows(form)) }
    return found
  }

  /// Returns a path without a drive, and with slashes where Windows has others.
  private static func withoutWindows(_ path: [UInt8]) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    let slashed = path.map { $0 == UInt8(ascii: "\\") ? slash : $0 }
    let rest = slashed.first == slash ? slashed.dropFirst() : slashed[...]
    let hasDrive =
      rest.count > 2 && ASCII.isLetter(rest[rest.startIndex])
      && rest[rest.startIndex + 1] == UInt8(ascii: ":") && rest[rest.startIndex + 2] == slash
    return hasDrive ? Array(rest.dropFirst(2)) : slashed
  }
}

/// What a list has in place of an entry, and why that is none.
public struct TrackListFault: Error, Hashable, Sendable {
  /// From 1.
  public var line: Int
  /// For people: one line, shortened; may be empty.
  public var text: String
  /// In words that follow the text.
  public var reason: String

  /// Bytes of a text that are shown; a longer one is cut there.
  private static let shownMax = 200

  init(line: Int, _ text: ArraySlice<UInt8>, _ reason: String) {
    (self.line, self.text, self.reason) = (line, Self.shown(text), reason)
  }

  static func shown(_ text: ArraySlice<UInt8>) -> String {
    guard text.count > shownMax else {
      return LogText.line(String(decoding: text, as: UTF8.self))
    }
    var head = text.prefix(shownMax)
    // No character is cut in two: one has at most three bytes behind its first.
    if head.suffix(3).contains(where: { $0 & 0xC0 != 0x80 }) {
      while let last = head.last, last & 0xC0 == 0x80 { head.removeLast() }
      if let last = head.last, last >= 0xC0 { head.removeLast() }
    }
    return LogText.line(String(decoding: head, as: UTF8.self)) + "…"
  }
}

/// Paths as bytes, put together by their text alone.
public enum PathText {
  private static let slash = UInt8(ascii: "/")

  /// Returns the absolute path that `path` is in `folder`, without `.`, `..` and empty parts. No link is followed.
  ///
  /// - Parameter folder: an absolute path; an absolute `path` needs none.
  public static func resolved(_ path: [UInt8], in folder: [UInt8]) -> [UInt8] {
    var parts: [ArraySlice<UInt8>] = []
    for text in path.first == slash ? [path] : [folder, path] {
      for part in text.split(separator: slash) {
        if part.elementsEqual("..".utf8) {
          _ = parts.popLast()
        } else if !part.elementsEqual(".".utf8) {
          parts.append(part)
        }
      }
    }
    return parts.isEmpty ? [slash] : parts.flatMap { [slash] + $0 }
  }

  /// Returns what is behind a folder in a path below it; nil of a path that is not below it. Both are resolved.
  public static func below(_ folder: [UInt8], _ path: [UInt8]) -> [UInt8]? {
    let head = folder == [slash] ? folder : folder + [slash]
    return path.count > head.count && path.starts(with: head) ? Array(path[head.count...]) : nil
  }

  /// Returns a resolved path's folder; the root's is itself.
  public static func folder(of path: [UInt8]) -> [UInt8] {
    let end = path.lastIndex(of: slash) ?? 0
    return end == 0 ? [slash] : Array(path[..<end])
  }

  /// Returns a path as it is written in a folder, with `..` where it is not below it. Both are resolved.
  public static func relative(_ path: [UInt8], to folder: [UInt8]) -> [UInt8] {
    let (from, to) = (folder.split(separator: slash), path.split(separator: slash))
    let common = zip(from, to).prefix { $0.elementsEqual($1) }.count
    let up = [[UInt8]](repeating: Array("..".utf8), count: from.count - common)
    return Array((up + to[common...].map(Array.init)).joined(separator: [slash]))
  }
}
